import Stories
import System

/// Looks at files without reading them through, and at not too many of them.
struct Glances {
  /// What a path leads to.
  enum Finding: Equatable {
    case folder
    /// A fifo, socket or device: never opened.
    case special
    case file(Content)
    /// It is not there or cannot be read: the reason.
    case failed(String)
  }

  private let files: any FileAccess
  /// How many files with the name of a medium, and without, are still looked into.
  private var named = Limit.looks
  private var unnamed = Limit.looks

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

  /// The same for one of many files; nil once so many were looked into that the rest is believed
  /// by its names.
  mutating func lookIfFew(at path: String, known: FileStatus.Kind? = nil) -> Finding? {
    if NameClaim(path: path) == nil {
      guard unnamed > 0 else { return nil }
      unnamed -= 1
    } else {
      guard named > 0 else { return nil }
      named -= 1
    }
    return known == .regular ? content(of: path) : look(at: path)
  }

  /// What a JSON text in a folder or list is; a very large one is no animation.
  func shape(of path: String) -> JSONShape {
    guard let head = try? files.head(of: path, limit: Limit.headBytes) else { return .other }
    let shape = JSONShape(head)
    guard shape == .other, head.count == Limit.headBytes,
      let whole = try? files.head(of: path, limit: Limit.animationBytes)
    else { return shape }
    return JSONShape(whole)
  }

  /// Whether a list is an HLS playlist.
  func isStream(_ path: String) -> Bool {
    guard let head = try? files.head(of: path, limit: 64 * Limit.headBytes) else { return false }
    return M3U(head).isStream
  }

  private func content(of path: String) -> Finding {
    do {
      return .file(Content(head: try files.head(of: path, limit: Limit.headBytes)))
    } catch {
      return .failed(error.inWords)
    }
  }
}

/// Why a feed's text cannot be had.
struct Unreadable: Error {
  let words: String
}

extension FileAccess {
  /// The whole text of a feed or list, up to the limit of feeds.
  func feedText(at path: String) throws(Unreadable) -> [UInt8] {
    do throws(SystemError) {
      let size = try status(of: path).sizeBytes
      if size <= Limit.feedBytes { return try head(of: path, limit: Int(size)) }
    } catch {
      throw Unreadable(words: error.inWords)
    }
    throw Unreadable(words: "it is larger than \(Limit.feedBytes >> 20) MiB")
  }
}
