import CXML2

/// What comes next in an XML text.
enum XMLEvent {
  case start(XMLName, XMLAttributes)
  /// Some text of the element that is open; one text may come in several pieces. References in it are
  /// decoded, but in a CDATA section there are none: that is `isLiteral`.
  case text(String, isLiteral: Bool)
  /// The element that was started last and is still open ends.
  case end
}

/// The name of an element: its namespace counts, its prefix does not.
struct XMLName: Equatable {
  /// The namespace of `xml:base` and its kin.
  static let xmlSpace = "http://www.w3.org/XML/1998/namespace"

  /// Empty for none. Where a prefix is not declared, what it usually means.
  let space: String
  let local: String

  /// What a prefix means that is not declared: no namespace of the text's own, in any case.
  static func usualSpace(of prefix: String) -> String {
    switch prefix {
    case "media", "mrss": "http://search.yahoo.com/mrss/"
    case "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd"
    case "dc": "http://purl.org/dc/elements/1.1/"
    case "content": "http://purl.org/rss/1.0/modules/content/"
    case "atom": "http://www.w3.org/2005/Atom"
    case "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    case "enc": "http://purl.oclc.org/net/rss_2.0/enc#"
    default: "prefix:" + prefix
    }
  }
}

/// The attributes of an element.
struct XMLAttributes {
  fileprivate(set) var all: [(name: XMLName, value: String)] = []

  /// The value of an attribute without a namespace, else of one in this namespace.
  func value(_ local: String, in space: String = "") -> String? {
    all.first { $0.name.local == local && $0.name.space == space }?.value
  }
}

/// Reads XML text from front to back without building a tree. Nothing is loaded, and no entities
/// but those of XML itself exist.
struct XMLReader {
  /// Why a text cannot be read.
  enum Failure: Error, Equatable {
    /// libxml2 is not there.
    case unavailable
    /// It is not well-formed from about this line on.
    case malformed(line: Int)
    case tooDeep
    case tooManyAttributes
  }

  /// Hands on what is in a text until it ends or `take` returns false.
  ///
  /// - Parameter recovers: whether what comes after a mistake counts too, as far as it can be
  ///   understood; the mistake still throws in the end.
  static func read(
    _ bytes: [UInt8], recovers: Bool = false, _ take: (XMLEvent) -> Bool
  ) throws(Failure) {
    var position = 0
    try read(recovers: recovers, take) {
      let end = min(bytes.count, position + FeedText.pieceBytes)
      defer { position = end }
      return Array(bytes[position..<end])
    }
  }

  /// Does the same with the text of a feed, piece by piece. What stands before its outermost element
  /// does not count.
  ///
  /// - Parameter mends: whether what is no XML is taken as it was meant (`XMLMender`). Otherwise it is
  ///   malformed, as is a text with a document type: that may name entities, which are mended.
  /// - Returns: what is to be said of the text.
  static func read(
    _ text: FeedText, mends: Bool, _ take: (XMLEvent) -> Bool
  ) throws(Failure) -> [TextNote] {
    let source = text.open(.declared)
    let prolog = prolog(of: source)
    if !mends {
      guard !prolog.hasDocumentType else { throw .malformed(line: 1) }
      var first = prolog.rest
      try read(recovers: false, take) {
        defer { first = [] }
        return first.isEmpty ? source.next() : first
      }
      return source.notes
    }
    var mender = XMLMender(entities: prolog.entities)
    var first = prolog.rest
    var failure: Failure?
    do {
      try read(recovers: true, take) {
        while true {
          let piece = first.isEmpty ? source.next() : first
          first = []
          if piece.isEmpty { return mender.finish() }
          let mended = mender.mend(piece)
          if !mended.isEmpty { return mended }
        }
      }
    } catch {
      failure = error
    }
    if mender.hasTooManyAttributes { throw .tooManyAttributes }
    let notes = source.notes + (source.isLeft ? [] : mender.notes)
    guard let failure else { return notes }
    guard case .malformed = failure, !notes.isEmpty else { throw failure }
    return notes
  }

  private static func prolog(of source: TextSource) -> XMLProlog {
    var start: [UInt8] = []
    while true {
      let piece = source.next()
      start += piece
      if let prolog = XMLProlog(start, isWhole: piece.isEmpty) { return prolog }
    }
  }

  /// The name of the outermost element; nil where the text has none that could be read.
  static func root(of text: FeedText) throws(Failure) -> XMLName? {
    var root: XMLName?
    do {
      _ = try read(text, mends: true) { event in
        if case .start(let name, _) = event { root = name }
        return root == nil
      }
    } catch {
      guard case .malformed = error else { throw error }
    }
    return root
  }

  /// - Parameter next: gives the next bytes, none at the end.
  private static func read(
    recovers: Bool, _ take: (XMLEvent) -> Bool, _ next: () -> [UInt8]
  ) throws(Failure) {
    let failure = withoutActuallyEscaping(take) { take -> Failure? in
      Parse(take).run(recovers: recovers, next)
    }
    if let failure { throw failure }
  }

