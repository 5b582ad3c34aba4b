import CZlib

/// Lottie texts made for tests.
public enum Lottie {
  public static let fill = #"{"ty":"fl","c":{"a":0,"k":[1,0,0,1]},"o":{"a":0,"k":100}}"#
  public static let square =
    #"{"ty":"rc","d":1,"s":{"a":0,"k":[40,40]},"p":{"a":0,"k":[0,0]},"r":{"a":0,"k":0}}"#
  private static let transform = #"""
    {"ty":"tr","p":{"a":0,"k":[0,0]},"a":{"a":0,"k":[0,0]},"s":{"a":0,"k":[100,100]},\#
    "r":{"a":0,"k":0},"o":{"a":0,"k":100}}
    """#

  public static func group(_ shapes: String...) -> String {
    #"{"ty":"gr","it":[\#((shapes + [transform]).joined(separator: ","))]}"#
  }

  /// A layer that stays in place and turns once in 60 frames.
  public static func layer(shapes: String, opacity: Int = 60) -> String {
    #"""
    {"ddd":0,"ind":1,"ty":4,"nm":"l","sr":1,"ks":{"o":{"a":0,"k":\#(opacity)},"r":{"a":1,"k":[{"t":0,\#
    "s":[0],"i":{"x":[0.5],"y":[1]},"o":{"x":[0.5],"y":[0]}},{"t":60,"s":[360]}]},\#
    "p":{"a":0,"k":[50,50,0]},"a":{"a":0,"k":[0,0,0]},"s":{"a":0,"k":[100,100,100]}},"ao":0,\#
    "shapes":[\#(shapes)],"ip":0,"op":60,"st":0,"bm":0}
    """#
  }

  /// A layer that draws another composition.
  public static func use(_ name: String) -> String {
    #"""
    {"ddd":0,"ind":1,"ty":0,"nm":"u","refId":"\#(name)","sr":1,"ks":{"o":{"a":0,"k":100},\#
    "r":{"a":0,"k":0},"p":{"a":0,"k":[0,0,0]},"a":{"a":0,"k":[0,0,0]},\#
    "s":{"a":0,"k":[100,100,100]}},"ao":0,"w":100,"h":100,"ip":0,"op":60,"st":0,"bm":0}
    """#
  }

  /// An animation: a red square, half transparent, turns for 2 s over nothing.
  public static func text(
    size: String = #""w":100,"h":100"#, time: String = #""fr":30,"ip":0,"op":60"#,
    assets: String = "", layers: String = layer(shapes: group(square, fill))
  ) -> [UInt8] {
    Array(#"{"v":"5.7.4",\#(time),\#(size),"assets":[\#(assets)],"layers":[\#(layers)]}"#.utf8)
  }

  /// An animation whose drawing would take for ever: a dashed stroke along an outline of a thousand
  /// million units. `name` makes texts differ.
  public static func endless(name: String = "e") -> [UInt8] {
    let outline =
      #"{"ty":"rc","d":1,"s":{"a":0,"k":[1e9,1e9]},"p":{"a":0,"k":[0,0]},"r":{"a":0,"k":0}}"#
    let dashes = #"""
      {"ty":"st","nm":"\#(name)","c":{"a":0,"k":[1,0,0,1]},"o":{"a":0,"k":100},\#
      "w":{"a":0,"k":2},"lc":1,"lj":1,"ml":4,"d":[{"n":"d","nm":"d","v":{"a":0,"k":1}},\#
      {"n":"g","nm":"g","v":{"a":0,"k":1}},{"n":"o","nm":"o","v":{"a":0,"k":0}}]}
      """#
    return text(layers: layer(shapes: group(outline, dashes)))
  }
}

/// A zip with uncompressed members (PKWARE APPNOTE 6.3).
public func zip(_ members: [(name: String, bytes: [UInt8])]) -> [UInt8] {
  func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  var file: [UInt8] = []
  var directory: [UInt8] = []
  for (name, bytes) in members {
    let sum = Int(crc32(0, bytes, UInt32(bytes.count)))
    // Version, flags (UTF-8), method, time, date, sum, sizes, lengths of name and extra.
    let common =
      little(20, 2) + little(0x800, 2) + little(0, 2) + little(0, 2) + little(0x21, 2)
      + little(sum, 4) + little(bytes.count, 4) + little(bytes.count, 4)
      + little(name.utf8.count, 2) + little(0, 2)
    directory +=
      [0x50, 0x4B, 1, 2] + little(20, 2) + common + little(0, 10) + little(file.count, 4)
      + Array(name.utf8)
    file += [0x50, 0x4B, 3, 4] + common + Array(name.utf8) + bytes
  }
  let start = file.count
  file += directory
  file +=
    [0x50, 0x4B, 5, 6] + little(0, 4) + little(members.count, 2) + little(members.count, 2)
    + little(directory.count, 4) + little(start, 4) + little(0, 2)
  return file
}

public func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
  try run("/bin/gzip", ["-c"], input: bytes).output
}
