/// The order in which people number files: `clip2` before `clip10`, capitals beside small letters.
package enum NaturalOrder {
  /// Names sorted by what this gives are in natural order.
  ///
  /// A run of digits becomes its length without leading zeros and then the digits, so that plain
  /// comparison of bytes compares their values.
  static func key(_ name: String) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(name.utf8.count + 8)
    var run: [UInt8] = []
    let folded = name.utf8.allSatisfy { $0 < 0x80 } ? name : name.lowercased()
    for byte in folded.utf8 {
      if byte &- UInt8(ascii: "0") < 10 {
        run.append(byte)
        continue
      }
      append(&run, to: &key)
      let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      key.append(isCapital ? byte | 0x20 : byte)
    }
    append(&run, to: &key)
    return key
  }

  package static func sorted(_ names: [String]) -> [String] {
    names.map { (key: key($0), name: $0) }
      .sorted {
        if $0.key != $1.key { return $0.key.lexicographicallyPrecedes($1.key) }
        return $0.name < $1.name
      }
      .map(\.name)
  }

  private static func append(_ run: inout [UInt8], to key: inout [UInt8]) {
    guard !run.isEmpty else { return }
    let digits = run.drop { $0 == UInt8(ascii: "0") }
    // Digits keep their place before letters; a run of 200 digits and more counts as 200.
    key.append(UInt8(ascii: "0"))
    key.append(UInt8(min(200, digits.count)))
    key.append(contentsOf: digits)
    run.removeAll(keepingCapacity: true)
  }
}
