/// What a server requires before it gives access: one of the challenges of `WWW-Authenticate` (RFC
/// 9110, section 11.6.1).
struct Challenge: Equatable, Sendable {
  /// The name of the scheme as the server writes it; letters, digits and a few marks.
  var scheme: String
  /// The text in place of parameters; nil if there is none.
  var token68: String?
  /// Names in lower case; values without their quotes.
  var parameters: [(name: String, value: String)] = []

  /// More challenges, or parameters of one, are not read.
  private static let most = 32

  /// The value of a parameter; the first one if there are several.
  subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Whether it is of this scheme.
  func isOf(_ name: String) -> Bool { scheme.lowercased() == name.lowercased() }

  static func == (a: Challenge, b: Challenge) -> Bool {
    a.scheme == b.scheme && a.token68 == b.token68
      && a.parameters.elementsEqual(b.parameters) { $0 == $1 }
  }

  /// All challenges of a field; the commas between them are the same as those between parameters. A
  /// malformed part is skipped up to the next comma, because a scheme can only begin after one.
  static func all(in field: String) -> [Challenge] {
    var text = Scanner(rest: Array(field.utf8)[...])
    var found: [Challenge] = []
    text.skipCommas()
    while !text.isAtEnd, found.count < most {
      if let scheme = text.token() {
        var challenge = Challenge(scheme: scheme)
        text.takeDetails(of: &challenge, most: most)
        found.append(challenge)
      }
      text.skipToComma()
      text.skipCommas()
    }
    return found
  }

  /// The rest of a field that is being read.
  private struct Scanner {
    var rest: ArraySlice<UInt8>

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func skipSpaces() {
      rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    mutating func skipCommas() {
      let blanks = Set(" \t,".utf8)
      rest = rest.drop { blanks.contains($0) }
    }

    /// Goes to the next comma outside of quotes.
    mutating func skipToComma() {
      while let first = rest.first, first != UInt8(ascii: ",") {
        if first == UInt8(ascii: "\"") { _ = quoted() } else { rest = rest.dropFirst() }
      }
    }

    /// A token (section 5.6.2); nil where none begins here.
    mutating func token() -> String? { take { Scanner.isTokenByte($0) } }

    private mutating func take(_ belongs: (UInt8) -> Bool) -> String? {
      let taken = rest.prefix(while: belongs)
      rest = rest.dropFirst(taken.count)
      return taken.isEmpty ? nil : String(decoding: taken, as: UTF8.self)
    }

    /// A quoted string (section 5.6.4), or what there is of one without an end.
    private mutating func quoted() -> String {
      rest = rest.dropFirst()
      var bytes: [UInt8] = []
      while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
        guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
          bytes.append(byte)
          continue
        }
        bytes.append(next)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    mutating func takeDetails(of challenge: inout Challenge, most: Int) {
      let before = rest.count
      skipSpaces()
      guard rest.count < before else { return }
      challenge.token68 = token68()
      guard challenge.token68 == nil else { return }
      while challenge.parameters.count < most, let parameter = parameter() {
        challenge.parameters.append(parameter)
        let place = self
        skipCommas()
        // After a comma the next challenge may begin instead.
        if !beginsParameter { return self = place }
      }
    }

    /// `1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="`, and nothing else behind it.
    private mutating func token68() -> String? {
      let place = self
      let word = take { Scanner.isLetterOrDigit($0) || "-._~+/".utf8.contains($0) } ?? ""
      let padding = take { $0 == UInt8(ascii: "=") } ?? ""
      skipSpaces()
      if !word.isEmpty, isAtEnd || rest.first == UInt8(ascii: ",") { return word + padding }
      self = place
      return nil
    }

    private var beginsParameter: Bool {
      var copy = self
      guard copy.token() != nil else { return false }
      copy.skipSpaces()
      return copy.rest.first == UInt8(ascii: "=")
    }

    /// `name=value` or `name="value"`; nil where none begins here.
    private mutating func parameter() -> (name: String, value: String)? {
      guard beginsParameter, let name = token() else { return nil }
      skipSpaces()
      rest = rest.dropFirst()
      skipSpaces()
      if rest.first == UInt8(ascii: "\"") { return (name.lowercased(), quoted()) }
      let value = take { $0 != UInt8(ascii: ",") && $0 > UInt8(ascii: " ") }
      return (name.lowercased(), value ?? "")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
      isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

/// How a name and a password are sent to a server.
enum LoginScheme: Equatable, Sendable {
  /// In clear (RFC 7617).
  case basic
  /// By a hash (RFC 7616).
  case digest(Digest)

  /// The best scheme that a server offers. A password is sent in clear only if nothing better is
  /// offered, and clear is; nil if no scheme is known.
  static func best(of challenges: [Challenge]) -> LoginScheme? {
    let digests = challenges.compactMap(Digest.init)
    for algorithm in Digest.Algorithm.allCases {
      if let digest = digests.first(where: { $0.algorithm == algorithm }) { return .digest(digest) }
    }
    return challenges.contains { $0.isOf("Basic") } ? .basic : nil
  }

  /// The schemes for a message to the viewer: each one once, and only the first of very many.
  static func names(of challenges: [Challenge]) -> String {
    var names: [String] = []
    for challenge in challenges {
      let name = String(challenge.scheme.prefix(24))
      if names.count < 4, !names.contains(name) { names.append(name) }
    }
    guard let last = names.popLast() else { return "" }
    return names.isEmpty ? last : names.joined(separator: ", ") + " or " + last
  }
}
