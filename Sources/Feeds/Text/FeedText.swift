import JSONText
import System

/// The text of a feed or list, from a file or a server, no longer than feeds may be.
struct FeedText {
  /// Why it cannot be read.
  struct Unreadable: Error {
    let words: String
  }

  /// The encoding that is assumed where neither the text nor its server declares one.
  enum Assumption {
    /// UTF-8, as in JSON (RFC 8259, section 8.1).
    case utf8
    /// UTF-8, or windows-1252 if hardly anything is valid UTF-8: for XML, which should have
    /// declared it.
    case declared
    /// The same, for lists, which cannot declare it.
    case list
  }

  /// The size in bytes at the time of opening.
  let count: Int
  /// The charset of its Content-Type, as it was sent. It takes precedence over what an XML text
  /// declares (RFC 7303, section 3.2), but not over a byte order mark.
  var charset: String?
  /// The processor time that its source may still take.
  var budget = TimeBudget()
  private let bytes: (_ offset: Int, _ count: Int) throws(Unreadable) -> [UInt8]

  fileprivate init(path: String, count: Int, files: any FileAccess) {
    self.count = count
    bytes = { (offset, count) throws(Unreadable) in
      do throws(SystemError) {
        return try files.bytes(of: path, at: offset, count: count)
      } catch {
        throw Unreadable(words: error.inWords)
      }
    }
  }

  /// A text that is already in memory.
  init(_ text: [UInt8], charset: String? = nil) {
    count = text.count
    self.charset = charset
    bytes = { (offset, count) throws(Unreadable) in
      Array(text[min(offset, text.count)..<min(offset + count, text.count)])
    }
  }

  static let pieceBytes = 64 << 10

  /// The text in UTF-8 from the start, a piece at a time.
  func open(_ assumption: Assumption) -> TextSource {
    let head = raw(0, Limit.headBytes)
    let (encoding, markBytes, isGuessed) = encoding(head, assumption)
    return TextSource(
      self, encoding, start: markBytes, isGuessed: isGuessed && assumption == .declared)
  }

  /// The undecoded bytes; an error counts as the end.
  func raw(_ offset: Int, _ wanted: Int) -> [UInt8] {
    (try? bytes(offset, min(wanted, max(0, count - offset)))) ?? []
  }

  /// The whole text in UTF-8, and the notes on it. Throws where it cannot be read.
  func whole() throws(Unreadable) -> (text: [UInt8], notes: [TextNote]) {
    _ = try bytes(0, min(count, 1))
    let source = open(.list)
    var text: [UInt8] = []
    while true {
      let piece = source.next()
      if piece.isEmpty { return (text, source.notes) }
      text += piece
    }
  }

  private func encoding(
    _ head: [UInt8], _ assumption: Assumption
  ) -> (TextEncoding, markBytes: Int, isGuessed: Bool) {
    if let (encoding, markBytes) = TextEncoding.marked(by: head) {
      return (encoding, markBytes, false)
    }
    let labels = [charset, assumption == .declared ? TextEncoding.declared(in: head) : nil]
    for case let label? in labels {
      guard let encoding = TextEncoding(label: label) else { continue }
      // Text that is valid UTF-8 to its end is not windows-1252, whatever an old template declares.
      if encoding == .other("CP1252"), isRightUTF8 { return (.utf8, 0, false) }
      // A declaration that could be read as ASCII is not in an encoding of two bytes.
      return (encoding.isWide ? .utf8 : encoding, 0, false)
    }
    if assumption == .utf8 || isMostlyUTF8 { return (.utf8, 0, false) }
    return (.other("CP1252"), 0, true)
  }

  private static let block = 1 << 20
  /// An undeclared encoding is guessed from no more than these first bytes.
  private static let mostJudged = 4 << 20

  private var isRightUTF8: Bool {
    var decoder = TextDecoder(.utf8)
    for offset in stride(from: 0, to: count, by: Self.block) {
      _ = decoder.decode(raw(offset, Self.block), isLast: offset + Self.block >= count)
      if decoder.mistakes > 0 { return false }
    }
    return true
  }

