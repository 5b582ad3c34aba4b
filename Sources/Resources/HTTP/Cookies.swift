import System

/// The cookies that servers set during one fetch (RFC 6265): some send nothing unless a redirect
/// brings back their cookie. Each cookie is sent only to the host that has set it, whatever it
/// says, and ends with the fetch.
struct Cookies: Equatable {
  private struct Cookie: Equatable {
    let name: String
    let value: String
    let host: String
    let path: String
    let isSecureOnly: Bool
  }

  /// More cookies are not kept, and long ones neither.
  private static let most = 50
  private static let mostBytes = 4096

  private var cookies: [Cookie] = []

  var isEmpty: Bool { cookies.isEmpty }

  /// Takes the cookies that an answer from an address sets.
  mutating func take(_ head: ResponseHead, from address: WebAddress, now: Int64) {
    for field in head.fields where field.name == "set-cookie" {
      take(field.value, from: address, now: now)
    }
  }

  /// Section 5.3.
  private mutating func take(_ field: String, from address: WebAddress, now: Int64) {
    guard field.utf8.count <= Cookies.mostBytes, !field.unicodeScalars.contains(where: isControl)
    else { return }
    let parts = field.split(separator: ";", omittingEmptySubsequences: false)
    let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = pair[0].trimmingSpaces
    guard pair.count == 2, !name.isEmpty else { return }
    var path = Cookies.folder(of: address)
    var isSecureOnly = false
    var isOver: Bool?
    for part in parts.dropFirst() {
      let attribute = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = attribute.count > 1 ? attribute[1].trimmingSpaces : ""
      switch attribute[0].trimmingSpaces.lowercased() {
      case "domain" where !Cookies.domain(value, covers: address.host): return
      case "path": path = value.hasPrefix("/") ? String(value) : Cookies.folder(of: address)
      case "secure": isSecureOnly = true
      case "max-age": isOver = Int64(value).map { $0 <= 0 } ?? isOver
      // The age takes precedence over the date, in any order.
      case "expires" where isOver == nil:
        isOver = HTTPDate.secondsLeniently(String(value)).map { $0 <= now }
      default: break
      }
    }
    cookies.removeAll { $0.name == name && $0.host == address.host && $0.path == path }
    guard isOver != true, cookies.count < Cookies.most else { return }
    cookies.append(
      Cookie(
        name: String(name), value: String(pair[1].trimmingSpaces), host: address.host, path: path,
        isSecureOnly: isSecureOnly))
  }

  /// The cookies for a request to an address (section 5.4); nil for none.
  func value(for address: WebAddress) -> String? {
    let fitting = cookies.filter { cookie in
      cookie.host == address.host && (address.scheme == "https" || !cookie.isSecureOnly)
        && Cookies.path(cookie.path, covers: address.path)
    }
    // Longer paths come first, then the order of arrival.
    let ordered = fitting.enumerated().sorted {
      ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
    }
    return ordered.isEmpty
      ? nil : ordered.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
  }

  /// The fields of a request with the cookies for its address: all in one field (section 5.4).
  func added(to fields: [String], for address: WebAddress) -> [String] {
    guard let value = value(for: address) else { return fields }
    var fields = fields
    if let index = fields.firstIndex(where: { $0.lowercased().hasPrefix("cookie:") }) {
      fields[index] += "; " + value
    } else {
      fields.append("Cookie: " + value)
    }
    return fields
  }

  private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    (scalar.value < 0x20 && scalar != "\t") || scalar.value == 0x7F
  }

  /// The path of a cookie that gives none (section 5.1.4).
  private static func folder(of address: WebAddress) -> String {
    let folder = address.path[..<(address.path.lastIndex(of: "/") ?? address.path.startIndex)]
    return folder.isEmpty ? "/" : String(folder)
  }

  /// Whether a host is in a domain; a domain without a name covers any host (section 5.2.3).
  private static func domain(_ domain: Substring, covers host: String) -> Bool {
    let domain = domain.lowercased().drop { $0 == "." }
    return domain.isEmpty || host == domain || host.hasSuffix("." + domain)
  }

  /// Section 5.1.4.
  private static func path(_ path: String, covers target: String) -> Bool {
    guard target.hasPrefix(path) else { return false }
    return path.hasSuffix("/") || target.utf8.count == path.utf8.count
      || target.dropFirst(path.count).hasPrefix("/")
  }
}
