import Glibc

/// Where a server listens, as a user writes it: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
public struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
  public var host: String
  /// 0 lets the kernel choose.
  public var port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Nil unless the text has both a host and a port.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...]),
      text[text.index(after: colon)...].allSatisfy(\.isNumber)
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, !host.utf8.contains(0) else { return nil }
    self.init(host: String(host), port: port)
  }

  /// As in a URL.
  public var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// A TCP socket that accepts connections.
public struct ListeningSocket: ~Copyable {
  public let descriptor: Descriptor
  /// The numeric address with the port that was actually bound.
  public let address: ListenAddress
  /// Whether only this machine can reach it.
  public let isLoopback: Bool

  /// Binds and listens. A host name is looked up.
  public init(_ wanted: ListenAddress) throws(SystemError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(wanted.host, String(wanted.port), &hints, &list)
    // The list belongs to getaddrinfo and is freed here; no pointer into it is kept.
    defer { if let list { freeaddrinfo(list) } }
    guard code == 0, let first = list?.pointee, let name = first.ai_addr else {
      throw SystemError(step: "find", subject: wanted.host, code: EADDRNOTAVAIL)
    }
    let number = socket(
      first.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw SystemError(step: "make a socket", code: errno) }
    let descriptor = Descriptor(adopting: number)
    var yes: Int32 = 1
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(number, name, first.ai_addrlen) == 0, listen(number, 1024) == 0 else {
      throw SystemError(step: "listen on", subject: wanted.description, code: errno)
    }
    self.descriptor = descriptor
    address = ListeningSocket.ownAddress(of: number) ?? wanted
    isLoopback =
      address.host == "::1" || address.host.hasPrefix("127.")
      || address.host.hasPrefix("::ffff:127.")
  }

  /// Gives up ownership: the caller must close the number.
  public consuming func release() -> Int32 { descriptor.release() }

  private static func ownAddress(of number: Int32) -> ListenAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // The kernel writes at most `length` bytes, and the storage fits any address.
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        guard getsockname(number, name, &length) == 0 else { return nil }
        return ListenAddress(numeric: name, length: length)
      }
    }
  }
}

extension ListenAddress {
  /// The numeric host and port of a socket address; `name` must point to `length` valid bytes.
  public init?(numeric name: UnsafePointer<sockaddr>, length: socklen_t) {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let code = getnameinfo(
      name, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
      NI_NUMERICHOST | NI_NUMERICSERV)
    guard code == 0, let port = UInt16(ListenAddress.text(service)) else { return nil }
    self.init(host: ListenAddress.text(host), port: port)
  }

  private static func text(_ bytes: [CChar]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// This machine.
public enum Machine {
  /// The machine's name; nil where it has none.
  public static var name: String? {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return nil }
    let text = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}
