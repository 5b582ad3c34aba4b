import System

/// A resource that a playlist from the network names, as the decoder sees it. It is passed on
/// unchanged, except for a playlist whose address was redirected: only the player knows where to,
/// so relative addresses in it are replaced by absolute ones. The decoder would resolve them
/// against the original address.
final class MovedPlaylist: Resource {
  private enum State {
    /// No byte has come yet.
    case unknown
    case asItIs
    /// All of the playlist, with absolute addresses.
    case text([UInt8])
  }

  /// Larger playlists are passed on unchanged.
  static let most = 8 << 20

  private let source: CachedResource
  private var state = State.unknown

  init(_ source: CachedResource) { self.source = source }

  /// The length may still change; it is only given where it cannot.
  var info: ContentInfo? {
    switch state {
    case .unknown: source.answering == nil ? source.info : nil
    case .asItIs: source.info
    case .text(let bytes): ContentInfo(length: UInt64(bytes.count), type: source.info?.type)
    }
  }

  func read(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    read(offset, length, answer) { source.read(offset: offset, length: length, answer: $0) }
  }

  func readSome(
    offset: UInt64, length: Int, answer: @escaping (Result<[UInt8], ResourceError>) -> Void
  ) {
    read(offset, length, answer) { source.readSome(offset: offset, length: length, answer: $0) }
  }

  func fetch(
    offset: UInt64, length: Int, answer: @escaping (Result<Void, ResourceError>) -> Void
  ) {
    source.fetch(offset: offset, length: length, answer: answer)
  }

  var keepsBytes: Bool { source.keepsBytes }
  func cancel() { source.cancel() }
  func setUrgency(_ urgency: ResourceUrgency) { source.setUrgency(urgency) }
  var isFetching: Bool { source.isFetching }

  func availableEnd(from offset: UInt64) -> UInt64 {
    if case .text = state { .max } else { source.availableEnd(from: offset) }
  }

  private typealias Answer = (Result<[UInt8], ResourceError>) -> Void

  /// - Parameter asItIs: reads the unchanged bytes.
  private func read(
    _ offset: UInt64, _ length: Int, _ answer: @escaping Answer,
    asItIs: (@escaping Answer) -> Void
  ) {
    switch state {
    case .text(let bytes): return answer(.success(MovedPlaylist.part(of: bytes, offset, length)))
    case .unknown where offset == 0: break
    case .unknown, .asItIs:
      // A playlist is read from its beginning.
      state = .asItIs
      return asItIs(answer)
    }
    asItIs { [weak self] result in
      guard let self else { return }
      guard let bytes = try? result.get() else { return answer(result) }
      guard let base = source.answering else {
        state = .asItIs
        return answer(result)
      }
      recognise(bytes) { [weak self] isPlaylist in
        guard let self else { return }
        guard isPlaylist else {
          state = .asItIs
          return answer(result)
        }
        readAll(base: base) { [weak self] in self?.read(offset: 0, length: length, answer: answer) }
      }
    }
  }

  /// Finds out whether it is a playlist from its first bytes, or from more of them if those are not
  /// enough.
  private func recognise(_ bytes: [UInt8], _ next: @escaping (Bool) -> Void) {
    if let isPlaylist = PlaylistMark.isPlaylist(bytes) { return next(isPlaylist) }
    source.read(offset: 0, length: PlaylistMark.reach) { result in
      next((try? result.get()).flatMap(PlaylistMark.isPlaylist) ?? false)
    }
  }

  private func readAll(base: WebAddress, _ next: @escaping () -> Void) {
    source.read(offset: 0, length: MovedPlaylist.most + 1) { [weak self] result in
      let all = (try? result.get()) ?? []
      let isGood = !all.isEmpty && all.count <= MovedPlaylist.most
      self?.state = isGood ? .text(MovedPlaylist.withWholeAddresses(all, base: base)) : .asItIs
      next()
    }
  }

  private static func part(of bytes: [UInt8], _ offset: UInt64, _ length: Int) -> [UInt8] {
    let start = Int(min(offset, UInt64(bytes.count)))
    return Array(bytes[start...].prefix(max(0, length)))
  }

  // MARK: - The text (RFC 8216)

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The same text with absolute addresses: its address lines, and the attribute URI of its tags. A
  /// reference that makes no web address stays, and is refused when it is opened.
  static func withWholeAddresses(_ text: [UInt8], base: WebAddress) -> [UInt8] {
    var whole: [UInt8] = []
    whole.reserveCapacity(text.count * 2)
    for (index, line) in text.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      if index > 0 { whole.append(10) }
      let bare = line.last == 13 ? line.dropLast() : line
      let isTag =
        bare.first == UInt8(ascii: "#") || (index == 0 && bare.starts(with: byteOrderMark))
      whole += isTag ? tag(bare, base) : ArraySlice(address(bare, base))
      whole += line[bare.endIndex...]
    }
    return whole
  }

  private static func tag(_ line: ArraySlice<UInt8>, _ base: WebAddress) -> ArraySlice<UInt8> {
    let name = Array("URI=\"".utf8)
    guard line.starts(with: "#EXT".utf8), !line.starts(with: "#EXTINF".utf8),
      let found = line.firstRange(of: name),
      found.lowerBound > line.startIndex, [58, 44, 32].contains(line[found.lowerBound - 1]),
      let end = line[found.upperBound...].firstIndex(of: UInt8(ascii: "\""))
    else { return line }
    return line[..<found.upperBound] + address(line[found.upperBound..<end], base) + line[end...]
  }

  private static func address(_ text: ArraySlice<UInt8>, _ base: WebAddress) -> [UInt8] {
    let reference = String(decoding: text, as: UTF8.self)
    guard text.contains(where: { $0 > 0x20 }), let address = WebAddress(reference, relativeTo: base)
    else {
      return Array(text)
    }
    // A fragment is never sent to a server.
    return Array(address.url.utf8)
  }
}
