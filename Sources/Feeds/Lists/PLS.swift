/// A PLS list: `File1=`, `Title1=`, `Length1=` and so on, in any order; or an Internet shortcut of Windows
/// (`.url`), whose only entry is `URL=`.
struct PLS {
  /// In the order of their numbers.
  let entries: [ListEntry]

  /// Reads UTF-8 with any kind of line ends.
  init(_ bytes: [UInt8]) {
    var found: [Int: ListEntry] = [:]
    for raw in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let line = String(decoding: raw, as: UTF8.self)
      guard let equals = line.firstIndex(of: "=") else { continue }
      let key = String(line[..<equals]).trimmingSpace.lowercased()
      let name = key.prefix { !$0.isNumber }
      let digits = key.dropFirst(name.count)
      guard let number = Int(name == "url" && digits.isEmpty ? "1" : digits),
        found.count <= Limit.items
      else { continue }
      let value = String(line[line.index(after: equals)...]).trimmingSpace
      var entry = found[number] ?? ListEntry(address: "")
      switch name {
      case "file", "url": entry.address = value
      case "title": entry.title = value.cut(to: Limit.textBytes)
      case "length":
        // -1 stands for an endless stream.
        if let seconds = Double(value), seconds > 0 { entry.durationS = seconds }
      default: continue
      }
      found[number] = entry
    }
    entries = found.sorted { $0.key < $1.key }.map(\.value).filter { !$0.address.isEmpty }
  }
}
