import JSONText

/// Finds one string in a small JSON object, such as a service's answer.
enum JSONMember {
  /// The string in a member of the outermost object; nil if there is no such member, or if the text
  /// is no JSON as far as it was read.
  static func string(_ name: String, in text: [UInt8]) -> String? {
    var reader = JSONReader(text)
    do throws(JSONReader.Failure) {
      guard try reader.peek() == .object else { return nil }
      try reader.enter()
      while let key = try reader.nextKey() {
        guard key == name else {
          try reader.skip()
          continue
        }
        return try reader.peek() == .string ? try reader.string() : nil
      }
    } catch {
      return nil
    }
    return nil
  }
}
