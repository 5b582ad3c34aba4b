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
  /// The numbers of the members' values, by key; at least as many as there are keys. 0, the number
  /// of the outermost value, means missing.
  private var numbers = InlineArray<80, Int32>(repeating: 0)

  /// None if the node is not an object.
  init(of node: JSONIndex.Node, in index: JSONIndex) {
    guard index.kind(of: node) == .object else { return }
    for name in index.children(of: node) {
      guard let key = Self.key(named: name, in: index) else { continue }
      numbers[key.rawValue] = Int32(index.value(ofKey: name).number)
    }
  }

  private static func key(named name: JSONIndex.Node, in index: JSONIndex) -> LottieKey? {
    if index.hasEscape(in: name) {
      guard let text = index.text(of: name) else { return nil }
      return LottieKey(Array(text.utf8).span)
    }
    let range = index.range(of: name)
    return LottieKey(index.bytes.span.extracting(range.lowerBound + 1..<range.upperBound - 1))
  }

  /// A member's value.
  subscript(key: LottieKey) -> JSONIndex.Node? {
    let number = Int(numbers[key.rawValue])
    return number == 0 ? nil : JSONIndex.Node(number: number)
  }
}
