import System

/// What a server has at an address, as far as conditions and ranges need it.
struct Representation: Equatable {
  var length: UInt64
  /// A strong entity tag with its quotes.
  var entityTag: String
  /// In whole seconds since 1970; nil where there is no date.
  var lastModified: Int64?
}

/// What a request gets of a representation.
enum Portion: Equatable {
  case whole
  /// Status 206.
  case part(Range<UInt64>)
  /// Status 304.
  case notModified
  /// Status 412.
  case preconditionFailed
  /// Status 416.
  case unsatisfiable
}

/// The header fields that decide which portion is sent (RFC 9110, sections 13 and 14).
struct Conditions: Equatable {
  var ifMatch: String?
  var ifNoneMatch: String?
  var ifModifiedSince: String?
  var ifUnmodifiedSince: String?
  var ifRange: String?
  var range: String?

  /// Decides in the order of section 13.2.2.
  ///
  /// - Parameter now: seconds since 1970; a modification date of the last second is no strong
  ///   validator.
  func portion(of representation: Representation, now: Int64) -> Portion {
    if let ifMatch {
      if !EntityTags(ifMatch).match(representation.entityTag, weakly: false) {
        return .preconditionFailed
      }
    } else if let date = ifUnmodifiedSince.flatMap(HTTPDate.seconds),
      let modified = representation.lastModified, modified > date
    {
      return .preconditionFailed
    }
    if let ifNoneMatch {
      if EntityTags(ifNoneMatch).match(representation.entityTag, weakly: true) {
        return .notModified
      }
    } else if let date = ifModifiedSince.flatMap(HTTPDate.seconds),
      let modified = representation.lastModified, modified <= date
    {
      return .notModified
    }
    guard let range, isStillTheSame(representation, now: now) else { return .whole }
    return Conditions.portion(range, length: representation.length)
  }

  private func isStillTheSame(_ representation: Representation, now: Int64) -> Bool {
    guard let ifRange else { return true }
    if ifRange.hasSuffix("\"") { return ifRange == representation.entityTag }
    guard let date = HTTPDate.seconds(ifRange), let modified = representation.lastModified else {
      return false
    }
    // Section 8.8.2.2: it may have changed twice within the same second.
    return date == modified && modified < now - 1
  }

  /// Reads one range: `bytes=first-last`, `first-` or `-count`. For other units and several ranges
  /// the whole is sent, as section 14.2 allows.
  private static func portion(_ field: String, length: UInt64) -> Portion {
    guard let equals = field.firstIndex(of: "="), field[..<equals].lowercased() == "bytes" else {
      return .whole
    }
    let text = field[field.index(after: equals)...]
    guard !text.isEmpty, !text.contains(",") else { return .whole }
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(trimmed)
    guard ends.count == 2 else { return .unsatisfiable }
    if ends[0].isEmpty {
      guard let count = number(ends[1]) else { return .unsatisfiable }
      // The whole of an empty file satisfies any count.
      if length == 0 { return .whole }
      guard count > 0 else { return .unsatisfiable }
      return .part(length - min(count, length)..<length)
    }
    guard let first = number(ends[0]) else { return .unsatisfiable }
    var end = length
    if !ends[1].isEmpty {
      guard let last = number(ends[1]), first <= last else { return .unsatisfiable }
      end = last < length ? last + 1 : length
    }
    // An empty file has no first byte, but the whole of it can be sent.
    if first == 0, length == 0 { return .whole }
    return first < end ? .part(first..<end) : .unsatisfiable
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let spaces = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
    return start.dropLast(spaces)
  }

  /// Reads a number of nothing but digits; one that is too large counts as the largest.
  private static func number(_ text: Substring) -> UInt64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(text) ?? UInt64.max
  }
}

/// A list of entity tags, or `*` (RFC 9110, section 13.1.1).
struct EntityTags {
  private let isAny: Bool
  private var tags: [(isWeak: Bool, tag: Substring)] = []

  init(_ field: String) {
    var rest = field.drop { $0 == " " }
    isAny = rest.first == "*"
    while !rest.isEmpty {
      rest = rest.drop { $0 == " " || $0 == "," || $0 == "\t" }
      let isWeak = rest.hasPrefix("W/")
      let quoted = isWeak ? rest.dropFirst(2) : rest
      guard quoted.first == "\"", let end = quoted.dropFirst().firstIndex(of: "\"") else { return }
      tags.append((isWeak, quoted[...end]))
      rest = quoted[quoted.index(after: end)...]
    }
  }

  /// Whether the list holds a strong tag; a weak one matches only if `weakly` is set.
  func match(_ strong: String, weakly: Bool) -> Bool {
    isAny || tags.contains { (weakly || !$0.isWeak) && $0.tag == strong }
  }
}
