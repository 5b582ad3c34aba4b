import JSONText

/// The names of members that the renderer uses, or that show what it does not draw.
enum LottieKey: Int, CaseIterable {
  case a, ao, assets, bm, c, d, ddd, e, ef, en, eo, f, fr, g, h, hasMask, hd, i, id, ind, inv, ip,
    `is`, it, ir, k, ks, layers, lc, lj, m, masksProperties, ml, mm, mode, n, o, op, or, os, p,
    parent, pt, r, refId, rx, ry, rz, s, sc, sh, shapes, sid, sk, slots, so, sr, st, sw, sy, t, td,
    ti, tm, to, tp, tr, tt, ty, u, v, w, x, y

  /// As written in a text: in quotes, with a colon.
  var written: [UInt8] { Self.written[rawValue] }

  private static let written = allCases.map { Array("\"\($0)\":".utf8) }

  /// A hash table, looked up for each name in a text: `Dictionary` takes five times as long.
  private struct Table {
    private struct Entry {
      let key: LottieKey
      let name: [UInt8]
      /// The first eight bytes, as one number.
      let start: UInt64
    }
    private var entries = [Entry?](repeating: nil, count: 1 << bits)
    private static let bits: UInt64 = 8

    init(_ keys: [LottieKey]) {
      for key in keys {
        let name = Array("\(key)".utf8)
        let start = Self.start(of: name.span)
        var slot = Self.slot(of: start)
        while entries[slot] != nil { slot = (slot + 1) % entries.count }
        entries[slot] = Entry(key: key, name: name, start: start)
      }
    }

    func key(named name: Span<UInt8>) -> LottieKey? {
      let start = Self.start(of: name)
      var slot = Self.slot(of: start)
      while let entry = entries[slot] {
        if entry.start == start {
          guard entry.name.count == name.count,
            name.count <= 8 || name.indices.allSatisfy({ entry.name[$0] == name[$0] })
          else { return nil }
          return entry.key
        }
        slot = (slot + 1) % entries.count
      }
      return nil
    }

    private static func start(of name: Span<UInt8>) -> UInt64 {
      var start: UInt64 = 0
      for index in 0..<min(8, name.count) { start = start << 8 | UInt64(name[index]) }
      return start
    }

    private static func slot(of start: UInt64) -> Int {
      Int(truncatingIfNeeded: (start &* 0x9E37_79B9_7F4A_7C15) >> (64 - bits))
    }
  }

  private static let table = Table(allCases)

  /// The key of this name, if any.
  init?(_ name: Span<UInt8>) {
    guard let key = Self.table.key(named: name) else { return nil }
    self = key
  }
}

/// The members of an object by name; of several with the same name the last one counts, as in
/// JavaScript.
struct LottieMembers {
  /// At least as many as there are keys. 0 means missing: it is the place of the outermost value.
  private var places = InlineArray<80, Int32>(repeating: 0)

  /// The members of the object at a place; none if it is not an object.
  init(of place: Int, in index: JSONIndex) {
    guard index.kind(at: place) == .object else { return }
    let inside = index.inside(place)
    var next = inside.lowerBound
    while next < inside.upperBound {
      let value = next + 1
      if let key = Self.key(at: next, in: index) { places[key.rawValue] = Int32(value) }
      next = index.place(after: value)
    }
  }

  private static func key(at place: Int, in index: JSONIndex) -> LottieKey? {
    if index.hasEscape(at: place) {
      guard let text = index.text(of: place) else { return nil }
      return LottieKey(Array(text.utf8).span)
    }
    let range = index.range(of: place)
    return LottieKey(index.bytes.span.extracting(range.lowerBound + 1..<range.upperBound - 1))
  }

  /// The place of a member's value.
  subscript(key: LottieKey) -> Int? {
    places[key.rawValue] == 0 ? nil : Int(places[key.rawValue])
  }
}
