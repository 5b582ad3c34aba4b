/// What a request names, taken apart before any of it meets the file system.
enum RequestTarget: Equatable {
  /// The decoded parts of a path: none for `/`. No part is empty, begins with a dot or holds a `/`
  /// or a NUL, so that joined by `/` they lead down and never up.
  case path([String])
  /// Nothing that can be offered is called so.
  case unfit
  /// Not what RFC 9112, section 3.2 allows, or with a broken `%`.
  case malformed

  /// Judges the target as it stands in the request line. The query does not count.
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
      guard let bytes = RequestTarget.decoded(raw) else {
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

  /// A proxy's form, `http://host/path`, without what stands before the path.
  private static func withoutAuthority(_ target: String) -> Substring {
    guard target.lowercased().hasPrefix("http://") else { return target[...] }
    let rest = target.dropFirst(7)
    guard let slash = rest.firstIndex(of: "/") else { return "/" }
    return rest[slash...]
  }

  /// What a target in a proxy's form names as its host; nil in another form.
  static func authority(of target: String) -> Substring? {
    guard target.lowercased().hasPrefix("http://") else { return nil }
    return target.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
  }

  /// One `%XX` after another, once; nil where a `%` is broken.
  private static func decoded(_ raw: Substring.UTF8View.SubSequence) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = raw
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hex), let low = rest.popFirst().flatMap(hex) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
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
    var text = ""
    text.reserveCapacity(path.utf8.count)
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let hex = String(byte, radix: 16, uppercase: true)
        text += hex.utf8.count == 1 ? "%0" + hex : "%" + hex
      }
    }
    return text
  }
}
