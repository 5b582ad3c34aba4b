import Addresses

/// The target of a request, parsed before it is used in the file system.
enum RequestTarget: Equatable {
  /// The decoded parts of a path: none for `/`. No part is empty, begins with a dot or holds a `/`
  /// or a NUL, so that a path of them can only lead down.
  case path([String])
  /// A name that nothing on offer can have.
  case unfit
  /// Not allowed by RFC 9112, section 3.2, or with a broken `%`.
  case malformed

  /// Parses a target as it is in the request line. The query is ignored.
  init(_ target: String) {
    let path = RequestTarget.withoutAuthority(target).utf8.prefix {
      $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
    }
    guard path.first == UInt8(ascii: "/") else {
      self = .malformed
      return
    }
    if path.count == 1 {
      self = .path([])
      return
    }
    var parts: [String] = []
    for raw in path.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let bytes = PercentCoding.decoded(raw) else {
        self = .malformed
        return
      }
      guard RequestTarget.isFit(bytes), let part = String(validating: bytes, as: UTF8.self) else {
        self = .unfit
        return
      }
      parts.append(part)
    }
    self = .path(parts)
  }

  /// The path of a target in proxy form, `http://host/path`; any other target as it is.
  private static func withoutAuthority(_ target: String) -> Substring {
    guard target.lowercased().hasPrefix("http://") else { return target[...] }
    let rest = target.dropFirst(7)
    guard let slash = rest.firstIndex(of: "/") else { return "/" }
    return rest[slash...]
  }

  /// The host in a target in proxy form; nil in another form.
  static func authority(of target: String) -> Substring? {
    guard target.lowercased().hasPrefix("http://") else { return nil }
    return target.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
  }

  private static func isFit(_ name: [UInt8]) -> Bool {
    !name.isEmpty && name[0] != UInt8(ascii: ".") && name.count <= 255
      && !name.contains(0) && !name.contains(UInt8(ascii: "/"))
  }
}

/// Relative references that name files in a feed.
enum RelativeURL {
  /// A relative path as a reference (RFC 3986, section 4.2): everything but unreserved characters
  /// is percent-encoded, so that no name can be taken for a scheme, a query or a host.
  static func encoded(_ path: String) -> String {
    PercentCoding.encoded(path.utf8) {
      PercentCoding.isUnreserved($0) || $0 == UInt8(ascii: "/")
    }
  }
}
