/// The length of a track of a fragmented MP4 (ISO 14496-12, 8.8 and 8.16.3). The header need not
/// contain it: it is looked for in the header, in an index of the whole file, and in the last fragment.
package struct FragmentedMP4 {
  /// Reads bytes at an offset; fewer at the end, none if they cannot be read.
  package typealias Read = (_ offset: Int64, _ count: Int) -> [UInt8]

  private let read: Read
  private let length: Int64
  /// The track's number; its clock runs at `timescale` ticks a second.
  private let track: UInt32
  private let timescale: Int64

  private static let longestHeader = 4 << 20
  /// The last fragment of a sound usually lies within so many last bytes.
  private static let tail: Int64 = 256 << 10
  private static let mostBoxes = 4_096

  /// - Parameters:
  ///   - length: of the file, in bytes.
  ///   - timescale: ticks a second of the track's own clock.
  package init(length: Int64, track: UInt32, timescale: Int64, read: @escaping Read) {
    self.length = length
    self.track = track
    self.timescale = timescale
    self.read = read
  }

  /// - Parameters:
  ///   - start: where the track starts on its own clock, in ticks.
  ///   - isAvailable: whether all fragments can be read without waiting for a network.
  package func duration(from start: Int64, isAvailable: Bool) -> Duration? {
    guard timescale > 0, let (header, next) = findHeader(),
      let extends = header.child("mvex")
    else { return nil }
    if let total = Self.declared(header, extends) { return total }
    if let total = indexed(from: next) { return total }
    let usual = extends.children.first {
      $0.type == "trex" && $0.bytes.number(at: 4, 4) == Int64(track)
    }.flatMap { $0.bytes.number(at: 12, 4) }
    let last = fragmentInIndex(usual) ?? fragmentInTail(usual)
    guard let end = last ?? (isAvailable ? lastFragment(from: next, usual) : nil), end > start
    else {
      return nil
    }
    return Self.time(end - start, timescale)
  }

  private static func time(_ ticks: Int64, _ timescale: Int64) -> Duration? {
    guard ticks > 0, timescale > 0 else { return nil }
    return .seconds(1) * (Double(ticks) / Double(timescale))
  }

  // MARK: The header

  private func findHeader() -> (header: MP4Box, next: Int64)? {
    var offset: Int64 = 0
    for _ in 0..<64 {
      guard let head = MP4BoxHead(read(offset, 16), upTo: length - offset) else { return nil }
      if head.type == "moov" {
        guard head.size <= Self.longestHeader else { return nil }
        let bytes = read(offset, Int(head.size))
        guard bytes.count == head.size else { return nil }
        return (MP4Box(type: head.type, bytes: bytes.dropFirst(head.length)), offset + head.size)
      }
      offset += head.size
    }
    return nil
  }

  /// The length of all fragments, from the header (8.8.2).
  private static func declared(_ header: MP4Box, _ extends: MP4Box) -> Duration? {
    guard let scale = header.child("mvhd")?.bytes, let total = extends.child("mehd")?.bytes,
      let timescale = scale.number(at: scale.first == 1 ? 20 : 12, 4),
      let ticks = total.number(at: 4, total.first == 1 ? 8 : 4)
    else { return nil }
    return time(ticks, timescale)
  }

  /// The length from an index of segments, if it reaches to the end of the file.
  private func indexed(from start: Int64) -> Duration? {
    var offset = start
    for _ in 0..<8 {
      guard let head = MP4BoxHead(read(offset, 16), upTo: length - offset) else { return nil }
      if head.type == "moof" || head.type == "mdat" { return nil }
      if head.type == "sidx", head.size <= Self.longestHeader {
        let box = read(offset + Int64(head.length), Int(head.size) - head.length)
        if let index = SegmentIndex(box[...]) {
          let end = offset + head.size + index.bytes
          let next = MP4BoxHead(read(end, 16), upTo: length - end)
          if end >= length || next?.type == "mfra" {
            return Self.time(index.ticks, index.timescale)
          }
        }
      }
      offset += head.size
    }
    return nil
  }

  // MARK: The last fragment

  /// The end of the track by the last fragment in the index at the end of the file (8.8.9 to 8.8.11).
  private func fragmentInIndex(_ usual: Int64?) -> Int64? {
    guard length > 16, read(length - 12, 4).elementsEqual("mfro".utf8),
      let size = read(length - 4, 4)[...].number(at: 0, 4), size > 16,
      size <= min(length, Int64(Self.longestHeader)),
      case let bytes = read(length - size, Int(size)), bytes.count == size,
      let head = MP4BoxHead(bytes, upTo: size), head.type == "mfra"
    else { return nil }
    let index = MP4Box(type: head.type, bytes: bytes.dropFirst(head.length))
    let last = index.children.filter { $0.type == "tfra" }.compactMap { box -> Int64? in
      guard box.bytes.number(at: 4, 4) == Int64(track), let lengths = box.bytes.number(at: 8, 4),
        let count = box.bytes.number(at: 12, 4), count > 0
      else { return nil }
      let wide = box.bytes.first == 1 ? 8 : 4
      let entry = 2 * wide + [0, 2, 4].reduce(0) { $0 + Int(lengths >> $1 & 3) + 1 }
      return box.bytes.number(at: 16 + (Int(count) - 1) * entry + wide, wide)
    }.max()
    return last.flatMap { fragment(at: $0, usual)?.end }
  }

  /// Searches the end of the file for the mark of the last fragment.
  private func fragmentInTail(_ usual: Int64?) -> Int64? {
    let begin = max(0, length - Self.tail)
    let bytes = read(begin, Int(length - begin))
    let marks: [UInt8] = Array("moof".utf8)
    var place = bytes.count - 8
    // The mark can occur in a picture's bytes by chance, but not often.
    var left = 16
    while place >= 4, left > 0 {
      if bytes[place] == marks[0], bytes[place..<place + 4].elementsEqual(marks) {
        if let end = fragment(at: begin + Int64(place) - 4, usual)?.end { return end }
        left -= 1
      }
      place -= 1
    }
    return nil
  }

  /// Goes from fragment to fragment.
  private func lastFragment(from start: Int64, _ usual: Int64?) -> Int64? {
    var offset = start
    var end: Int64?
    for _ in 0..<Self.mostBoxes {
      guard let head = MP4BoxHead(read(offset, 16), upTo: length - offset) else { return end }
      if head.type == "moof" { end = fragment(at: offset, usual)?.end ?? end }
      offset += head.size
    }
    return nil
  }

  /// The end of the track in a fragment, on the track's own clock; nil if the fragment has no samples
  /// of it.
  private func fragment(at offset: Int64, _ usual: Int64?) -> (end: Int64, size: Int64)? {
    guard offset >= 0, let head = MP4BoxHead(read(offset, 16), upTo: length - offset),
      head.type == "moof", head.size <= Self.longestHeader,
      case let bytes = read(offset, Int(head.size)), bytes.count == head.size
    else { return nil }
    let box = MP4Box(type: head.type, bytes: bytes.dropFirst(head.length))
    guard box.child("mfhd") != nil else { return nil }
    for part in box.children where part.type == "traf" {
      if let end = TrackFragment(part, of: track, usual: usual)?.end { return (end, head.size) }
    }
    return nil
  }
}

