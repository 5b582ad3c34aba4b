import DecoderLink

/// How an animation is drawn for a grid. rlottie draws the whole animation in square pixels; a grid may
/// have other pixels and show only the middle.
package struct RenderPlan: Equatable {
  /// The size of the result, in grid pixels.
  package let width: Int
  package let height: Int
  /// The size that rlottie draws, in square pixels.
  package let renderWidth: Int
  package let renderHeight: Int
  /// The visible middle of it.
  private let seenWidth: Double
  private let seenHeight: Double

  /// The most pixels that are drawn; a larger result is enlarged.
  private static let mostPixels = 4_194_304.0
  /// rlottie counts the pixels of a row and the rows in 16 bits.
  private static let longestSide = 32_767.0

  package init(_ shape: PictureRequest, displayWidth: Int, displayHeight: Int) {
    let fitted = shape.fitted(
      displayWidth: UInt32(displayWidth), displayHeight: UInt32(displayHeight))
    width = Int(fitted.width)
    height = Int(fitted.height)
    // At least one drawn pixel for each pixel of the result, in both directions.
    var wide = Double(width) / fitted.visibleWidth * max(1, shape.pixelAspect)
    var high = Double(height) / fitted.visibleHeight * max(1, 1 / shape.pixelAspect)
    let excess = max(
      (wide * high / Self.mostPixels).squareRoot(), wide / Self.longestSide,
      high / Self.longestSide)
    if excess > 1 { (wide, high) = (wide / excess, high / excess) }
    renderWidth = max(1, Int(min(wide, Self.mostPixels).rounded()))
    renderHeight = max(1, Int(min(high, Self.mostPixels).rounded()))
    seenWidth = max(1, Double(renderWidth) * fitted.visibleWidth)
    seenHeight = max(1, Double(renderHeight) * fitted.visibleHeight)
  }

  /// Reduces what was drawn to the result: each pixel is the mean of the area that it covers.
  /// Premultiplied.
  package func reduce(_ pixels: [UInt32]) -> [UInt32] {
    if renderWidth == width, renderHeight == height { return pixels }
    let across = BoxAxis(
      start: (Double(renderWidth) - seenWidth) / 2, length: seenWidth, count: width,
      available: renderWidth)
    let down = BoxAxis(
      start: (Double(renderHeight) - seenHeight) / 2, length: seenHeight, count: height,
      available: renderHeight)
    var result: [UInt32] = []
    result.reserveCapacity(width * height)
    for row in down.cells {
      for column in across.cells { result.append(mean(pixels, row, column)) }
    }
    return result
  }

  private func mean(_ pixels: [UInt32], _ row: BoxAxis.Cell, _ column: BoxAxis.Cell) -> UInt32 {
    var sums = SIMD4<UInt64>()
    var weights: UInt64 = 0
    row.forEachSample { y, rowWeight in
      column.forEachSample { x, columnWeight in
        let pixel = pixels[y * renderWidth + x]
        let weight = UInt64(rowWeight) * UInt64(columnWeight)
        let parts = SIMD4<UInt64>(
          UInt64(pixel >> 24), UInt64(pixel >> 16 & 0xFF), UInt64(pixel >> 8 & 0xFF),
          UInt64(pixel & 0xFF))
        sums &+= parts &* weight
        weights += weight
      }
    }
    guard weights > 0 else { return 0 }
    let means = (sums &+ weights / 2) / weights
    return UInt32(means[0] << 24 | means[1] << 16 | means[2] << 8 | means[3])
  }
}

extension BoxAxis.Cell {
  /// Calls `body` with each sample of the cell and its weight.
  fileprivate func forEachSample(_ body: (_ index: Int, _ weight: UInt32) -> Void) {
    if before > 0 { body(whole.lowerBound - 1, before) }
    for index in whole { body(index, BoxAxis.unit) }
    if after > 0 { body(whole.upperBound, after) }
  }
}
