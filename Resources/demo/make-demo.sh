#!/bin/bash
# Makes the media of the demo feed from nothing but FFmpeg's generators and drawn text.
#
#   make-demo.sh [NAME]...     all stories, or those named
#
# Needs ffmpeg with libx264, and the font DejaVu Sans Bold (fonts-dejavu-core). The shapes are made
# for small grids: one character cell shows two pixels, a vertical clip may be 26 pixels wide.
set -euo pipefail
cd "$(dirname "$0")"
font=/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf

# One thread and no time stamps: the same bytes for the same FFmpeg.
run() { ffmpeg -hide_banner -loglevel error -y "$@"; }
encode=(-c:v libx264 -preset slow -tune animation -pix_fmt yuv420p -colorspace bt709
  -color_primaries bt709 -color_trc bt709 -color_range tv -threads 1
  -c:a aac -b:a 64k -ac 2 -ar 48000
  -fflags +bitexact -flags:v +bitexact -flags:a +bitexact -map_metadata -1 -movflags +faststart)
to709='scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'

# movie NAME SECONDS CRF PICTURE SOUND: a clip from a graph of pictures and one of sound.
movie() {
  run -f lavfi -i "$4,$to709" -f lavfi -i "$5,afade=in:d=0.2,afade=out:st=$(($2 - 1)):d=1" \
    -t "$2" -crf "$3" -g 50 "${encode[@]}" "$1.mp4"
}

# paint SIZE R G B: a picture from three formulas of X, Y and T, made small and enlarged smoothly.
paint() { echo "color=black:s=$1:r=25,format=gbrp,geq=r='$2':g='$3':b='$4',scale=iw*3:ih*3:flags=bicubic"; }

# word TEXT SIZE X Y COLOUR [OPTIONS]: bold text with a dark edge.
word() {
  echo "drawtext=fontfile=$font:text='$1':fontsize=$2:x='$3':y='$4':fontcolor=$5:borderw=$(($2 / 16)):bordercolor=black@0.75${6:+:$6}"
}

# chord SECONDS FREQUENCY...: soft voices that swell one after the other.
chord() {
  local seconds=$1 sum= index=0
  shift
  for frequency in "$@"; do
    sum+="${sum:+ + }sin(2*PI*$frequency*t)*exp(-0.5*mod(t + $seconds - $index*0.35, $seconds))"
    index=$((index + 1))
  done
  echo "aevalsrc='0.22*($sum)':s=48000:d=$seconds"
}

hello() {
  local wave='st(0, sin(X/42+T) + sin((X*cos(T/3)+Y*sin(T/2))/30) + sin(hypot(X-160-70*sin(T/2), Y-90-45*cos(T/1.7))/19 - 2*T))*0'
  local left='if(lt(t,0.9), (w-tw)/2 - w*pow(1-t/0.9,3), (w-tw)/2 + 8*sin(t*3))'
  local right='if(lt(t,0.5), w, if(lt(t,1.4), (w-tw)/2 + w*pow(1-(t-0.5)/0.9,3), (w-tw)/2 - 8*sin(t*3)))'
  movie hello 7 25 "$(paint 320x180 \
    "$wave + 128 + 122*sin(ld(0)*1.15)" \
    "$wave + 44 + 44*sin(ld(0)*1.15 - 0.9)" \
    "$wave + 150 + 85*sin(ld(0)*0.8 + 2.2)"),$(word STORY 212 "$left" 64 white),$(word TTY 250 "$right" 270 '#ffe14d')" \
    "$(chord 7 220 277.18 329.63 440 554.37)"
}

tunnel() {
  local place='st(1, X-90-22*sin(T*1.3))*0 + st(2, Y-160-34*cos(T))*0 + st(3, hypot(ld(1),ld(2))+2)*0 + st(4, atan2(ld(2),ld(1)))*0 + st(5, 60/ld(3) + T*2.2)*0'
  local tile='st(6, clip(6*sin(ld(4)*4 + ld(5)*1.1)*sin(ld(5)*5), -1, 1)*0.5 + 0.5)*0 + st(7, min(1, ld(3)/85))*0'
  movie tunnel 6 26 "$(paint 180x320 \
    "$place + $tile + ld(7)*(35 + ld(6)*(110 + 110*sin(ld(5)*0.9)))" \
    "$place + $tile + ld(7)*(10 + ld(6)*(90 + 90*sin(ld(5)*0.9 + 2.1)))" \
    "$place + $tile + ld(7)*(70 + ld(6)*(95 + 90*sin(ld(5)*0.9 + 4.2)))")" \
    "aevalsrc='0.2*sin(2*PI*(90*t + 14*sin(2*t))) + 0.1*sin(2*PI*(180*t + 30*sin(2*t)))*(0.5+0.5*sin(PI*5*t))':s=48000:d=6"
}

