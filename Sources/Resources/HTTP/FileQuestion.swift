import Addresses
import JSONText

/// The request to a service for one of its files.
struct FileQuestion: Equatable {
  let address: WebAddress
  /// Fields of this request only.
  let fields: [String]
  let answer: SourceProfile.Answer

  /// Whether the answer says where the bytes are.
  var leadsOn: Bool { answer != .bytes }
}

extension SourceProfile {
  /// The service's name of the file of an address; nil if there is none.
  func file(of address: WebAddress) -> String? {
    let path = address.path
    switch naming {
    case .address: return address.url
    case .path: return address.isFolder ? nil : PercentCoding.decodedText(path)
    case .identifier:
      let parts = path.split(separator: "/")
      return (1...2).contains(parts.count) ? PercentCoding.decodedText(parts[0]) : nil
    }
  }

  /// The request for the file of an address; nil if the address itself is requested.
  func question(for address: WebAddress) -> FileQuestion? {
    guard let question, let file = file(of: address) else { return nil }
    let target = question.replacing("{file}", with: PercentCoding.encoded(file.utf8))
    guard let asked = WebAddress(target, relativeTo: address) else { return nil }
    let fields = fields.map { $0.replacing("{file}", with: JSONEscapes.inASCII(file)) }
    return FileQuestion(
      address: asked.withLogin(of: address), fields: fields, answer: answer)
  }

  /// The key of an address's bytes in the cache: the service, the account and the file, but never
  /// the link of today.
  ///
  /// - Parameter account: the account, if the address does not give it.
  func identity(of address: WebAddress, account: String?) -> String {
    guard naming != .address, let file = file(of: address) else {
      return address.identity(account: account)
    }
    return "\(name) \(address.user ?? account ?? "")@\(address.origin) \(file)"
  }

  /// The address that a short form such as `yandex:/Stories/beach.mp4` stands for, with its
  /// profile; nil for any other text.
  static func expanding(_ short: String) -> (address: WebAddress, profile: SourceProfile)? {
    guard let colon = short.firstIndex(of: ":"), let profile = named(String(short[..<colon])),
      let host = profile.host
    else { return nil }
    let file = short[short.index(after: colon)...].drop { $0 == "/" }
    guard let address = WebAddress("https://\(host)/\(file)"), profile.file(of: address) != nil
    else { return nil }
    return (address, profile)
  }
}
