/// The order in which people number files: `clip2` before `clip10`, and case ignored.
package enum NaturalOrder {
  /// The sort key of a name: names sorted by it are in natural order.
  ///
  /// In the key, a run of digits becomes its length without leading zeros and then the digits, so
  /// that comparing bytes compares the numbers.
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
    // Digits sort before letters; a run of more than 200 digits counts as 200 long.
    key.append(UInt8(ascii: "0"))
    key.append(UInt8(min(200, digits.count)))
    key.append(contentsOf: digits)
    run.removeAll(keepingCapacity: true)
  }
}