/// An index of segments (8.16.3).
private struct SegmentIndex {
  var timescale: Int64
  /// The sum of all lengths.
  var ticks: Int64 = 0
  var bytes: Int64

  init?(_ box: ArraySlice<UInt8>) {
    let wide = box.first == 0 ? 4 : 8
    guard let timescale = box.number(at: 8, 4), let first = box.number(at: 12 + wide, wide),
      let count = box.number(at: 14 + 2 * wide, 2), first < 1 << 40
    else { return nil }
    self.timescale = timescale
    bytes = first
    for entry in 0..<Int(count) {
      guard let size = box.number(at: 16 + 2 * wide + 12 * entry, 4),
        let duration = box.number(at: 20 + 2 * wide + 12 * entry, 4)
      else { return nil }
      // An entry may refer to another index, which covers the same time.
      bytes += size & 0x7FFF_FFFF
      ticks += duration
    }
  }
}

/// A track's samples in a fragment (8.8.6 to 8.8.8, 8.8.12).
private struct TrackFragment {
  let end: Int64

  init?(_ box: MP4Box, of track: UInt32, usual: Int64?) {
    guard let header = box.child("tfhd")?.bytes, header.number(at: 4, 4) == Int64(track),
      let flags = header.number(at: 1, 3), let begin = box.child("tfdt")?.bytes,
      let time = begin.number(at: 4, begin.first == 1 ? 8 : 4), time < 1 << 60
    else { return nil }
    let place = 8 + (flags & 1 != 0 ? 8 : 0) + (flags & 2 != 0 ? 4 : 0)
    let step = flags & 8 != 0 ? header.number(at: place, 4) : usual
    var end = time
    for run in box.children where run.type == "trun" {
      guard let ticks = Self.length(of: run.bytes, step: step), ticks < 1 << 40 else { return nil }
      end += ticks
    }
    self.end = end
  }

