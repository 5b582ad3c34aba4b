/// How `FeedReader` looks at what lies on the web. Calls wait for their answer.
public protocol WebAccess {
  /// The first bytes of what an address holds: fewer than `count` only where there are no more.
  func head(of url: String, count: Int) throws(WebFailure) -> [UInt8]
  /// All that an address holds; more than `most` bytes are refused.
  func whole(of url: String, most: Int) throws(WebFailure) -> [UInt8]
  /// The address that a short form stands for, such as a service's own name and a file's path; nil
  /// for what is none.
  func address(short source: String) throws(WebFailure) -> String?
  /// Whether an address is known to be a folder that lists itself.
  func isFolder(_ url: String) -> Bool
  /// What servers answer when folders are asked to list themselves (RFC 4918), in the order of the
  /// addresses.
  func listings(of urls: [String]) -> [Result<[UInt8], WebFailure>]
}

/// Why nothing can be had from an address, in words.
public struct WebFailure: Error, Equatable, Sendable {
  public let reason: String

  public init(_ reason: String) { self.reason = reason }
}
