import Stories
import System

/// Detects what files are from their first bytes, for a limited number of files.
///
/// `SniffedContent` judges the bytes, `ExtensionHint` the names, and `JSONShape` what a JSON text
/// holds.
struct FileSniffer {
  /// What a path leads to.
  enum Finding: Equatable {
    case folder
    /// A fifo, socket or device: never opened.
    case special
    case file(SniffedContent)
    /// It is not there or cannot be read: the reason.
    case failed(String)
  }

  private let files: any FileAccess
  /// How many more files may be looked into, of those whose extension is known and of all others.
  private var looksLeftWithHint = Limit.sniffedFiles
  private var looksLeftWithoutHint = Limit.sniffedFiles

  init(files: any FileAccess) { self.files = files }

  /// Asks for the status, then reads the first bytes of a regular file.
  func look(at path: String) -> Finding {
    do {
      let status = try files.status(of: path)
      switch status.kind {
      case .directory: return .folder
      case .special: return .special
      case .regular: return content(of: path)
      }
    } catch {
      return .failed(error.inWords)
    }
  }

  /// The same for one of many files; nil once the limit is reached: the types of all others are
  /// taken from their names.
  mutating func lookWithinLimit(at path: String, known: FileStatus.Kind? = nil) -> Finding? {
    if ExtensionHint(path: path) == nil {
      guard looksLeftWithoutHint > 0 else { return nil }
      looksLeftWithoutHint -= 1
    } else {
      guard looksLeftWithHint > 0 else { return nil }
      looksLeftWithHint -= 1
    }
    return known == .regular ? content(of: path) : look(at: path)
  }

  /// What a JSON text in a folder or list holds. Where its first bytes do not show that, it is read
  /// to its end, unless it is larger than `Limit.animationBytes`.
  func shape(of path: String) -> JSONShape {
    guard let text = try? files.text(at: path) else { return .other }
    let shape = JSONShape(text.readerOfHead())
    return shape == .other && text.count <= Limit.animationBytes
      ? JSONShape(text.readerOfAll()) : shape
  }

  /// Whether a list is an HLS playlist. Its tags stand at the start, after comments at most.
  func isHLS(_ path: String) -> Bool {
    guard let text = try? files.text(at: path) else { return false }
    return M3U(text.open(.utf8).next(64 * Limit.headBytes)).isHLS
  }

  private func content(of path: String) -> Finding {
    do {
      return .file(SniffedContent(head: try files.bytes(of: path, at: 0, count: Limit.headBytes)))
    } catch {
      return .failed(error.inWords)
    }
  }
}
