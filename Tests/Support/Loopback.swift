import Glibc

/// A port on which no program listens at this moment.
public func freePort() throws -> UInt16 {
  let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(number) }
  var address = loopback(port: 0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let code = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
      bind(number, raw, length) == 0 ? getsockname(number, raw, &length) : -1
    }
  }
  guard code == 0 else { throw SupportError("no port is free") }
  return UInt16(bigEndian: address.sin_port)
}

/// Whether a program listens on a port.
func answers(_ port: UInt16) -> Bool {
  guard let number = connect(to: port) else { return false }
  close(number)
  return true
}

/// A connection to a port; nil where no program listens.
///
/// - Parameter waiting: the approximate size of its receive buffer in bytes; nil for the system's
///   default.
func connect(to port: UInt16, waiting: Int32? = nil) -> Int32? {
  let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  if var waiting { setsockopt(number, SOL_SOCKET, SO_RCVBUF, &waiting, 4) }
  var address = loopback(port: port)
  let code = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  if code == 0 { return number }
  close(number)
  return nil
}

/// A socket that listens on a port.
func listen(on port: UInt16) throws -> Int32 {
  let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var address = loopback(port: port)
  let code = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard code == 0, Glibc.listen(number, 64) == 0 else {
    close(number)
    throw SupportError("cannot listen on port \(port)")
  }
  return number
}

/// The address of a port of this machine.
public func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  return address
}