lights() {
  local disc='clip((R - hypot(X-CX,Y-CY))/6, 0, 1)*(150 + 105*(1 - hypot(X-CX,Y-CY)/R))'
  spot() { echo "$disc" | sed "s/CX/$1/g; s/CY/$2/g; s/R/$3/g"; }
  run -f lavfi -i "color=black:s=960x540:r=1,format=gbrp,geq=r='min(255, 8 + $(spot 390 200 185))':g='min(255, 8 + $(spot 570 200 185))':b='min(255, 22 + $(spot 480 340 185))'" \
    -frames:v 1 -threads 1 -fflags +bitexact -flags:v +bitexact -map_metadata -1 lights.png
}

julia() {
  # How long each point takes to escape, as a grey; then colours, then larger.
  local escape='st(0, (X-120)/72)*0 + st(1, (Y-67.5)/72)*0 + st(2, 0.7885*cos(2.05 + T*0.24))*0 + st(3, 0.7885*sin(2.05 + T*0.24))*0 + st(4, 0)*0 + while(lt(ld(4), 60)*lt(ld(0)*ld(0) + ld(1)*ld(1), 60), st(5, ld(0)*ld(0) - ld(1)*ld(1) + ld(2)) + st(1, 2*ld(0)*ld(1) + ld(3)) + st(0, ld(5)) + st(4, ld(4) + 1))*0'
  local smooth='if(lt(ld(4), 60), 255*pow(max(0, ld(4) + 1 - log(log(ld(0)*ld(0) + ld(1)*ld(1))/2)/log(2))/60, 0.6), 255 - 75*min(1, hypot(ld(0), ld(1))))'
  local colours="lutrgb=r='clip(293*pow(abs(sin(val/255*PI*0.62)),1.3),0,255)':g='clip(255*pow(val/255,2.4)*1.2,0,255)':b='clip(60+200*sin(val/255*PI*0.95)-120*pow(val/255,6),0,255)'"
  movie julia 8 33 "color=black:s=240x135:r=25,format=gray,geq=lum='$escape + $smooth',format=gbrp,$colours,scale=960:540:flags=bicubic" \
    "aevalsrc='0.16*sin(2*PI*110*t + 3*sin(2*PI*0.25*t)) + 0.12*sin(2*PI*165*t + 4*sin(2*PI*0.2*t)) + 0.08*sin(2*PI*331*t)*(0.5+0.5*sin(2*PI*0.5*t))':s=48000:d=8"
}

life() {
  movie life 7 27 "life=s=64x36:r=12:mold=9:ratio=0.28:seed=23:stitch=1:life_color=#fff6c2:death_color=#ff5a00:mold_color=#16052e,scale=960:540:flags=neighbor,fps=25" \
    "aevalsrc='0.25*sin(2*PI*(330 + 110*floor(mod(t*5*1.618,4)))*t)*exp(-9*mod(t,0.2))':s=48000:d=7"
}

pond() {
  local wave='st(1, hypot(X-95-30*sin(T*0.7), Y-70))*0 + st(2, hypot(X-235, Y-115-30*cos(T*0.9)))*0 + st(0, (sin(ld(1)/6 - T*5)*exp(-ld(1)/170) + sin(ld(2)/6 - T*5)*exp(-ld(2)/170))/1.7)*0'
  movie pond 6 26 "$(paint 320x180 \
    "$wave + clip(10 + 320*pow(max(0, ld(0)),1.9) + 20*ld(0), 0, 255)" \
    "$wave + clip(70 + 190*ld(0) + 40*(1-Y/180), 0, 255)" \
    "$wave + clip(135 + 125*ld(0), 0, 255)")" \
    "aevalsrc='0.25*sin(2*PI*(520 - 180*mod(t,1.5))*t)*exp(-5*mod(t,1.5))|0.25*sin(2*PI*(610 - 200*mod(t+0.6,1.5))*t)*exp(-5*mod(t+0.6,1.5))':s=48000:d=6"
}