  private static func length(of run: ArraySlice<UInt8>, step: Int64?) -> Int64? {
    guard let flags = run.number(at: 1, 3), let count = run.number(at: 4, 4) else { return nil }
    guard flags & 0x100 != 0 else {
      guard let product = step?.multipliedReportingOverflow(by: count), !product.overflow else {
        return nil
      }
      return product.partialValue
    }
    let fields = [0x100, 0x200, 0x400, 0x800].filter { flags & $0 != 0 }.count
    var place = 8 + (flags & 1 != 0 ? 4 : 0) + (flags & 4 != 0 ? 4 : 0)
    var ticks: Int64 = 0
    for _ in 0..<count {
      guard let duration = run.number(at: place, 4) else { return nil }
      ticks += duration
      place += 4 * fields
    }
    return ticks
  }
}

/// The header of a box (4.2).
private struct MP4BoxHead {
  let type: String
  /// The size of the whole box and of its header, in bytes.
  let size: Int64
  let length: Int

  init?(_ bytes: [UInt8], upTo rest: Int64) {
    let bytes = bytes[...]
    guard let short = bytes.number(at: 0, 4), bytes.count >= 8 else { return nil }
    type = String(decoding: bytes[4..<8], as: UTF8.self)
    length = short == 1 ? 16 : 8
    size = short == 0 ? rest : short == 1 ? bytes.number(at: 8, 8) ?? 0 : short
    guard size >= length, size <= rest else { return nil }
  }
}

/// A box in memory.
private struct MP4Box {
  let type: String
  /// The box's contents.
  let bytes: ArraySlice<UInt8>

  var children: [MP4Box] {
    var rest = bytes
    var children: [MP4Box] = []
    while let head = MP4BoxHead(Array(rest.prefix(16)), upTo: Int64(rest.count)) {
      let size = Int(head.size)
      children.append(MP4Box(type: head.type, bytes: rest.prefix(size).dropFirst(head.length)))
      rest = rest.dropFirst(size)
    }
    return children
  }

  func child(_ type: String) -> MP4Box? { children.first { $0.type == type } }
}

extension ArraySlice<UInt8> {
  /// A big-endian number of so many bytes; nil if it does not lie in them, or is too large to be
  /// sensible.
  fileprivate func number(at offset: Int64, _ size: Int) -> Int64? { number(at: Int(offset), size) }

  fileprivate func number(at offset: Int, _ size: Int) -> Int64? {
    guard offset >= 0, offset <= count, count - offset >= size else { return nil }
    let start = startIndex + offset
    let value = self[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(exactly: value)
  }
}
