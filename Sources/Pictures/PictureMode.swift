/// A way to make cells of a picture: a row in the table of modes.
public struct PictureMode: RawRepresentable, CaseIterable, Hashable, Sendable {
  /// The name in options, the configuration and reports.
  public let rawValue: String
  /// What it draws with, in a few words for `--help`.
  public let help: String
  /// Whether its glyphs are beyond ASCII.
  let needsUnicode: Bool
  /// What draws in it.
  let cells: @Sendable (ColourDepth) -> any CellMode

  /// In the order of `--help` and of the key `v`; the first one is the default.
  public static let allCases = [
    PictureMode("half", "half blocks", needsUnicode: true, HalfBlocks.implementation),
    PictureMode("ascii", "characters by brightness", AsciiRamp.implementation),
  ]

  public static let usual = allCases[0]
  /// For a terminal that shows nothing beyond ASCII.
  static let plain = allCases.first { !$0.needsUnicode } ?? usual

  private init(
    _ name: String, _ help: String, needsUnicode: Bool = false,
    _ cells: @escaping @Sendable (ColourDepth) -> any CellMode
  ) {
    rawValue = name
    self.help = help
    self.needsUnicode = needsUnicode
    self.cells = cells
  }

  /// The mode of this name.
  public init?(rawValue: String) {
    guard let mode = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = mode
  }

  /// The mode that follows, round and round.
  public var next: PictureMode {
    let index = Self.allCases.firstIndex(of: self) ?? 0
    return Self.allCases[(index + 1) % Self.allCases.count]
  }

  public static func == (one: PictureMode, other: PictureMode) -> Bool {
    one.rawValue == other.rawValue
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
