extension PictureRequest {
  /// The size of a picture, and the visible part of its source.
  public struct Fitted: Equatable, Sendable {
    /// The picture's size in grid pixels; never larger than the request.
    public var width: UInt32
    public var height: UInt32
    /// The visible share of the source's width and height, around its middle; 1 for all.
    public var visibleWidth: Double
    public var visibleHeight: Double
  }

  /// Fits a source of this displayed size into the grid, enlarging it if it is small. A picture is at
  /// least one grid pixel wide and high.
  public func fitted(displayWidth: UInt32, displayHeight: UInt32) -> Fitted {
    let sourceAspect = Double(max(1, displayWidth)) / Double(max(1, displayHeight))
    let gridAspect = Double(width) * pixelAspect / Double(height)
    switch fit {
    case .cover:
      return Fitted(
        width: width, height: height,
        visibleWidth: min(1, gridAspect / sourceAspect),
        visibleHeight: min(1, sourceAspect / gridAspect))
    case .contain where sourceAspect > gridAspect:
      let fittedHeight = (Double(width) * pixelAspect / sourceAspect).rounded()
      return Fitted(
        width: width, height: min(height, max(1, UInt32(fittedHeight))),
        visibleWidth: 1, visibleHeight: 1)
    case .contain:
      let fittedWidth = (Double(height) * sourceAspect / pixelAspect).rounded()
      return Fitted(
        width: min(width, max(1, UInt32(fittedWidth))), height: height,
        visibleWidth: 1, visibleHeight: 1)
    }
  }
}
