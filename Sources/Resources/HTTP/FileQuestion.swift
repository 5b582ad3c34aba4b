import JSONText

/// What is asked of a service for one of its files.
struct FileQuestion: Equatable {
  let address: WebAddress
  /// Fields that go with this question alone.
  let fields: [String]
  let answer: SourceProfile.Answer

  /// Whether the answer says where the bytes are.
  var leadsOn: Bool { answer != .bytes }
}

extension SourceProfile {
  /// What the service calls the file of an address; nil where it names none.
  func file(of address: WebAddress) -> String? {
    let path = address.path
    switch naming {
    case .address: return address.url
    case .path: return address.isFolder ? nil : path.percentDecoded
    case .identifier:
      let parts = path.split(separator: "/")
      return (1...2).contains(parts.count) ? String(parts[0]).percentDecoded : nil
    }
  }

  /// What to ask for the file of an address; nil where the address itself is asked.
  func question(for address: WebAddress) -> FileQuestion? {
    guard let question, let file = file(of: address) else { return nil }
    let target = question.replacing("{file}", with: file.percentEncoded)
    guard let asked = WebAddress(target, relativeTo: address) else { return nil }
    let fields = fields.map { $0.replacing("{file}", with: JSONEscapes.inASCII(file)) }
    return FileQuestion(
      address: asked.withLogin(of: address), fields: fields, answer: answer)
  }

  /// What the cache knows the bytes of an address by: the service, whose files they are, and the
  /// file, but never the link that leads to it today.
  ///
  /// - Parameter account: who asks, where the address does not say.
  func identity(of address: WebAddress, account: String?) -> String {
    guard naming != .address, let file = file(of: address) else {
      return address.identity(account: account)
    }
    return "\(name) \(address.user ?? account ?? "")@\(address.origin) \(file)"
  }

  /// The address that a short form such as `yandex:/Stories/beach.mp4` stands for, with its
  /// profile; nil for anything else.
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

extension String {
  /// All but the unreserved characters in percent form (RFC 3986, section 2.3).
  var percentEncoded: String {
    utf8.reduce(into: "") { text, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
