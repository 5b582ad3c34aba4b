/// Features of an animation that rlottie 0.1 does not draw, named as the viewer sees them.
enum LottieLack: String, CaseIterable {
  case texts
  case pictures = "pictures that are not in it"
  case pictureKinds = "pictures of an unknown kind"
  case effects
  case layerStyles = "layer styles"
  case expressions
  case blendModes = "blend modes"
  case cameras
  case skew
  case gradientAlpha = "alpha in gradients"
  case roundCorners = "round corners"
  case pucker = "pucker and bloat"
  case offsetPaths = "offset paths"
  case zigZags = "zig-zags"
  case twists
  case mergedPaths = "merged paths"
  case maskOpacity = "mask opacity"
  case maskFeathers = "soft masks"
  case maskExpansions = "grown masks"
  case invertedMasks = "inverted masks"
  case nestedMattes = "mattes of mattes"
  case slots
  case videos
  case sounds

  /// A sentence about all of them, in words that follow "NAME: ".
  static func note(on lacks: Set<LottieLack>) -> String? {
    let names = allCases.filter(lacks.contains).map(\.rawValue)
    guard !names.isEmpty else { return nil }
    // Notes are cut off after 200 characters.
    guard names.count > 8 else { return "it is drawn without: \(names.joined(separator: ", "))" }
    let shown = names.prefix(8).joined(separator: ", ")
    return "it is drawn without: \(shown) and \(names.count - 8) more"
  }
}