sunset() {
  local sky='st(1, min(1, Y/104))*0 + st(2, hypot(X-160, Y-74))*0 + st(3, clip((46 - ld(2))/2, 0, 1))*0 + st(4, if(gt(Y,66), clip(5*(sin((Y - 60)*(Y - 60)/75 - T*2.4) + 0.5), 0, 1), 1))*0 + st(3, ld(3)*ld(4))*0 + st(9, exp(-pow(ld(2)/70, 2)))*0'
  local sea='st(5, Y - 104)*0 + st(6, exp(-pow((X - 160 + 9*sin(ld(5)*0.8 - T*5) + 5*sin(ld(5)*0.31 + T*3))/(34 + ld(5)*0.55), 2)))*0 + st(7, 0.55 + 0.45*sin(260/(ld(5) + 9) + T*5 + 1.3*sin(X/24 + T)))*0'
  movie sunset 8 25 "$(paint 320x180 \
    "$sky + $sea + min(255, if(lt(Y,104), (1-ld(3))*(30 + 205*pow(ld(1),1.4) + 40*ld(9)) + ld(3)*255, 18 + 60*exp(-ld(5)/18) + 235*ld(6)*ld(7)))" \
    "$sky + $sea + min(255, if(lt(Y,104), (1-ld(3))*(8 + 84*pow(ld(1),2.2) + 35*ld(9)) + ld(3)*(225 - 145*clip((Y-28)/92,0,1)), 10 + 20*exp(-ld(5)/18) + 130*ld(6)*ld(7)))" \
    "$sky + $sea + min(255, if(lt(Y,104), (1-ld(3))*(70 + 60*ld(1)) + ld(3)*(70 + 90*clip((Y-28)/92,0,1)), 52 + 45*exp(-ld(5)/30) + 50*ld(6)*ld(7)))")" \
    "anoisesrc=c=pink:s=3:r=48000:a=0.5,lowpass=f=700,tremolo=f=0.3:d=0.8"
}

aurora() {
  curtain() { echo "st($1, Y - $2)*0 + st($1, if(lt(ld($1),0), exp(ld($1)/$3), exp(-ld($1)/7))*(0.6 + 0.4*sin(X/$4 + T*$5 + 2*sin(X/31 - T))))*0"; }
  local shape="$(curtain 1 '(150 + 34*sin(X/37 + T*0.8) + 14*sin(X/15 - T*1.3))' 75 4.2 1.9) + $(curtain 2 '(205 + 26*sin(X/29 - T*0.9 + 2) + 10*sin(X/11 + T))' 60 3.1 -2.3) + st(3, gt(mod(abs(sin(floor(X/3)*12.9898 + floor(Y/3)*78.233)*43758.5), 1), 0.993)*(150 + 105*sin(T*3 + X)))*0 + st(4, gt(Y, 268 + 18*sin(X/26) + 8*sin(X/9 + 1) + 3*sin(X/3)))*0"
  movie aurora 7 25 "$(paint 180x320 \
    "$shape + if(ld(4), 4, clip(10 + 45*ld(1) + 175*ld(2) + ld(3), 0, 255))" \
    "$shape + if(ld(4), 6, clip(10 + 24*Y/320 + 245*ld(1) + 60*ld(2) + ld(3), 0, 255))" \
    "$shape + if(ld(4), 16, clip(38 + 40*Y/320 + 130*ld(1) + 205*ld(2) + ld(3), 0, 255))")" \
    "$(chord 7 146.83 220 293.66 369.99)"
}

ridges() {
  # Five ranges, each nearer, lower and darker; mist lies in the valleys between them.
  local near=0 r='' g='' b='' height tone close=''
  local base=(235 290 345 405 465) wide=(150 110 170 90 130) high=(50 46 40 44 36)
  local red=(226 182 128 70 26) green=(150 106 76 48 22) blue=(140 134 124 100 58)
  local sun='st(1, hypot(X-660, Y-150))*0 + st(2, clip((62 - ld(1))/3, 0, 1))*0'
  r="if(ld(2), 255, min(255, 250 - 30*Y/540 + 60*exp(-ld(1)/130)))"
  g="if(ld(2), 246, min(255, 120 + 160*Y/540 + 70*exp(-ld(1)/130)))"
  b="if(ld(2), 214, 120 + 60*Y/540 + 30*exp(-ld(1)/130))"
  for near in 0 1 2 3 4; do
    height="(${base[near]} - ${high[near]}*sin(X/${wide[near]} + $near*1.9) - ${high[near]}*0.45*sin(X/(${wide[near]}*0.37) + $near*2.3) - 6*sin(X/17 + $near))"
    tone="min(1, (Y - $height)/150)"
    r="if(gt(Y, $height), min(255, ${red[near]} + 36*$tone), $r)"
    g="if(gt(Y, $height), min(255, ${green[near]} + 44*$tone), $g)"
    b="if(gt(Y, $height), min(255, ${blue[near]} + 34*$tone), $b)"
  done
  run -f lavfi -i "color=black:s=960x540:r=1,format=gbrp,geq=r='$sun + $r':g='$sun + $g':b='$sun + $b',scale=out_range=pc,format=yuvj444p" \
    -frames:v 1 -q:v 3 -threads 1 -fflags +bitexact -flags:v +bitexact -map_metadata -1 ridges.jpg
}

