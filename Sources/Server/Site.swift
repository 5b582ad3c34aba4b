import Glibc
import Synchronization
import System

/// Answers requests for one folder; called by several threads at once.
final class Site: Sendable {
  private let folder: RootedFolder
  private let token: AccessToken?
  /// The names that requests may use for this server; nil for any.
  private let ownNames: OwnNames?
  private let ownAddress: String
  private let offer: Mutex<Offer>
  /// Updates the offer where the kernel does not report changes; may take a while.
  private let refresh: @Sendable () -> Void

  init(
    folder: RootedFolder, token: AccessToken?, ownNames: OwnNames?, ownAddress: String,
    offer: Offer, refresh: @escaping @Sendable () -> Void
  ) {
    self.folder = folder
    self.token = token
    self.ownNames = ownNames
    self.ownAddress = ownAddress
    self.offer = Mutex(offer)
    self.refresh = refresh
  }

  func publish(_ new: Offer) { offer.withLock { $0 = new } }

  /// Answers one request.
  func answer(_ request: Request) -> Answer {
    var answer = respond(to: request)
    answer.fields.append(("X-Content-Type-Options", "nosniff"))
    // No web page may embed the answer or run it as a script (Fetch standard, section 3.7).
    answer.fields.append(("Cross-Origin-Resource-Policy", "same-origin"))
    if request.isLast || request.hasBody { answer.fields.append(("Connection", "close")) }
    return answer
  }

  private func respond(to request: Request) -> Answer {
    switch asked(request) {
    case .ours: break
    case .malformed: return Site.text(400, "a request must name one host")
    case .foreign:
      return Site.text(
        421,
        "requests must name this machine by its address or name; --token-file lifts that")
    }
    if let token, !token.isShown(in: request.fields["authorization"]) {
      return Site.text(
        401, "a token is needed", [("WWW-Authenticate", "Bearer realm=\"storytty\"")])
    }
    guard request.method == "GET" || request.method == "HEAD" else {
      return Site.text(405, "only GET and HEAD are answered", [("Allow", "GET, HEAD")])
    }
    guard !request.hasBody else { return Site.text(413, "a request may have no body") }
    switch RequestTarget(request.target) {
    case .malformed: return Site.text(400, "the address is malformed")
    case .unfit: return Site.notFound
    case .path(let parts): return find(parts, for: request)
    }
  }

  private enum Asked { case ours, foreign, malformed }

  /// Whether a request names one host, and whether that is this server.
  private func asked(_ request: Request) -> Asked {
    guard let field = request.fields["host"] else { return ownNames == nil ? .ours : .malformed }
    // Several fields were joined by commas, which no host contains. A client that uses proxy form
    // names the host in the target (RFC 9112, section 3.2.2).
    guard let named = RequestHost(field) else { return .malformed }
    guard let ownNames else { return .ours }
    guard let authority = RequestTarget.authority(of: request.target) else {
      return ownNames.hold(named) ? .ours : .foreign
    }
    guard let host = RequestHost(authority) else { return .malformed }
    return ownNames.hold(host) ? .ours : .foreign
  }

  private func find(_ parts: [String], for request: Request) -> Answer {
    switch parts {
    case []: return index(for: request)
    case ["feed.json"]:
      refresh()
      return document(current.feed, for: request)
    case ["animations"], ["animations.json"]:
      refresh()
      return document(current.catalogue, for: request)
    default: break
    }
    if parts.count == 2, parts[0] == "animation" {
      refresh()
      if let animation = current.animations[parts[1]] {
        return file(animation.path, type: animation.type, for: request)
      }
    }
    return file(parts.joined(separator: "/"), type: nil, for: request)
  }

  private var current: Offer { offer.withLock { $0 } }

  // MARK: Documents and files

  private func document(_ document: Offer.Document, for request: Request) -> Answer {
    let whole = Representation(
      length: UInt64(document.body.count), entityTag: document.entityTag, lastModified: nil)
    let head = Head(whole, type: document.type, conditions: Conditions(request))
    var answer = head.answer
    answer.fields.append(("Cache-Control", "no-cache"))
    if let range = head.range {
      answer.body = .bytes(document.body, Int(range.lowerBound)..<Int(range.upperBound))
    }
    return answer
  }

