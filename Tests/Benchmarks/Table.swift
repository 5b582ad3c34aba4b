/// Rows of words, printed under each other.
struct Table {
  private let title: String
  private var rows: [[String]]

  init(_ title: String, _ columns: [String]) {
    self.title = title
    rows = [columns]
  }

  init(_ title: String, _ columns: String...) { self.init(title, columns) }

  mutating func add(_ cells: [String]) { rows.append(cells) }
  mutating func add(_ cells: String...) { rows.append(cells) }

  /// Prints it as one piece, so that other tests' lines do not come between.
  func show() {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
    }
    var text = "\n\(title)\n"
    for row in rows {
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + space : space + cell
      }
      text += "  " + cells.joined(separator: "  ") + "\n"
    }
    say(text)
  }
}

/// A number with so many digits after the point; a dash for none.
func fixed(_ value: Double?, _ digits: Int) -> String {
  guard let value, value.isFinite else { return "-" }
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let scaled = Int((abs(value) * scale).rounded())
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard digits > 0 else { return "\(sign)\(scaled)" }
  let fraction = String(scaled % Int(scale))
  let zeros = String(repeating: "0", count: digits - fraction.count)
  return "\(sign)\(scaled / Int(scale)).\(zeros)\(fraction)"
}