  /// Whether most characters outside of ASCII are valid UTF-8.
  private var isMostlyUTF8: Bool {
    var decoder = TextDecoder(.utf8)
    // Each U+FFFD counts among the starts too, so mistakes are subtracted below.
    var starts = 0
    for offset in stride(from: 0, to: min(count, Self.mostJudged), by: Self.block) {
      let text = decoder.decode(raw(offset, Self.block), isLast: offset + Self.block >= count)
      starts += text.count { $0 >= 0xC0 }
    }
    return decoder.mistakes == 0 || starts - decoder.mistakes >= decoder.mistakes
  }
}

/// Decodes a feed's text to UTF-8, from the first byte to the last.
final class TextSource {
  private let text: FeedText
  private var decoder: TextDecoder
  private var position: Int
  private let start: Int
  private var isAtEnd = false
  /// Whether reading was given up because it took too long.
  private(set) var isLeft = false

  /// Whether the encoding was declared nowhere.
  private let isGuessed: Bool

  fileprivate init(_ text: FeedText, _ encoding: TextEncoding, start: Int, isGuessed: Bool) {
    self.text = text
    self.isGuessed = isGuessed
    decoder = TextDecoder(encoding)
    position = start
    self.start = start
  }

  /// The next piece, of about so many bytes; empty at the end. An error counts as the end.
  func next(_ count: Int = FeedText.pieceBytes) -> [UInt8] {
    while !isAtEnd {
      if text.budget.isSpent {
        isLeft = true
        isAtEnd = true
        return []
      }
      let piece = text.raw(position, count)
      position += piece.count
      isAtEnd = piece.isEmpty
      let decoded = decoder.decode(piece, isLast: isAtEnd)
      if !decoded.isEmpty { return decoded }
    }
    return []
  }

  /// The notes on the text so far.
  var notes: [TextNote] {
    var notes: [TextNote] = []
    if isGuessed {
      notes.append(
        TextNote(
          words: "it is no UTF-8 and names no encoding: read as windows-1252", costsStories: false))
    }
    if let first = decoder.firstMistake {
      let count = decoder.mistakes
      let many = count == 1 ? "a byte is invalid" : "\(count) bytes are invalid"
      let place = "\(count == 1 ? "" : ", the first") at line \(line(of: first + start))"
      notes.append(
        TextNote(words: "\(many) in its encoding\(place): shown as U+FFFD", costsStories: false))
    }
    if isLeft { notes.append(TextNote(words: TimeBudget.spentWords, costsStories: true)) }
    return notes
  }

  /// The line of a byte, counted from 1.
  private func line(of place: Int) -> Int {
    var line = 1
    for offset in stride(from: 0, to: place, by: 1 << 20) {
      line += text.raw(offset, min(1 << 20, place - offset)).count { $0 == 0x0A }
    }
    return line
  }
}

extension FeedText {
  /// Reads a source as JSON, a window at a time.
  func reader(of source: TextSource) -> JSONReader {
    JSONReader(isLenient: true) { _, wanted in source.next(wanted) }
  }

  /// Reads the text as JSON from the start.
  func readerOfAll() -> JSONReader { reader(of: open(.utf8)) }

  /// Reads the first bytes of the text as JSON.
  func readerOfHead() -> JSONReader {
    JSONReader(open(.utf8).next(Limit.headBytes), isLenient: true)
  }
}

extension FileAccess {
  /// The text of a regular file.
  func text(at path: String) throws(FeedText.Unreadable) -> FeedText {
    let size: Int64
    do {
      size = try status(of: path).sizeBytes
    } catch {
      throw FeedText.Unreadable(words: error.inWords)
    }
    guard size <= Limit.feedBytes else {
      throw FeedText.Unreadable(words: "it is larger than \(Limit.feedBytes >> 20) MiB")
    }
    return FeedText(path: path, count: Int(size), files: self)
  }
}
