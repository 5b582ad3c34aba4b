import JSONText
import System

/// The text of a feed or list in a file, at most as long as feeds may be.
struct FeedText {
  /// Why it cannot be had.
  struct Unreadable: Error {
    let words: String
  }

  /// In bytes, as it was when it was looked at.
  let count: Int
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

  /// A text that is in memory already.
  init(_ text: [UInt8]) {
    count = text.count
    bytes = { (offset, count) throws(Unreadable) in
      Array(text[min(offset, text.count)..<min(offset + count, text.count)])
    }
  }

  static let pieceBytes = 64 << 10

  /// Its bytes from the first to the last, a piece at a time. What cannot be read counts as the
  /// end.
  struct Pieces {
    fileprivate let text: FeedText
    private var position = 0

    fileprivate init(_ text: FeedText) { self.text = text }

    /// The next piece; empty at the end.
    mutating func next() -> [UInt8] {
      let count = min(FeedText.pieceBytes, max(0, text.count - position))
      let piece = (try? text.bytes(position, count)) ?? []
      position += piece.count
      return piece
    }
  }

  var pieces: Pieces { Pieces(self) }

  /// All of it.
  func whole() throws(Unreadable) -> [UInt8] { try bytes(0, count) }

  /// Reads it as JSON, a window at a time. What cannot be read counts as the end.
  func reader() -> JSONReader {
    JSONReader { offset, wanted in
      let rest = max(0, count - offset)
      return (try? bytes(offset, min(wanted, rest))) ?? []
    }
  }

  /// Reads its first bytes as JSON.
  func head() -> JSONReader {
    JSONReader((try? bytes(0, min(count, Limit.headBytes))) ?? [])
  }
}

extension FileAccess {
  /// A regular file's text.
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
