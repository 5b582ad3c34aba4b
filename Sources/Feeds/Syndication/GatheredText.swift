/// The text of an element, as a person wrote it.
struct GatheredText {
  /// The markup of a text.
  enum Kind {
    case plain, html
    /// The format does not say, and people write both.
    case unknown
  }

  /// The text gathered so far.
  private(set) var raw = ""
  /// Ends of the stretches of `raw`, which alternate between decoded text and CDATA sections.
  private var ends: [String.Index] = []
  private var isLiteral = false

  /// Adds a piece; no more is gathered than an address may have.
  mutating func append(_ piece: String, isLiteral: Bool) {
    guard raw.utf8.count <= Limit.addressBytes else { return }
    if raw.isEmpty {
      self.isLiteral = isLiteral
      raw = piece
      return
    }
    if isLiteral != (self.isLiteral != (ends.count % 2 == 1)) { ends.append(raw.endIndex) }
    raw += piece
  }

  mutating func clear() { self = GatheredText() }

  /// The text for display, in one line.
  func shown(as kind: Kind) -> String {
    let text =
      switch kind {
      case .html: HTMLText.plain(raw)
      case .plain: raw.inOneLine
      case .unknown: titled.inOneLine
      }
    return text.cut(to: Limit.textBytes)
  }

  private var titled: String {
    guard !ends.isEmpty else { return HTMLText.title(raw, isDecoded: !isLiteral) }
    var text = ""
    var start = raw.startIndex
    var isLiteral = isLiteral
    for end in ends + [raw.endIndex] {
      text += HTMLText.title(String(raw[start..<end]), isDecoded: !isLiteral)
      start = end
      isLiteral.toggle()
    }
    return text
  }
}
