extension Goldens {
  /// What each overlay adds to a plain picture: row and column, from 0, and the text between bars.
  static let overlays: [String: String] = [
    "help": """
    40x9
    0:0|                  Keys                  |
    1:0| Right next story    m     mute         |
    2:0| Left  previous st…  +     volume       |
    3:0| Down  next reel     c     caption lon… |
    4:0| Up    previous re…  i     what plays   |
    5:0| Home  restart the…  v     picture mode |
    6:0| End   end card      f     contain or … |
    7:0| space pause         o     open the li… |
    8:0| ,     back, on by…  … 5 more           |
    40x12
    0:0|                  Keys                  |
    1:0| Right next story    c     caption lon… |
    2:0| Left  previous st…  i     what plays   |
    3:0| Down  next reel     v     picture mode |
    4:0| Up    previous re…  f     contain or … |
    5:0| Home  restart the…  o     open the li… |
    6:0| End   end card      s     save a still |
    7:0| space pause         ?     help         |
    8:0| ,     back, on by…  ^L    repaint      |
    9:0| m     mute          q     quit         |
    10:0| +     volume        Q     quit and re… |
    80x21
    0:18|                   Keys                    |
    1:18|  Right l Enter  next story                |
    2:18|  Left h         previous story            |
    3:18|  Down J Tab     next reel                 |
    4:18|  Up K S-Tab     previous reel             |
    5:18|  Home           restart the story         |
    6:18|  End            end card                  |
    7:18|  space p        pause                     |
    8:18|  , .            back, on by 5 s           |
    9:18|  m              mute                      |
    10:18|  + = -          volume                    |
    11:18|  c              caption long, short, off  |
    12:18|  i              what plays                |
    13:18|  v              picture mode              |
    14:18|  f              contain or cover          |
    15:18|  o              open the link             |
    16:18|  s              save a still              |
    17:18|  ? F1           help                      |
    18:18|  ^L             repaint                   |
    19:18|  q              quit                      |
    20:18|  Q              quit and remember         |
    80x24
    1:18|                   Keys                    |
    2:18|                                           |
    3:18|  Right l Enter  next story                |
    4:18|  Left h         previous story            |
    5:18|  Down J Tab     next reel                 |
    6:18|  Up K S-Tab     previous reel             |
    7:18|  Home           restart the story         |
    8:18|  End            end card                  |
    9:18|  space p        pause                     |
    10:18|  , .            back, on by 5 s           |
    11:18|  m              mute                      |
    12:18|  + = -          volume                    |
    13:18|  c              caption long, short, off  |
    14:18|  i              what plays                |
    15:18|  v              picture mode              |
    16:18|  f              contain or cover          |
    17:18|  o              open the link             |
    18:18|  s              save a still              |
    19:18|  ? F1           help                      |
    20:18|  ^L             repaint                   |
    21:18|  q              quit                      |
    22:18|  Q              quit and remember         |
    200x60
    18:78|                                           |
    19:78|                   Keys                    |
    20:78|                                           |
    21:78|  Right l Enter  next story                |
    22:78|  Left h         previous story            |
    23:78|  Down J Tab     next reel                 |
    24:78|  Up K S-Tab     previous reel             |
    25:78|  Home           restart the story         |
    26:78|  End            end card                  |
    27:78|  space p        pause                     |
    28:78|  , .            back, on by 5 s           |
    29:78|  m              mute                      |
    30:78|  + = -          volume                    |
    31:78|  c              caption long, short, off  |
    32:78|  i              what plays                |
    33:78|  v              picture mode              |
    34:78|  f              contain or cover          |
    35:78|  o              open the link             |
    36:78|  s              save a still              |
    37:78|  ? F1           help                      |
    38:78|  ^L             repaint                   |
    39:78|  q              quit                      |
    40:78|  Q              quit and remember         |
    41:78|                                           |
    """,
    "info": """
    40x9
    0:6| codec   h264 1080x1920 30 fps    |
    1:6| grid    120x80 half              |
    2:6| decode  3.1 ms                   |
    3:6| bytes   27.4 kB a frame          |
    40x12
    0:6| codec   h264 1080x1920 30 fps    |
    1:6| grid    120x80 half              |
    2:6| decode  3.1 ms                   |
    3:6| bytes   27.4 kB a frame          |
    80x21
    0:46| codec   h264 1080x1920 30 fps    |
    1:46| grid    120x80 half              |
    2:46| decode  3.1 ms                   |
    3:46| bytes   27.4 kB a frame          |
    80x24
    0:46| codec   h264 1080x1920 30 fps    |
    1:46| grid    120x80 half              |
    2:46| decode  3.1 ms                   |
    3:46| bytes   27.4 kB a frame          |
    200x60
    0:166| codec   h264 1080x1920 30 fps    |
    1:166| grid    120x80 half              |
    2:166| decode  3.1 ms                   |
    3:166| bytes   27.4 kB a frame          |
    """,
    "info left": """
    40x9
    0:0| codec   h264 1080x1920 30 fps    |
    1:0| grid    120x80 half              |
    2:0| decode  3.1 ms                   |
    3:0| bytes   27.4 kB a frame          |
    40x12
    0:0| codec   h264 1080x1920 30 fps    |
    1:0| grid    120x80 half              |
    2:0| decode  3.1 ms                   |
    3:0| bytes   27.4 kB a frame          |
    80x21
    0:0| codec   h264 1080x1920 30 fps    |
    1:0| grid    120x80 half              |
    2:0| decode  3.1 ms                   |
    3:0| bytes   27.4 kB a frame          |
    80x24
    0:0| codec   h264 1080x1920 30 fps    |
    1:0| grid    120x80 half              |
    2:0| decode  3.1 ms                   |
    3:0| bytes   27.4 kB a frame          |
    200x60
    0:0| codec   h264 1080x1920 30 fps    |
    1:0| grid    120x80 half              |
    2:0| decode  3.1 ms                   |
    3:0| bytes   27.4 kB a frame          |
    """,
    "spinner": """
    40x9
    4:0| ▌ beach.mp4 from example.org, 1.2 of … |
    40x12
    6:0| ▌ beach.mp4 from example.org, 1.2 of … |
    80x21
    10:17| ▌ beach.mp4 from example.org, 1.2 of 4.4 MB |
    80x24
    12:17| ▌ beach.mp4 from example.org, 1.2 of 4.4 MB |
    200x60
    30:77| ▌ beach.mp4 from example.org, 1.2 of 4.4 MB |
    """,
    "end": """
    40x9
    1:2|                                   |
    2:2| That was all: 12 stories, 3 reels |
    3:2|       The cache saved 41 MB       |
    4:2|                                   |
    5:2| Enter  again                      |
    6:2| q      quit                       |
    7:2|                                   |
    40x12
    2:2|                                   |
    3:2| That was all: 12 stories, 3 reels |
    4:2|       The cache saved 41 MB       |
    5:2|                                   |
    6:2| Enter  again                      |
    7:2| q      quit                       |
    8:2|                                   |
    80x21
    7:21|                                     |
    8:21|  That was all: 12 stories, 3 reels  |
    9:21|        The cache saved 41 MB        |
    10:21|                                     |
    11:21|  Enter  again                       |
    12:21|  q      quit                        |
    13:21|                                     |
    80x24
    8:21|                                     |
    9:21|  That was all: 12 stories, 3 reels  |
    10:21|        The cache saved 41 MB        |
    11:21|                                     |
    12:21|  Enter  again                       |
    13:21|  q      quit                        |
    14:21|                                     |
    200x60
    26:81|                                     |
    27:81|  That was all: 12 stories, 3 reels  |
    28:81|        The cache saved 41 MB        |
    29:81|                                     |
    30:81|  Enter  again                       |
    31:81|  q      quit                        |
    32:81|                                     |
    """,
    "caption": """
    40x9
    5:0| Low tide at the old pier, and nobody   |
    6:0| there but gulls, two dogs and a man    |
    7:0| who sold us tea from the back of a     |
    8:0| van. We stayed until the lights came … |
    40x12
    7:0| Low tide at the old pier, and nobody   |
    8:0| there but gulls, two dogs and a man    |
    9:0| who sold us tea from the back of a     |
    10:0| van. We stayed until the lights came   |
    11:0| on in Wyk.                             |
    80x21
    19:0| Low tide at the old pier, and nobody there but gulls, two dogs and a man who   |
    20:0| sold us tea from the back of a van. We stayed until the lights came on in Wyk. |
    80x24
    22:0| Low tide at the old pier, and nobody there but gulls, two dogs and a man who   |
    23:0| sold us tea from the back of a van. We stayed until the lights came on in Wyk. |
    200x60
    58:0|                                                   Low tide at the old pier, and nobody there but gulls, two dogs and a man who sold us tea from the                                                    |
    59:0|                                                   back of a van. We stayed until the lights came on in Wyk.                                                                                            |
    """,
    "error": """
    40x9
    8:0| cannot play beach.mp4: the file is cu… |
    40x12
    11:0| cannot play beach.mp4: the file is cu… |
    80x21
    20:0| cannot play beach.mp4: the file is cut off after 1.2 s                         |
    80x24
    23:0| cannot play beach.mp4: the file is cut off after 1.2 s                         |
    200x60
    59:0|                                                   cannot play beach.mp4: the file is cut off after 1.2 s                                                                                               |
    """,
    "too small": """
    40x9
    4:0|         needs 40x12, has 32x10         |
    40x12
    5:0|         needs 40x12, has 32x10         |
    80x21
    10:0|                             needs 40x12, has 32x10                             |
    80x24
    11:0|                             needs 40x12, has 32x10                             |
    200x60
    29:0|                                                                                         needs 40x12, has 32x10                                                                                         |
    """,
  ]
}
