/// Names of files as text. To the kernel a name is bytes, mostly but not always UTF-8. Here it is
/// an ordinary `String`, in which each byte that is not valid UTF-8 becomes a private character,
/// U+10FE80 to U+10FEFF. So the bytes are kept, and two names are equal exactly if their bytes are.
/// Code that opens a file turns them back; code that shows a name shows U+FFFD.
public enum FileName {
  private static let marks: ClosedRange<UInt32> = 0x10FE80...0x10FEFF
  /// The first byte of all marks in UTF-8, and of few other characters.
  private static let firstOfMarks: UInt8 = 0xF4

  /// The text of a name's bytes. If a name itself contains one of the private characters, their
  /// bytes are marked too, so that each name has its own text.
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

  /// The text for display and output, with U+FFFD for bytes that are not UTF-8.
  public static func shown(_ text: String) -> String {
    guard text.utf8.contains(firstOfMarks) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { marks.contains($0.value) ? "\u{FFFD}" : $0 }))
  }

  /// The extension of a path's last part, in lower case; empty where there is none, or it is too
  /// long for a file type.
  public static func fileExtension(of path: String) -> String {
    let end = Array(path.utf8.suffix(longestExtension + 1))
    guard let dot = end.lastIndex(of: UInt8(ascii: ".")),
      !end[dot...].contains(UInt8(ascii: "/"))
    else { return "" }
    return String(decoding: end[(dot + 1)...], as: UTF8.self).lowercased()
  }

  private static let longestExtension = 8

  /// The bytes of a name with a final NUL, for calls to the kernel.
  static func forKernel(_ text: String) -> [CChar] {
    bytes(text).map { CChar(bitPattern: $0) } + [0]
  }

  /// How many bytes the character takes that begins with this one (RFC 3629, section 4); 0 where
  /// none does.
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
