import System

/// A login by a hash of the password, which itself is never sent (RFC 7616). libcurl answers the
/// first such challenge that it meets, and asks again for each request; this answers the strongest
/// one, and uses it as long as the server accepts it.
struct Digest: Equatable, Sendable {
  /// The strongest first.
  enum Algorithm: String, CaseIterable, Sendable {
    case sha256 = "sha-256"
    case sha256Session = "sha-256-sess"
    case md5 = "md5"
    case md5Session = "md5-sess"

    fileprivate var isOfSession: Bool { self == .sha256Session || self == .md5Session }

    /// In hexadecimal.
    fileprivate func hash(_ text: String) -> String {
      switch self {
      case .sha256, .sha256Session: SHA256.hex(of: Array(text.utf8))
      case .md5, .md5Session: MD5.hex(of: Array(text.utf8))
      }
    }
  }

  let algorithm: Algorithm
  let realm: String
  let nonce: String
  private let opaque: String?
  /// The algorithm as the server writes it; nil if it gives none.
  private let writtenAlgorithm: String?
  /// Whether requests are counted; else RFC 2069 holds.
  private let counts: Bool
  private let hashesUser: Bool
  /// Whether the login may be right, but its nonce is too old.
  let isStale: Bool

  /// Nil for a challenge of another scheme, or one that cannot be answered.
  init?(_ challenge: Challenge) {
    let written = challenge["algorithm"]
    guard challenge.isOf("Digest"), let nonce = challenge["nonce"],
      let algorithm = Algorithm(rawValue: (written ?? "MD5").lowercased())
    else { return nil }
    let offered = challenge["qop"]?.lowercased().split { ", \t".contains($0) }
    // No server of files asks for a hash of the body.
    guard offered?.contains("auth") ?? !algorithm.isOfSession else { return nil }
    // It is sent back in a field, which may hold no controls.
    let quoted = [nonce, challenge["realm"] ?? "", challenge["opaque"] ?? ""]
    guard quoted.allSatisfy(\.isFieldText) else { return nil }
    self.algorithm = algorithm
    self.nonce = nonce
    writtenAlgorithm = written
    counts = offered != nil
    realm = challenge["realm"] ?? ""
    opaque = challenge["opaque"]
    hashesUser = challenge["userhash"]?.lowercased() == "true"
    isStale = challenge["stale"]?.lowercased() == "true"
  }

  /// The value of `Authorization` for a request (section 3.4).
  ///
  /// - Parameters:
  ///   - target: path and query, as they are sent.
  ///   - count: the number of the request with this nonce, from 1.
  ///   - ownNonce: random letters and digits.
  func answer(
    user: String, password: String, method: String, target: String, count: UInt32, ownNonce: String
  ) -> String {
    let number = count.padded(8, radix: 16)
    var secret = algorithm.hash("\(user):\(realm):\(password)")
    if algorithm.isOfSession { secret = algorithm.hash("\(secret):\(nonce):\(ownNonce)") }
    let request = algorithm.hash("\(method):\(target)")
    let middle = counts ? "\(nonce):\(number):\(ownNonce):auth" : nonce
    let name = hashesUser ? algorithm.hash("\(user):\(realm)") : user
    var parts = [
      "username=\(Digest.quoted(name))", "realm=\(Digest.quoted(realm))",
      "nonce=\(Digest.quoted(nonce))", "uri=\(Digest.quoted(target))",
      "response=\"\(algorithm.hash("\(secret):\(middle):\(request)"))\"",
    ]
    if let writtenAlgorithm { parts.append("algorithm=\(writtenAlgorithm)") }
    if let opaque { parts.append("opaque=\(Digest.quoted(opaque))") }
    if counts { parts += ["qop=auth", "nc=\(number)", "cnonce=\"\(ownNonce)\""] }
    if hashesUser { parts.append("userhash=true") }
    return "Digest " + parts.joined(separator: ", ")
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// Random letters and digits.
  static func newNonce() -> String {
    String(UInt64.random(in: .min ... .max), radix: 36)
      + String(UInt64.random(in: .min ... .max), radix: 36)
  }
}