warp() {
  local star='st(1, X-90)*0 + st(2, Y-160)*0 + st(3, hypot(ld(1),ld(2)))*0 + st(4, floor((atan2(ld(2),ld(1)) + PI)*K))*0 + st(5, mod(abs(sin(ld(4)*12.9898)*43758.5), 1))*0 + st(6, mod(T*(0.45 + ld(5)*0.8) + ld(5)*7, 1))*0 + st(7, pow(ld(6),2)*210)*0 + st(8, clip(1 - abs(ld(3) - ld(7))/(3 + ld(7)*0.3), 0, 1)*min(1, ld(3)/14))*0'
  one() { echo "${star//K/$1}"; }
  movie warp 5 29 "$(paint 180x320 \
    "$(one 9) + st(9, ld(8))*0 + $(one 5.3) + clip(3 + 255*ld(8) + 120*ld(9) + 70*exp(-ld(3)/26), 0, 255)" \
    "$(one 9) + st(9, ld(8))*0 + $(one 5.3) + clip(3 + 190*ld(8) + 200*ld(9) + 40*exp(-ld(3)/26), 0, 255)" \
    "$(one 9) + st(9, ld(8))*0 + $(one 5.3) + clip(16 + 150*ld(8) + 255*ld(9) + 130*exp(-ld(3)/34), 0, 255)")" \
    "anoisesrc=c=white:s=5:r=48000:a=0.35,bandpass=f=500:w=300,tremolo=f=2.3:d=0.6"
}

leader() {
  # The clock of a film leader: each second sweeps a new colour round.
  local sweep='st(1, mod(atan2(X-90, 160-Y)/(2*PI) + 1, 1))*0 + st(2, lt(ld(1), mod(T,1)))*0 + st(3, floor(T) + ld(2))*0 + st(4, hypot(X-90,Y-160))*0 + st(5, max(clip(1 - abs(ld(4)-76)/2.5, 0, 1), clip(1 - abs(ld(4)-66)/1.5, 0, 1)))*0 + st(6, 0.75 + 0.25*cos(ld(4)/60))*0'
  local graph digit
  graph="$(paint 180x320 \
    "$sweep + min(255, ld(6)*(118 + 112*cos(ld(3)*2.1)) + 200*ld(5))" \
    "$sweep + min(255, ld(6)*(78 + 70*cos(ld(3)*2.1 + 2.3)) + 200*ld(5))" \
    "$sweep + min(255, ld(6)*(128 + 100*cos(ld(3)*2.1 + 4.4)) + 200*ld(5))")"
  for digit in 3 2 1; do
    graph+=",$(word "$digit" 430 '(w-tw)/2' '(h-th)/2' white "enable='between(t,$((3 - digit)),$((4 - digit))-0.02)'")"
  done
  graph+=",$(word GO 300 '(w-tw)/2' '(h-th)/2 - 26*abs(sin((t-3)*6))' '#ffe14d' "enable='gte(t,3)'")"
  movie leader 5 26 "$graph" \
    "aevalsrc='if(lt(t,3), 0.3*sin(2*PI*880*t)*exp(-9*mod(t,1)), 0.22*(sin(2*PI*1046.5*t) + sin(2*PI*1318.5*t))*exp(-1.5*(t-3)))':s=48000:d=5"
}

for name in "${@:-hello leader lights tunnel julia life pond sunset aurora ridges warp}"; do
  for story in $name; do
    "$story"
    echo "$story: $(du -ch "$story".* | tail -1 | cut -f1)"
  done
done
