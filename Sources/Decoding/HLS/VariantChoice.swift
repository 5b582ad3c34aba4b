import DecoderLink

/// The order in which variants are tried: first the smallest that fills the grid and that the
/// connection can carry.
package struct VariantChoice {
  private let shape: PictureRequest
  /// Bits a second; nil for any.
  private let most: UInt64?

  /// The most bits a second of a variant without a size: it is enough for any terminal.
  private static let moderate: UInt64 = 2_500_000
  /// The share of the grid that counts as filled: the next larger size usually has four times as many
  /// pixels.
  private static let nearlyAll = 0.9

  package init(shape: PictureRequest, mostBitsPerSecond: UInt64?) {
    self.shape = shape
    most = mostBitsPerSecond
  }

  /// All variants, the best first.
  package func order(_ variants: [MasterPlaylist.Variant]) -> [MasterPlaylist.Variant] {
    let haveSizes = variants.contains { $0.size != nil }
    let ranked = variants.enumerated().map { index, variant in
      (variant: variant, rank: rank(variant, haveSizes: haveSizes) + [Double(index)])
    }
    return ranked.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }.map(\.variant)
  }

  /// A key for sorting, compared part by part; smaller is better.
  private func rank(_ variant: MasterPlaylist.Variant, haveSizes: Bool) -> [Double] {
    let bandwidth = Double(variant.bandwidth ?? 0)
    let area = variant.size.map { Double($0.width) * Double($0.height) } ?? 0
    let kind = Double(kind(of: variant, haveSizes: haveSizes).rawValue)
    let limit = variant.size == nil ? min(most ?? Self.moderate, Self.moderate) : most
    if let limit, bandwidth > Double(limit) { return [kind, 2, bandwidth, area] }
    return fills(variant) ? [kind, 0, area, bandwidth] : [kind, 1, -area, -bandwidth]
  }

  private func fills(_ variant: MasterPlaylist.Variant) -> Bool {
    guard let size = variant.size else { return false }
    let fitted = shape.fitted(displayWidth: size.width, displayHeight: size.height)
    return Double(size.width) * fitted.visibleWidth >= Double(fitted.width) * Self.nearlyAll
      && Double(size.height) * fitted.visibleHeight >= Double(fitted.height) * Self.nearlyAll
  }

  /// The better ones first.
  private enum Kind: Int {
    case whole
    case withoutSound
    case soundAlone
    case unplayable
  }

  private func kind(of variant: MasterPlaylist.Variant, haveSizes: Bool) -> Kind {
    if variant.codecs.isEmpty { return variant.size == nil && haveSizes ? .soundAlone : .whole }
    let names = variant.codecs.map { String($0.prefix { $0 != "." }) }
    let sounds = names.filter(Self.sounds.contains)
    let pictures = names.filter(Self.pictures.contains)
    let unknown = names.count - sounds.count - pictures.count
    if pictures.isEmpty {
      if unknown > 0 || sounds.isEmpty { return .unplayable }
      return variant.size == nil ? .soundAlone : .whole
    }
    return unknown > 0 ? .withoutSound : .whole
  }

  /// The codecs that can be played, by the first part of their names in RFC 6381.
  private static let pictures: Set = [
    "avc1", "avc3", "hvc1", "hev1", "vp08", "vp8", "vp09", "vp9", "av01", "mp4v", "mp2v", "mjpg",
  ]
  private static let sounds: Set = [
    "mp4a", "ac-3", "ec-3", "mp3", "opus", "flac", "fl", "alac", "vorbis", "dtsc", "dtse",
    "dtsh", "dtsl", "samr", "sawb",
  ]
}
