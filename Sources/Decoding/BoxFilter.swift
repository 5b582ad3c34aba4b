/// Which samples of one axis each cell of a smaller grid covers, and by how much.
package struct BoxAxis: Equatable {
  /// One cell: whole samples, and parts of the two beside them.
  package struct Cell: Equatable {
    package var whole: Range<Int>
    /// Weight of the sample before and after the whole ones; a whole sample weighs `BoxAxis.unit`.
    package var before: UInt32
    package var after: UInt32
    package var weight: UInt32
  }

  package static let unit: UInt32 = 256
  package let cells: [Cell]
  /// The samples that any cell touches.
  package let span: Range<Int>

  /// Divides `length` samples from `start` on among `count` cells; both may be fractions of a sample.
  /// `available` is the number of samples of the axis.
  package init(start: Double, length: Double, count: Int, available: Int) {
    let step = length / Double(count)
    cells = (0..<count).map { index in
      let from = max(0, start + Double(index) * step)
      let to = min(Double(available), start + Double(index + 1) * step)
      let first = Int(from.rounded(.up))
      let last = max(first, Int(to.rounded(.down)))
      let unit = Double(Self.unit)
      let before = UInt32(max(0, ((Double(first) - from) * unit).rounded()))
      let after = UInt32(max(0, ((to - Double(last)) * unit).rounded()))
      return Cell(
        whole: first..<last, before: first > 0 ? before : 0,
        after: last < available ? after : 0,
        weight: Self.unit * UInt32(last - first) + (first > 0 ? before : 0)
          + (last < available ? after : 0))
    }
    let first = cells.first.map { $0.whole.lowerBound - ($0.before > 0 ? 1 : 0) } ?? 0
    let last = cells.last.map { $0.whole.upperBound + ($0.after > 0 ? 1 : 0) } ?? 0
    span = first..<max(first, last)
  }

  /// The largest number of whole samples in a cell.
  var widest: Int { cells.map(\.whole.count).max() ?? 0 }
}

/// Reduces a plane of samples to the means of the areas that the cells of a grid cover.
///
/// Rows are added up first, four at a time, then the columns of the sums: nearly all of the work is
/// a loop over rows that the compiler turns into vector instructions. Uses unsafe pointers, because
/// the planes are FFmpeg's and that loop must not check bounds.
package final class BoxFilter<Sample: BoxSample> {
  private var sums: [Sample.RowSum] = []
  private var weighted: [Sample.ColumnSum] = []

  package init() {}

  /// Cells larger than this would overflow the sums.
  package static var largestCell: Int { 128 }

  /// Writes the means of a plane, row by row; `plane` is the first sample of the whole plane.
  package func reduce(
    _ plane: UnsafePointer<Sample>, strideSamples: Int, across: BoxAxis, down: BoxAxis,
    into means: inout [Float]
  ) {
    let span = across.span
    if sums.count < span.upperBound {
      sums = [Sample.RowSum](repeating: 0, count: span.upperBound)
      weighted = [Sample.ColumnSum](repeating: 0, count: span.upperBound)
    }
    sums.withUnsafeMutableBufferPointer { sums in
      weighted.withUnsafeMutableBufferPointer { weighted in
        means.withUnsafeMutableBufferPointer { means in
          guard let sums = sums.baseAddress, let weighted = weighted.baseAddress,
            var out = means.baseAddress
          else { return }
          for cell in down.cells {
            addRows(plane, strideSamples, cell, span, sums, weighted)
            addColumns(weighted, across, scale: Float(cell.weight), out)
            out += across.cells.count
          }
        }
      }
    }
  }

  /// The weighted sum of a cell's rows, for every column.
  private func addRows(
    _ plane: UnsafePointer<Sample>, _ stride: Int, _ cell: BoxAxis.Cell, _ span: Range<Int>,
    _ sums: UnsafeMutablePointer<Sample.RowSum>,
    _ weighted: UnsafeMutablePointer<Sample.ColumnSum>
  ) {
    var row = plane + cell.whole.lowerBound * stride
    var left = cell.whole.count
    if left >= 4 {
      let (b, c, d) = (row + stride, row + 2 * stride, row + 3 * stride)
      for x in span {
        sums[x] =
          Sample.RowSum(truncatingIfNeeded: row[x]) &+ Sample.RowSum(truncatingIfNeeded: b[x])
          &+ Sample.RowSum(truncatingIfNeeded: c[x])
          &+ Sample.RowSum(truncatingIfNeeded: d[x])
      }
      row += 4 * stride
      left -= 4
    } else {
      for x in span { sums[x] = 0 }
    }
    while left >= 4 {
      let (b, c, d) = (row + stride, row + 2 * stride, row + 3 * stride)
      for x in span {
        sums[x] =
          sums[x] &+ Sample.RowSum(truncatingIfNeeded: row[x])
          &+ Sample.RowSum(truncatingIfNeeded: b[x]) &+ Sample.RowSum(truncatingIfNeeded: c[x])
          &+ Sample.RowSum(truncatingIfNeeded: d[x])
      }
      row += 4 * stride
      left -= 4
    }
    while left > 0 {
      for x in span { sums[x] = sums[x] &+ Sample.RowSum(truncatingIfNeeded: row[x]) }
      row += stride
      left -= 1
    }
    // A row without weight may lie outside of the plane, so another row is read instead.
    let within = plane + cell.whole.lowerBound * stride
    let before = cell.before > 0 ? within - stride : within
    let after = cell.after > 0 ? plane + cell.whole.upperBound * stride : before
    let (top, bottom) = (
      Sample.ColumnSum(truncatingIfNeeded: cell.before),
      Sample.ColumnSum(truncatingIfNeeded: cell.after)
    )
    for x in span {
      weighted[x] =
        Sample.ColumnSum(truncatingIfNeeded: sums[x]) &* 256 &+ top
        &* Sample.ColumnSum(truncatingIfNeeded: before[x])
        &+ bottom &* Sample.ColumnSum(truncatingIfNeeded: after[x])
    }
  }

  /// The mean of each cell of a row of sums.
  private func addColumns(
    _ weighted: UnsafeMutablePointer<Sample.ColumnSum>, _ across: BoxAxis, scale: Float,
    _ out: UnsafeMutablePointer<Float>
  ) {
    for (index, cell) in across.cells.enumerated() {
      var whole: Sample.ColumnSum = 0
      for x in cell.whole { whole = whole &+ weighted[x] }
      var sum = Float(whole) * Float(BoxAxis.unit)
      if cell.before > 0 { sum += Float(weighted[cell.whole.lowerBound - 1]) * Float(cell.before) }
      if cell.after > 0 { sum += Float(weighted[cell.whole.upperBound]) * Float(cell.after) }
      out[index] = sum / (scale * Float(cell.weight))
    }
  }
}

/// A sample, and numbers that hold sums of at most 128 x 128 of it.
package protocol BoxSample: FixedWidthInteger & UnsignedInteger {
  associatedtype RowSum: FixedWidthInteger & UnsignedInteger
  associatedtype ColumnSum: FixedWidthInteger & UnsignedInteger
}

extension UInt8: BoxSample {
  package typealias RowSum = UInt16
  package typealias ColumnSum = UInt32
}

extension UInt16: BoxSample {
  package typealias RowSum = UInt32
  package typealias ColumnSum = UInt64
}
