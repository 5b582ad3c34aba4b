/// One colour of a cell: truecolour, an entry of the terminal's palette, or its default.
///
/// Truecolour is `0x00RRGGBB`; the top byte distinguishes the other kinds.
public struct CellColour: Equatable, Hashable, Sendable {
  public let raw: UInt32

  private static let paletteKind: UInt32 = 0x0100_0000

  private init(raw: UInt32) {
    self.raw = raw
  }

  /// A truecolour `0x00RRGGBB`; the top byte is ignored.
  public init(rgb: UInt32) {
    raw = rgb & 0x00FF_FFFF
  }

  /// An entry of the terminal's palette: 0 to 15 belong to the user's theme.
  public static func palette(_ index: UInt8) -> CellColour {
    CellColour(raw: paletteKind | UInt32(index))
  }

  /// The terminal's own foreground or background, depending on where it is used.
  public static let terminalDefault = CellColour(raw: 0x0200_0000)

  /// `0x00RRGGBB` of a truecolour, nil for the others.
  public var rgb: UInt32? { raw < Self.paletteKind ? raw : nil }

  /// The palette's index, nil for the others.
  public var paletteIndex: UInt8? {
    raw >> 24 == 1 ? UInt8(truncatingIfNeeded: raw) : nil
  }
}