  /// One text being read.
  private final class Parse {
    private let take: (XMLEvent) -> Bool
    private var parser: OpaquePointer?
    private var depth = 0
    private var isStopped = false
    private var isTooDeep = false
    private var meter = TagMeter()
    /// Names that were met lately, by their place in memory, where the parser keeps them while it
    /// lives.
    private var names: [(place: UnsafePointer<CChar>?, text: String)] = Array(
      repeating: (nil, ""), count: 64)

    init(_ take: @escaping (XMLEvent) -> Bool) { self.take = take }

    func run(recovers: Bool, _ next: () -> [UInt8]) -> Failure? {
      var receivers = cx_receivers(
        start: { Parse.of($0)?.started($1, $2, $3, Int($4), $5) },
        end: { context, _, _ in Parse.of(context)?.ended() },
        text: { Parse.of($0)?.characters($1, Int($2), isLiteral: $3 != 0) })
      // The parser lives no longer than this call, and this object outlives it.
      let context = Unmanaged.passUnretained(self).toOpaque()
      guard let parser = cx_begin(&receivers, context, recovers ? 1 : 0) else {
        return .unavailable
      }
      self.parser = parser
      defer { cx_end(parser) }
      var isFirst = true
      while !isStopped {
        let piece = next()
        if piece.isEmpty { break }
        guard meter.takes(piece) else { return .tooManyAttributes }
        // Nothing may stand before an XML declaration, but some feeds begin with an empty line.
        let start = isFirst ? piece.prefix { $0 == 0x20 || (9...13).contains($0) }.count : 0
        isFirst = false
        let code = piece[start...].withUnsafeBytes { bytes in
          cx_take(parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), 0)
        }
        if code != 0, !recovers { break }
      }
      if isTooDeep { return .tooDeep }
      if isStopped { return nil }
      _ = cx_take(parser, nil, 0, 1)
      let line = cx_mistake(parser)
      return line == 0 ? nil : .malformed(line: Int(line))
    }

    private static func of(_ raw: UnsafeMutableRawPointer?) -> Parse? {
      raw.map { Unmanaged<Parse>.fromOpaque($0).takeUnretainedValue() }
    }

    private func pass(_ event: XMLEvent) {
      guard !isStopped else { return }
      if !take(event) { stop() }
    }

    private func stop() {
      isStopped = true
      if let parser { cx_stop(parser) }
    }

    private func started(
      _ local: UnsafePointer<CChar>?, _ prefix: UnsafePointer<CChar>?,
      _ space: UnsafePointer<CChar>?, _ count: Int,
      _ attributes: UnsafePointer<UnsafePointer<CChar>?>?
    ) {
      depth += 1
      guard depth <= Limit.nesting else {
        isTooDeep = true
        return stop()
      }
      var found = XMLAttributes()
      // As CXML2.h has it: name, prefix, namespace, start and end of the value.
      for place in stride(from: 0, to: count * 5, by: 5) {
        guard let attributes, let start = attributes[place + 3], let end = attributes[place + 4]
        else { continue }
        let value = lent(start, end - start)
        // libxml2 leaves this one reference, for trees that are built of it.
        let isPlain = !value.utf8.contains(UInt8(ascii: "&"))
        found.all.append(
          (
            name(attributes[place], attributes[place + 1], attributes[place + 2]),
            isPlain ? value : value.replacing("&#38;", with: "&")
          ))
      }
      pass(.start(name(local, prefix, space), found))
    }

    private func ended() {
      depth -= 1
      pass(.end)
    }

    private func characters(_ text: UnsafePointer<CChar>?, _ count: Int, isLiteral: Bool) {
      if let text { pass(.text(lent(text, count), isLiteral: isLiteral)) }
    }

    /// A copy of text that is lent for a moment.
    private func lent(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
      String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func name(
      _ local: UnsafePointer<CChar>?, _ prefix: UnsafePointer<CChar>?,
      _ space: UnsafePointer<CChar>?
    ) -> XMLName {
      let isUndeclared = space == nil && prefix != nil
      return XMLName(
        space: isUndeclared ? XMLName.usualSpace(of: text(prefix)) : text(space),
        local: text(local))
    }

    private func text(_ place: UnsafePointer<CChar>?) -> String {
      guard let place else { return "" }
      let bits = UInt(bitPattern: place)
      let slot = Int((bits >> 3 ^ bits >> 9) & 63)
      if names[slot].place == place { return names[slot].text }
      let text = String(cString: place)
      names[slot] = (place, text)
      return text
    }
  }
}

extension XMLReader.Failure {
  /// Why a text cannot be read, for its user.
  var words: String {
    switch self {
    case .unavailable: "libxml2 is missing, which reads XML: install libxml2"
    case .malformed(let line): "not valid XML at line \(line)"
    case .tooDeep: "it is nested deeper than \(Limit.nesting) levels"
    case .tooManyAttributes: "it has a tag of more than \(TagMeter.mostAttributes) attributes"
    }
  }

  /// The same where the rest of the text counts.
  var note: TextNote {
    TextNote(words: "\(words): something may be missing", costsStories: true)
  }
}
