/// A rectangle of cells, row by row.
public struct CellGrid: Equatable, Sendable {
  public let columns: Int
  public let rows: Int
  /// Row-major; always `columns * rows` cells.
  var cells: [Cell]

  public init(columns: Int, rows: Int, filledWith cell: Cell = .blank) {
    precondition(columns >= 0 && rows >= 0)
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: cell, count: columns * rows)
  }

  public subscript(row: Int, column: Int) -> Cell {
    get {
      precondition(column >= 0 && column < columns)
      return cells[row * columns + column]
    }
    set {
      precondition(column >= 0 && column < columns)
      cells[row * columns + column] = newValue
    }
  }

  /// Takes over all of another grid, and keeps its own memory where both have the same size.
  public mutating func copy(_ other: CellGrid) {
    guard columns == other.columns, rows == other.rows else {
      self = CellGrid(columns: other.columns, rows: other.rows)
      return copy(other)
    }
    let source = other.cells.span
    var target = cells.mutableSpan
    for index in source.indices { target[index] = source[index] }
  }

  /// Fills every cell, keeping the memory.
  public mutating func fill(with cell: Cell) {
    var span = cells.mutableSpan
    for index in span.indices { span[index] = cell }
  }
}
