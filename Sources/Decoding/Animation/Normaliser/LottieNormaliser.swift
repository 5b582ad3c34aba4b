import JSONText

/// Writes a Lottie text anew so that rlottie 0.1 draws it as the format means it.
///
/// That renderer wants an object's type before all else of it, whole numbers where it counts with
/// such, and members that the format leaves out (https://lottie.github.io/lottie-spec): else it draws
/// nothing, or takes the whole text for damaged. Some things it draws wrong, but right when they are
/// said in another way. What it would not read is left out; numbers keep their digits, so that what it
/// drew right looks the same. The time is linear in what is written.
struct LottieNormaliser {
  let index: JSONIndex
  /// Where pictures beside the text lie, if it came in a zip.
  let archive: ZipArchive?
  var out: [UInt8] = []
  var lacks: Set<LottieLack> = []
  /// Pictures that are drawn as a composition of their own, by the names of their assets.
  var wrapped: [[UInt8]] = []
  /// The pictures of the archive by their paths, once one was asked for.
  var packedPictures: [String: [UInt8]]?
  var pictureBytes = 0
  var picturePixels = 0
  private var slots: [String: Int] = [:]
  /// The layers of the animation, where they are moved into a composition of their own.
  private var movedLayers: Int?

  enum Limit {
    /// What slots and mattes repeat makes a text longer.
    static let bytes = 2 * LottieOutline.Limit.bytes
    /// Of pictures that are written in another format, or come from beside the text.
    static let pictureBytes = 4 * LottieOutline.Limit.bytes
  }

  init(_ text: [UInt8], archive: ZipArchive?) throws(DecodingError) {
    do throws(JSONReader.Failure) {
      index = try JSONIndex(text)
    } catch {
      throw .notReadable(error)
    }
    self.archive = archive
    out.reserveCapacity(text.count + 1024)
  }

  // MARK: The animation

  mutating func run() throws(DecodingError) {
    let members = LottieMembers(of: index.root, in: index)
    guard index.kind(at: index.root) == .object else { throw .noAnimation }
    readSlots(members[.slots])
    raw("{\"v\":\"5.7.0\"")
    for key in [.w, .h] as [LottieKey] { side(key, members[key]) }
    number(.fr, members[.fr])
    let start = time(members)
    if let layers = members[.layers], index.kind(at: layers) == .array {
      name(.layers)
      if start < 0 {
        movedLayers = layers
        raw("[{\"ddd\":0,\"ty\":0,\"refId\":\"root\",\"ks\":{},\"sr\":1")
        raw(",\"ip\":0,\"op\":\(Self.far),\"st\":\(-start)}]")
      } else {
        try self.layers(layers)
      }
    }
    try assets(members[.assets])
    raw("}")
  }

  /// Compositions that say nothing else last so long, in frames.
  static let far = 10_000_000

  /// Writes when the animation begins and ends. rlottie counts frames from 0 on: an earlier start is
  /// moved there, and the layers with it by what is returned.
  private mutating func time(_ members: LottieMembers) -> Int {
    let start = members[.ip].flatMap(value(at:)) ?? 0
    guard start < 0, start >= -LottieOutline.Limit.frameNumber,
      let end = members[.op].flatMap(value(at:))
    else {
      number(.ip, members[.ip])
      number(.op, members[.op])
      return 0
    }
    name(.ip)
    raw("0")
    name(.op)
    write(end - start)
    return Int(start)
  }

  /// A width or height: the nearest whole number.
  private mutating func side(_ key: LottieKey, _ place: Int?) {
    guard let place, let value = value(at: place) else { return }
    name(key)
    write(value.rounded())
  }

  private mutating func assets(_ place: Int?) throws(DecodingError) {
    name(.assets)
    raw("[")
    if let movedLayers { try composition(Array("root".utf8), movedLayers) }
    for asset in elements(of: place) {
      let members = LottieMembers(of: asset, in: index)
      guard let name = members[.id].flatMap(reference(at:)) else { continue }
      if let layers = members[.layers], index.kind(at: layers) == .array {
        try composition(name, layers)
      } else if members[.p] != nil {
        try picture(name, members)
      }
    }
    for (number, picture) in wrapped.enumerated() {
      separate()
      raw("{\"id\":\"wrapped\(number)\",\"layers\":[{\"ddd\":0,\"ty\":2,\"refId\":\"")
      out += picture
      raw("\",\"ks\":{},\"ip\":\(-Self.far),\"op\":\(Self.far),\"st\":0}]}")
    }
    raw("]")
  }

  private mutating func composition(_ name: [UInt8], _ layers: Int) throws(DecodingError) {
    separate()
    raw("{\"id\":\"")
    out += name
    raw("\",\"layers\":")
    try self.layers(layers)
    raw("}")
  }

  /// An asset's name, as texts and numbers give it, between quotes and apart from our own.
  func reference(at place: Int) -> [UInt8]? {
    switch index.kind(at: place) {
    case .string, .number: index.text(of: place).map { Array("_\(JSONEscapes.inASCII($0))".utf8) }
    default: nil
    }
  }

