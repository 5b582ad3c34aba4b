/// Names of files as text. To the kernel a name is bytes, mostly but not always UTF-8; here it is a
/// `String` like any other, and each byte that means nothing in UTF-8 stands in it as a private
/// character, U+10FE80 to U+10FEFF. So the bytes are kept, and two names are equal where their bytes
/// are. Whoever opens a file turns them back; whoever shows a name shows U+FFFD.
public enum FileName {
  private static let marks: ClosedRange<UInt32> = 0x10FE80...0x10FEFF
  /// What all of the marks begin with in UTF-8, and little else.
  private static let firstOfMarks: UInt8 = 0xF4

  /// The text for a name's bytes. A name that holds one of the private characters itself has its
  /// bytes marked too, so that each name has a text of its own.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    let name = Array(bytes)
    if !name.contains(firstOfMarks), let text = String(validating: name, as: UTF8.self) {
      return text
    }
    var text = String.UnicodeScalarView()
    var place = 0
    while place < name.count {
      let end = place + length(after: name[place])
      if end > place, end <= name.count,
        let scalar = String(validating: name[place..<end], as: UTF8.self)?.unicodeScalars.first,
        !marks.contains(scalar.value)
      {
        text.append(scalar)
        place = end
      } else {
        text.append(Unicode.Scalar(0x10FE00 + UInt32(name[place])) ?? "\u{FFFD}")
        place += 1
      }
    }
    return String(text)
  }

  /// The bytes that a text stands for.
  public static func bytes(_ text: String) -> [UInt8] {
    guard text.utf8.contains(firstOfMarks) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      marks.contains(scalar.value)
        ? [UInt8(scalar.value & 0xFF)] : Array(UTF8.encode(scalar) ?? .init())
    }
  }

  /// The text as it may be shown and written down: with U+FFFD for what is no UTF-8.
  public static func shown(_ text: String) -> String {
    guard text.utf8.contains(firstOfMarks) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { marks.contains($0.value) ? "\u{FFFD}" : $0 }))
  }

  /// What follows the last dot of a path's last part, in small letters; empty where nothing does, or
  /// what is too long for a kind of file.
  public static func ending(of path: String) -> String {
    let end = Array(path.utf8.suffix(longestEnding + 1))
    guard let dot = end.lastIndex(of: UInt8(ascii: ".")),
      !end[dot...].contains(UInt8(ascii: "/"))
    else { return "" }
    return String(decoding: end[(dot + 1)...], as: UTF8.self).lowercased()
  }

  private static let longestEnding = 8

  /// The bytes of a name with a NUL at their end, for calls to the kernel.
  static func forKernel(_ text: String) -> [CChar] {
    bytes(text).map { CChar(bitPattern: $0) } + [0]
  }

  /// How many bytes a character takes by its first one (RFC 3629, section 4); 0 where none begins so.
  private static func length(after first: UInt8) -> Int {
    switch first {
    case 0...0x7F: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }
}
