import Glibc
import System

/// The secret that clients must send (RFC 6750, section 2.1).
struct AccessToken: Sendable {
  private let bytes: [UInt8]

  /// A token as it is written in a header field: visible ASCII characters. Nil for anything else.
  init?(_ text: String) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    bytes = Array(text.utf8)
  }

  /// Reads the first line of a file that only its owner may read or write.
  static func read(_ path: String) throws(ServerError) -> AccessToken {
    let status: FileStatus
    let text: [UInt8]
    do throws(SystemError) {
      let file = try Descriptor.open(reading: path)
      status = try FileStatus(of: file)
      text = status.kind == .regular ? try file.read(at: 0, count: 4096) : []
    } catch {
      throw .token(path: path, reason: error.inWords)
    }
    guard status.kind == .regular else { throw .token(path: path, reason: "not a regular file") }
    guard status.permissions & 0o077 == 0 else {
      throw .token(path: path, reason: "others may read it; do: chmod 600 \(path)")
    }
    guard status.owner == geteuid() || status.owner == 0 else {
      throw .token(path: path, reason: "it belongs to somebody else")
    }
    let line = String(decoding: text, as: UTF8.self).prefix { !$0.isNewline }
    let words = line.split(separator: " ")
    guard words.count == 1, let token = AccessToken(String(words[0])) else {
      throw .token(
        path: path, reason: "its first line must be one word of visible ASCII characters")
    }
    return token
  }

  /// Whether an Authorization field contains the token. Takes the same time for every wrong token
  /// of the same length.
  func isShown(in field: String?) -> Bool {
    guard let field, field.utf8.count > 7, field.prefix(7).lowercased() == "bearer " else {
      return false
    }
    let shown = Array(field.dropFirst(7).utf8.drop { $0 == 0x20 })
    var difference = UInt(bitPattern: shown.count ^ bytes.count)
    for index in shown.indices {
      difference |= UInt(shown[index] ^ bytes[index % bytes.count])
    }
    return difference == 0
  }
}
