/// How `FeedReader` looks at what lies on the web. Calls wait for their answer.
public protocol WebAccess {
  /// The first bytes of what an address holds: fewer than `count` only where there are no more.
  func head(of url: String, count: Int) throws(WebFailure) -> WebBytes
  /// All that an address holds; more than `most` bytes are refused.
  func whole(of url: String, most: Int) throws(WebFailure) -> WebBytes
  /// The address that a short form stands for, such as a service's own name and a file's path; nil
  /// for what is none.
  func address(short source: String) throws(WebFailure) -> String?
  /// Whether an address is known to be a folder that lists itself.
  func isFolder(_ url: String) -> Bool
  /// Begins with another source: what is waited for it in all is counted from here.
  func beginSource()
  /// What servers answer when folders are asked to list themselves (RFC 4918), in the order of the
  /// addresses.
  ///
  /// - Parameter folder: the folder that names them, where one does and was listed before: what it may
  ///   reach they may reach.
  func listings(of urls: [String], namedBy folder: String?) -> [Result<WebBytes, WebFailure>]
}

extension WebAccess {
  public func beginSource() {}
}

/// What a server answered, now or when it was asked last.
public struct WebBytes: Equatable, Sendable {
  public var bytes: [UInt8]
  /// The address that answered last, after all redirects: what the bytes name is relative to it
  /// (RFC 3986, section 5.1.3). What may be reached is decided by the address that was asked.
  public var address: String
  /// The encoding of a text by the charset parameter of its Content-Type (RFC 9110, section 8.3.2), as
  /// it was sent; nil where there is none. It may be wrong, or no encoding at all.
  public var charset: String?

  public init(_ bytes: [UInt8], address: String, charset: String? = nil) {
    self.bytes = bytes
    self.address = address
    self.charset = charset
  }
}

/// Why nothing can be had from an address, in words.
public struct WebFailure: Error, Equatable, Sendable {
  public let reason: String

  public init(_ reason: String) { self.reason = reason }
}
