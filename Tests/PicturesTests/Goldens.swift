/// Screens as text, to be read in a diff.
enum Goldens {
  static let asciiLandscape = """
    ================================================
    c=c=c=c=c=c=c=c=c=c=c=c=c=c=c=ccxcxcccc=c=c=c=c=
    cccccccccccccccccccccccccccxCaa$$&&$$$ooxccccccc
    xxxxxxxxxxxxxxxxxxxxxxxxxxCa$##@@@@@@##$$oxxxxxx
    xCxxCxxCxCxxCxCxxCxCxxCxCxa$##@@@@@@@@@#$aCxCxCx
    CCCCCCCCCCCCCCCCCCCCCCCCCCo$$#@@@@@@@##&$oCCCCCC
    oooooooooooooooooooooooooooooa$$&&&&$$aooooooooo
    oaoaoaoaoc!+=+!caooaoaooaooaoaoaooaoaaaoaoooaooa
    c=aaaaax=xooaoox=xaaaccaaaaaaaaaaaaaaaaaacxcaaaa
    ..:!c$$+xo$$&$$ox+cx;: :xc$$c$$$$$$xc==c;!:..x$$
    :!!:..:+xoa$$$aox+!:.:;+;..:!;.=$x!:..;!;..;!;..
    +!:.;!!:!cxCoCxc!;..;=!:.:!!:..;!;..;+!:.;++;.:;
    ;:;++;.:!+;;;+++::;==!:;!+!:.!+!:.:++;::!c!::;+!
    ;=c+::!=+;::+=;:;+=+;:+c+;:;==;::!=+::!==!;!=c!:
    xc!;!=c!;:+=+:;+c=!:+cx!;;+c+;:!=+;:!cc!;!=x=;:!
    =!!cc=!;+c=!:!cx+;!cxc!!=cc!;!cc!;!cx=!;=xx+;+cx
    """
}
