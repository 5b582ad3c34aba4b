/// Divides one axis of a plane among target pixels: which samples each of them covers, and by how
/// much.
package struct BoxAxis: Equatable {
  /// The part of the axis that a target pixel covers: complete samples, and parts of the two beside
  /// them. A box may lie within a single sample; if it is very narrow, its weight is 0.
  package struct Box: Equatable {
    package var complete: Range<Int>
    /// The weights of the samples before and after; a complete sample weighs `BoxAxis.unit`.
    package var weightBefore: UInt32
    package var weightAfter: UInt32
    package var totalWeight: UInt32

    /// The sample after the last that it touches.
    var end: Int { complete.upperBound + (weightAfter > 0 ? 1 : 0) }
  }

  package static let unit: UInt32 = 256
  package let boxes: [Box]
  /// The samples that any box touches.
  package let span: Range<Int>

  /// Divides `length` samples from `start` on among `count` target pixels; `length` and `start` may be
  /// fractional. `available` is the number of samples of the axis.
  package init(start: Double, length: Double, count: Int, available: Int) {
    let step = length / Double(count)
    boxes = (0..<count).map { index in
      // Both are within the axis, so a sample of any weight exists.
      let from = max(0, start + Double(index) * step)
      let to = min(Double(available), start + Double(index + 1) * step)
      let first = Int(from.rounded(.up))
      let end = max(first, Int(to.rounded(.down)))
      let unit = Double(Self.unit)
      let before = UInt32(max(0, ((Double(first) - from) * unit).rounded()))
      let after = UInt32(max(0, ((to - Double(end)) * unit).rounded()))
      return Box(
        complete: first..<end, weightBefore: before, weightAfter: after,
        totalWeight: Self.unit * UInt32(end - first) + before + after)
    }
    let first = boxes.first.map { $0.complete.lowerBound - ($0.weightBefore > 0 ? 1 : 0) } ?? 0
    let end = boxes.last?.end ?? 0
    span = first..<max(first, end)
  }

  /// The boxes from one on that lie within the first `samples` of the axis.
  package func boxes(from first: Int, within samples: Int) -> Range<Int> {
    var end = first
    while end < boxes.count, boxes[end].end <= samples { end += 1 }
    return first..<end
  }

  /// The largest number of complete samples in a box.
  var widest: Int { boxes.map(\.complete.count).max() ?? 0 }
}

/// Reduces a plane of samples to the means of the areas that target pixels cover.
///
/// Rows are added up first, four at a time, then the columns of the sums: nearly all of the work is
/// a loop over rows that the compiler turns into vector instructions. Uses unsafe pointers, because
/// the planes are FFmpeg's and that loop must not check bounds.
///
/// No box of an axis may be narrower than half a sample, or wider than `largestBox`: callers check that.
package final class BoxFilter<Sample: BoxSample> {
  /// The sums of complete rows: scratch memory.
  private var sums: [Sample.RowSum] = []
  private var weighted: [Sample.ColumnSum] = []

  package init() {}

  /// In complete samples of either direction; larger boxes would overflow the sums.
  package static var largestBox: Int { 128 }

  /// Writes the means of a plane, row by row, over `means`, which must have as many elements as there
  /// are pixels. `plane` is the first sample of the whole plane. Only rows of pixels whose numbers are
  /// in `boxes` are written, and only samples that they cover are read; nil means all.
  package func reduce(
    _ plane: UnsafePointer<Sample>, strideSamples: Int, across: BoxAxis, down: BoxAxis,
    boxes: Range<Int>? = nil, into means: inout [Float]
  ) {
    let boxes = boxes ?? down.boxes.indices
    precondition(means.count == across.boxes.count * down.boxes.count)
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
          out += boxes.lowerBound * across.boxes.count
          for box in down.boxes[boxes] {
            sumRows(of: box, in: plane, strideSamples, span, scratch: sums, into: weighted)
            writeMeans(of: weighted, across, rowWeight: Float(box.totalWeight), to: out)
            out += across.boxes.count
          }
        }
      }
    }
  }

  /// Writes the weighted sum of a box's rows, for every column.
  private func sumRows(
    of box: BoxAxis.Box, in plane: UnsafePointer<Sample>, _ stride: Int, _ span: Range<Int>,
    scratch sums: UnsafeMutablePointer<Sample.RowSum>,
    into weighted: UnsafeMutablePointer<Sample.ColumnSum>
  ) {
    var row = plane + box.complete.lowerBound * stride
    var left = box.complete.count
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
    let unit = Sample.ColumnSum(truncatingIfNeeded: BoxAxis.unit)
    guard box.weightBefore > 0 || box.weightAfter > 0 else {
      for x in span { weighted[x] = Sample.ColumnSum(truncatingIfNeeded: sums[x]) &* unit }
      return
    }
    // A row with weight 0 may not exist; the other one is read instead.
    let next = plane + box.complete.upperBound * stride
    let rowBefore =
      box.weightBefore > 0 ? plane + (box.complete.lowerBound - 1) * stride : next
    let rowAfter = box.weightAfter > 0 ? next : rowBefore
    let weightBefore = Sample.ColumnSum(truncatingIfNeeded: box.weightBefore)
    let weightAfter = Sample.ColumnSum(truncatingIfNeeded: box.weightAfter)
    for x in span {
      weighted[x] =
        Sample.ColumnSum(truncatingIfNeeded: sums[x]) &* unit
        &+ weightBefore &* Sample.ColumnSum(truncatingIfNeeded: rowBefore[x])
        &+ weightAfter &* Sample.ColumnSum(truncatingIfNeeded: rowAfter[x])
    }
  }

  /// Writes the mean of each box, from the sums of its columns; `rowWeight` is the weight of the rows
  /// in them.
  private func writeMeans(
    of weighted: UnsafeMutablePointer<Sample.ColumnSum>, _ across: BoxAxis, rowWeight: Float,
    to out: UnsafeMutablePointer<Float>
  ) {
    for (index, box) in across.boxes.enumerated() {
      var complete: Sample.ColumnSum = 0
      for x in box.complete { complete = complete &+ weighted[x] }
      var sum = Float(complete) * Float(BoxAxis.unit)
      if box.weightBefore > 0 {
        sum += Float(weighted[box.complete.lowerBound - 1]) * Float(box.weightBefore)
      }
      if box.weightAfter > 0 {
        sum += Float(weighted[box.complete.upperBound]) * Float(box.weightAfter)
      }
      out[index] = sum / (rowWeight * Float(box.totalWeight))
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
