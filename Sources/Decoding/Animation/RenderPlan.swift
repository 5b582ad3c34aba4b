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
  /// The visible middle of it, in square pixels.
  private let visibleWidth: Double
  private let visibleHeight: Double

  /// The most pixels that are drawn; if the result has more, it is enlarged from them.
  private static let mostPixels = 4_194_304.0
  /// rlottie counts the pixels of a row and the rows in 16 bits.
  private static let longestSide = 32_767.0

  package init(_ request: PictureRequest, displayWidth: Int, displayHeight: Int) {
    let fitted = request.fitted(
      displayWidth: UInt32(displayWidth), displayHeight: UInt32(displayHeight))
    width = Int(fitted.width)
    height = Int(fitted.height)
    // At least one drawn pixel for each pixel of the result, in both directions: a grid pixel that is
    // wider than high gets more of them across, one that is higher than wide gets more of them down.
    var wide = Double(width) / fitted.visibleWidth * max(1, request.pixelAspect)
    var high = Double(height) / fitted.visibleHeight * max(1, 1 / request.pixelAspect)
    let excess = max(
      (wide * high / Self.mostPixels).squareRoot(), wide / Self.longestSide,
      high / Self.longestSide)
    if excess > 1 { (wide, high) = (wide / excess, high / excess) }
    renderWidth = max(1, Int(wide.rounded()))
    renderHeight = max(1, Int(high.rounded()))
    visibleWidth = max(1, Double(renderWidth) * fitted.visibleWidth)
    visibleHeight = max(1, Double(renderHeight) * fitted.visibleHeight)
  }

  /// The result from what was drawn: each pixel is the mean of the area that it covers.
  /// Premultiplied. `BoxFilter` cannot do it: it takes planes, and rlottie's pixels are packed.
  package func resample(_ pixels: [UInt32]) -> [UInt32] {
    if renderWidth == width, renderHeight == height { return pixels }
    let across = BoxAxis(
      start: (Double(renderWidth) - visibleWidth) / 2, length: visibleWidth, count: width,
      available: renderWidth)
    let down = BoxAxis(
      start: (Double(renderHeight) - visibleHeight) / 2, length: visibleHeight, count: height,
      available: renderHeight)
    var result: [UInt32] = []
    result.reserveCapacity(width * height)
    for row in down.boxes {
      for column in across.boxes { result.append(mean(pixels, row, column)) }
    }
    return result
  }

  private func mean(_ pixels: [UInt32], _ row: BoxAxis.Box, _ column: BoxAxis.Box) -> UInt32 {
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

extension BoxAxis.Box {
  /// Calls `body` with each sample of the box and its weight.
  fileprivate func forEachSample(_ body: (_ index: Int, _ weight: UInt32) -> Void) {
    if weightBefore > 0 { body(complete.lowerBound - 1, weightBefore) }
    for index in complete { body(index, BoxAxis.unit) }
    if weightAfter > 0 { body(complete.upperBound, weightAfter) }
  }
}
