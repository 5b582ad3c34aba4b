/// How `FeedReader` reads from the web. Calls block until the answer is there.
public protocol WebAccess {
  /// The first bytes at an address: fewer than `count` only where there are no more.
  func head(of url: String, count: Int) throws(WebFailure) -> WebBytes
  /// All bytes at an address; more than `most` are refused.
  func whole(of url: String, most: Int) throws(WebFailure) -> WebBytes
  /// The address that a short form stands for, such as the name of a service followed by a file's
  /// path; nil where the text is no short form.
  func address(short source: String) throws(WebFailure) -> String?
  /// Whether an address is known to be a folder that its server can list.
  func isFolder(_ url: String) -> Bool
  /// Begins another source: the limit on waiting for one source counts from here.
  func beginSource()
  /// Asks servers to list folders (RFC 4918); gives their answers in the order of the addresses.
  ///
  /// - Parameter folder: the folder that names them, if one does and was listed before: networks
  ///   that it may reach they may reach too.
  func listings(of urls: [String], namedBy folder: String?) -> [Result<WebBytes, WebFailure>]
}

extension WebAccess {
  public func beginSource() {}
}

/// What a server answered, now or when it was last asked.
public struct WebBytes: Equatable, Sendable {
  public var bytes: [UInt8]
  /// The address that answered last, after all redirects: relative addresses in the bytes start
  /// there (RFC 3986, section 5.1.3). What may be reached is decided by the address that was asked
  /// for.
  public var address: String
  /// The encoding of a text according to the charset parameter of its Content-Type (RFC 9110,
  /// section 8.3.2), as it was sent; nil where there is none. It may be wrong, or not name an
  /// encoding at all.
  public var charset: String?

  public init(_ bytes: [UInt8], address: String, charset: String? = nil) {
    self.bytes = bytes
    self.address = address
    self.charset = charset
  }
}

/// Why an address gave nothing, in words.
public struct WebFailure: Error, Equatable, Sendable {
  public let reason: String

  public init(_ reason: String) { self.reason = reason }
}
