extension Goldens {
  /// What each overlay adds to a plain picture: row and column, from 0, and the text between bars.
  static let overlays: [String: String] = [
    "help": """
    40x9
    0:0| q     quit          ,     5 s back     |
    1:0| Esc   close this    .     5 s forward  |
    2:0| Right next story    c     caption      |
    3:0| Left  story before  i     what plays   |
    4:0| Down  next reel     v     picture mode |
    5:0| Up    reel before   f     all or fill  |
    6:0| Home  restart       o     open link    |
    7:0| End   to the end    s     save a still |
    8:0| Space pause         … 2 more           |
    40x10
    0:0| q     quit          .     5 s forward  |
    1:0| Esc   close this    c     caption      |
    2:0| Right next story    i     what plays   |
    3:0| Left  story before  v     picture mode |
    4:0| Down  next reel     f     all or fill  |
    5:0| Up    reel before   o     open link    |
    6:0| Home  restart       s     save a still |
    7:0| End   to the end    ?     this help    |
    8:0| Space pause         ^L    repaint      |
    9:0| ,     5 s back                         |
    80x21
    0:16|                      Keys                      |
    1:16|                                                |
    2:16|  q              quit                           |
    3:16|  Esc            close this                     |
    4:16|  Right l Enter  next story                     |
    5:16|  Left h         previous story                 |
    6:16|  Down J Tab     next reel                      |
    7:16|  Up K S-Tab     previous reel                  |
    8:16|  Home           restart the story              |
    9:16|  End            to the end                     |
    10:16|  Space p        pause                          |
    11:16|  ,              5 s back                       |
    12:16|  .              5 s forward                    |
    13:16|  c              caption long, short, off       |
    14:16|  i              what plays                     |
    15:16|  v              next picture mode              |
    16:16|  f              all of it, or fill the screen  |
    17:16|  o              open the story's link          |
    18:16|  s              save a still picture           |
    19:16|  ? F1           this help                      |
    20:16|  ^L             repaint                        |
    80x24
    1:16|                      Keys                      |
    2:16|                                                |
    3:16|  q              quit                           |
    4:16|  Esc            close this                     |
    5:16|  Right l Enter  next story                     |
    6:16|  Left h         previous story                 |
    7:16|  Down J Tab     next reel                      |
    8:16|  Up K S-Tab     previous reel                  |
    9:16|  Home           restart the story              |
    10:16|  End            to the end                     |
    11:16|  Space p        pause                          |
    12:16|  ,              5 s back                       |
    13:16|  .              5 s forward                    |
    14:16|  c              caption long, short, off       |
    15:16|  i              what plays                     |
    16:16|  v              next picture mode              |
    17:16|  f              all of it, or fill the screen  |
    18:16|  o              open the story's link          |
    19:16|  s              save a still picture           |
    20:16|  ? F1           this help                      |
    21:16|  ^L             repaint                        |
    200x60
    18:76|                                                |
    19:76|                      Keys                      |
    20:76|                                                |
    21:76|  q              quit                           |
    22:76|  Esc            close this                     |
    23:76|  Right l Enter  next story                     |
    24:76|  Left h         previous story                 |
    25:76|  Down J Tab     next reel                      |
    26:76|  Up K S-Tab     previous reel                  |
    27:76|  Home           restart the story              |
    28:76|  End            to the end                     |
    29:76|  Space p        pause                          |
    30:76|  ,              5 s back                       |
    31:76|  .              5 s forward                    |
    32:76|  c              caption long, short, off       |
    33:76|  i              what plays                     |
    34:76|  v              next picture mode              |
    35:76|  f              all of it, or fill the screen  |
    36:76|  o              open the story's link          |
    37:76|  s              save a still picture           |
    38:76|  ? F1           this help                      |
    39:76|  ^L             repaint                        |
    40:76|                                                |
    """,
    "info": """
    40x9
    0:6| codec   h264 1080x1920 30 fps    |
    1:6| grid    120x80 half              |
    2:6| decode  3.1 ms                   |
    3:6| bytes   27.4 kB a frame          |
    40x10
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
    40x10
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
    40x10
    5:0| ▌ beach.mp4 from example.org, 1.2 of … |
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
    40x10
    1:2|                                   |
    2:2| That was all: 12 stories, 3 reels |
    3:2|       The cache saved 41 MB       |
    4:2|                                   |
    5:2| Enter  again                      |
    6:2| q      quit                       |
    7:2|                                   |
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
    40x10
    5:0| Low tide at the old pier, and nobody   |
    6:0| there but gulls, two dogs and a man    |
    7:0| who sold us tea from the back of a     |
    8:0| van. We stayed until the lights came   |
    9:0| on in Wyk.                             |
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
  ]
}
