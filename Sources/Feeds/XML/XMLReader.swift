import CXML2

/// The next thing in an XML text.
enum XMLEvent {
  case start(XMLName, XMLAttributes)
  /// Text of the open element; it may come in several pieces. References in it are decoded, except
  /// in a CDATA section, which holds none: there `isLiteral` is true.
  case text(String, isLiteral: Bool)
  /// The end of the innermost open element.
  case end
}

/// The name of an element: its namespace counts, its prefix does not.
struct XMLName: Equatable {
  /// The namespace of `xml:base` and `xml:lang`.
  static let xmlSpace = "http://www.w3.org/XML/1998/namespace"

  /// The namespace; empty for none. For an undeclared prefix, the one that the prefix usually
  /// stands for.
  let space: String
  let local: String

  /// The namespace that an undeclared prefix usually stands for. Unknown prefixes get one that no
  /// text can declare by accident.
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

  /// The value of an attribute in this namespace, by default of one without any.
  func value(_ local: String, in space: String = "") -> String? {
    all.first { $0.name.local == local && $0.name.space == space }?.value
  }
}

/// Reads XML text from front to back without building a tree. Nothing external is loaded, and only
/// XML's own entities are known.
struct XMLReader {
  /// Why a text cannot be read.
  enum Failure: Error, Equatable {
    /// libxml2 is not installed.
    case unavailable
    /// It is not well-formed from about this line on.
    case malformed(line: Int)
    case tooDeep
    case tooManyAttributes
  }

  /// Passes the events of a text to `take`, until the text ends or `take` returns false.
  ///
  /// - Parameter recovers: whether to go on after a mistake as far as possible; the mistake is
  ///   still thrown in the end.
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

  /// Does the same with the text of a feed, a piece at a time. The part before its outermost
  /// element is ignored.
  ///
  /// - Parameter mends: whether mistakes are mended (`XMLMender`). If not, they are malformed, and
  ///   so is a text with a document type, because it may declare entities, which only the mender
  ///   knows.
  /// - Returns: the notes on the text.
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

  /// The name of the outermost element; nil where no readable one exists.
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
    /// A cache of names by their address in memory, where the parser keeps them as long as it
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
        // XML allows nothing before its declaration, but some feeds begin with an empty line.
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
      // As CXML2.h says: name, prefix, namespace, start and end of the value.
      for place in stride(from: 0, to: count * 5, by: 5) {
        guard let attributes, let start = attributes[place + 3], let end = attributes[place + 4]
        else { continue }
        let value = copied(start, end - start)
        // libxml2 leaves this one reference undecoded, for programs that build trees.
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
      if let text { pass(.text(copied(text, count), isLiteral: isLiteral)) }
    }

    /// A copy of text that is valid only during a callback.
    private func copied(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
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

  /// The same as a note, where the rest of the text is used.
  var note: TextNote {
    TextNote(words: "\(words): something may be missing", costsStories: true)
  }
}