  private func file(_ path: String, type: String?, for request: Request) -> Answer {
    do throws(SystemError) {
      let file = try folder.open(path)
      let status = try FileStatus(of: file)
      let type = type ?? self.type(of: path, file)
      return Site.answer(file, status, type: type, for: request)
    } catch {
      guard error.code == EMFILE || error.code == ENFILE || error.code == ENOMEM else {
        return Site.notFound
      }
      return Site.text(503, "too many requests at once", [("Retry-After", "2")])
    }
  }

  private static func answer(
    _ file: consuming Descriptor, _ status: FileStatus, type: String, for request: Request
  ) -> Answer {
    let whole = Representation(
      length: UInt64(max(0, status.sizeBytes)), entityTag: Site.entityTag(status),
      lastModified: status.modifiedNanoseconds / 1_000_000_000)
    let head = Head(whole, type: type, conditions: Conditions(request))
    var answer = head.answer
    if let range = head.range, !range.isEmpty {
      answer.body = .file(file, offset: range.lowerBound, count: UInt64(range.count))
    }
    return answer
  }

  private func type(of path: String, _ file: borrowing Descriptor) -> String {
    if current.lotties.contains(path) { return MediaType.animation }
    let head = try? file.read(at: 0, count: MediaType.headBytes)
    return MediaType.of(head: head ?? [], name: path)
  }

  /// A tag that changes whenever the file does, to the nanosecond; another file has another inode.
  private static func entityTag(_ status: FileStatus) -> String {
    let parts = [
      UInt64(bitPattern: status.modifiedNanoseconds), UInt64(bitPattern: status.sizeBytes),
    ]
    return "\"\((parts + [status.inode]).map { String($0, radix: 16) }.joined(separator: "-"))\""
  }

  // MARK: Short texts

  private static var notFound: Answer { text(404, "nothing of this name is offered") }

  fileprivate static func text(
    _ status: Int, _ words: String, _ fields: [(name: String, value: String)] = []
  ) -> Answer {
    let body = SharedBytes(Array((words + "\n").utf8))
    return Answer(
      status: status, fields: fields + [("Content-Type", "text/plain; charset=utf-8")],
      body: .bytes(body, 0..<body.count))
  }

  /// The page at `/`: what is served, and the command that plays it.
  private func index(for request: Request) -> Answer {
    let offer = current
    // The field was checked before: it holds only a name or an address, and a port.
    let host = request.fields["host"] ?? ownAddress
    var lines = ["This is storytty, offering \(offer.title):", ""]
    lines.append(
      "  \(Site.count(offer.storyCount, "story", "stories")) in "
        + "\(Site.count(offer.reelCount, "reel", "reels")), "
        + Site.count(offer.animations.count, "animation", "animations"))
    lines += ["", "To watch it, type:", "", "  storytty http://\(host)/feed.json"]
    return Site.text(200, lines.joined(separator: "\n"), [("Cache-Control", "no-cache")])
  }

  private static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}

extension Conditions {
  init(_ request: Request) {
    self.init(
      ifMatch: request.fields["if-match"], ifNoneMatch: request.fields["if-none-match"],
      ifModifiedSince: request.fields["if-modified-since"],
      ifUnmodifiedSince: request.fields["if-unmodified-since"],
      ifRange: request.fields["if-range"], range: request.fields["range"])
  }
}

/// The head of an answer with some, all or none of a representation.
private struct Head {
  let status: Int
  private(set) var fields: [(name: String, value: String)] = []
  /// The bytes of the representation that the body holds; nil where it holds none.
  private(set) var range: Range<UInt64>?
  /// The text of the body instead.
  private var words: String?

  init(_ whole: Representation, type: String, conditions: Conditions) {
    switch conditions.portion(of: whole, now: WallClock.seconds) {
    case .whole:
      status = 200
      range = 0..<whole.length
    case .part(let part):
      status = 206
      range = part
      fields.append(
        ("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(whole.length)"))
    case .notModified: status = 304
    case .preconditionFailed:
      status = 412
      words = "it has changed"
      return
    case .unsatisfiable:
      status = 416
      words = "it has no such range"
      fields.append(("Content-Range", "bytes */\(whole.length)"))
      return
    }
    if range != nil { fields.append(("Content-Type", type)) }
    fields += [("ETag", whole.entityTag), ("Accept-Ranges", "bytes")]
    if let modified = whole.lastModified {
      fields.append(("Last-Modified", HTTPDate.text(modified)))
    }
  }

  /// The answer without the bytes of the range.
  var answer: Answer {
    if let words { return Site.text(status, words, fields) }
    return Answer(status: status, fields: fields)
  }
}