  private mutating func readSlots(_ place: Int?) {
    guard let place, index.kind(at: place) == .object else { return }
    let inside = index.inside(place)
    var next = inside.lowerBound
    while next < inside.upperBound {
      if let name = index.text(of: next), let value = LottieMembers(of: next + 1, in: index)[.p] {
        slots[name] = value
      }
      next = index.place(after: next + 1)
    }
  }

  /// The value that stands in for a property, by the slot that it names.
  mutating func slot(named place: Int) -> Int? {
    guard let name = index.text(of: place), let value = slots[name] else {
      lacks.insert(.slots)
      return nil
    }
    return value
  }

  // MARK: Reading

  /// The places of an array's elements; none where it is something else.
  func elements(of place: Int?) -> [Int] {
    guard let place, index.kind(at: place) == .array else { return [] }
    let inside = index.inside(place)
    var places: [Int] = []
    var next = inside.lowerBound
    while next < inside.upperBound {
      places.append(next)
      next = index.place(after: next)
    }
    return places
  }

  /// The place of one member's value: quicker than to look at all of them.
  func member(_ key: LottieKey, of place: Int) -> Int? {
    guard index.kind(at: place) == .object else { return nil }
    let written = key.written
    let inside = index.inside(place)
    var found: Int?
    var next = inside.lowerBound
    while next < inside.upperBound {
      if index.hasEscape(at: next) { return LottieMembers(of: place, in: index)[key] }
      let range = index.range(of: next)
      if range.count == written.count - 1,
        range.indices.allSatisfy({ index.bytes[$0] == written[$0 - range.lowerBound] })
      {
        found = next + 1
      }
      next = index.place(after: next + 1)
    }
    return found
  }

  /// A number, also one that stands there as text.
  func value(at place: Int) -> Double? {
    switch index.kind(at: place) {
    case .number, .string:
      index.text(of: place).flatMap { Double($0) }.flatMap { $0.isNaN ? nil : $0 }
    default: nil
    }
  }

  func wholeNumber(_ place: Int?) -> Int? {
    guard let place, let value = value(at: place), abs(value) <= 1e9 else { return nil }
    return Int(value.rounded())
  }

  /// True, or a number that stands for it.
  func isTrue(_ place: Int?) -> Bool {
    guard let place else { return false }
    switch index.kind(at: place) {
    case .bool: return index.bytes[index.range(of: place).lowerBound] == UInt8(ascii: "t")
    case .number: return value(at: place) != 0
    default: return false
    }
  }

  // MARK: Writing

  mutating func raw(_ text: String) { out += text.utf8 }

  /// What lies at a place, as it is written there.
  mutating func copy(_ place: Int) { out += index.bytes[index.range(of: place)] }

  /// A comma, unless it is the first.
  mutating func separate() {
    if out.last != UInt8(ascii: "{"), out.last != UInt8(ascii: "[") {
      out.append(UInt8(ascii: ","))
    }
  }

  mutating func name(_ key: LottieKey) {
    separate()
    out += key.written
  }

  mutating func write(_ value: Double) {
    if value == value.rounded(), abs(value) < 1e15 {
      raw(String(Int(value)))
    } else {
      // Beyond all numbers there is none that text could name.
      raw("\(min(max(value, -1e300), 1e300))")
    }
  }

  /// A number with its own digits.
  mutating func writeNumber(at place: Int) -> Bool {
    if index.kind(at: place) == .number {
      copy(place)
    } else {
      guard let value = value(at: place), value.isFinite else { return false }
      write(value)
    }
    return true
  }

  mutating func number(_ key: LottieKey, _ place: Int?) {
    guard let place else { return }
    attempt(key) { $0.writeNumber(at: place) }
  }

  mutating func wholeNumber(_ key: LottieKey, _ place: Int?) {
    guard let value = wholeNumber(place) else { return }
    name(key)
    raw(String(value))
  }

  /// Writes a member, or nothing where its value cannot be written.
  mutating func attempt<Failure: Error>(
    _ key: LottieKey, _ body: (inout Self) throws(Failure) -> Bool
  ) throws(Failure) {
    let start = out.count
    name(key)
    if try !body(&self) { out.removeSubrange(start...) }
  }

  /// Slots, mattes and gradients may be written many times.
  func checkLength() throws(DecodingError) {
    guard out.count - pictureBytes <= Limit.bytes else { throw .tooComplex }
  }
}

/// An animation's text as the renderer is given it.
package struct NormalisedLottie {
  package let text: [UInt8]
  /// What the renderer leaves out, in words that follow "NAME: "; nil where it draws everything.
  package let note: String?

  /// Throws where the text is no JSON, or would become too long.
  package init(_ text: [UInt8]) throws(DecodingError) {
    try self.init(text, archive: nil)
  }

  init(_ text: [UInt8], archive: ZipArchive?) throws(DecodingError) {
    var normaliser = try LottieNormaliser(text, archive: archive)
    try normaliser.run()
    self.text = normaliser.out
    note = LottieLack.note(on: normaliser.lacks)
  }
}
