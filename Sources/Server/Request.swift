import System

/// A request, as soon as its head has come.
struct Request {
  var method: String
  /// As it is in the request line.
  var target: String
  /// Header fields by their names in lower case; those of the same name are joined by ", ".
  var fields: [String: String] = [:]
  /// No further request is accepted on this connection: `Site` answers with `Connection: close`.
  var isLast = false

  /// Whether the request has a body (RFC 9112, section 6.3).
  var hasBody: Bool {
    if fields["transfer-encoding"] != nil { return true }
    guard let length = fields["content-length"] else { return false }
    return !length.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
  }
}

/// The answer to a request.
struct Answer: ~Copyable {
  enum Body: ~Copyable {
    case none
    case bytes(SharedBytes, Range<Int>)
    /// A part of a regular file.
    case file(Descriptor, offset: UInt64, count: UInt64)
  }

  var status: Int
  var fields: [(name: String, value: String)] = []
  var body = Body.none
}

/// One line of an access log.
struct Access: Sendable {
  var client: String
  /// Seconds since 1970.
  var time: Int64
  /// Empty where no readable head came.
  var method: String
  var target: String
  var version: String
  /// Nil where the library refused the request by itself.
  var status: Int?
  /// Bytes of the body; nil where there is none, or the client left before its end.
  var bytes: UInt64?
}
