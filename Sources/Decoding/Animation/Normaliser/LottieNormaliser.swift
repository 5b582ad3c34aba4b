import JSONText

/// Rewrites a Lottie text so that rlottie 0.1 draws it as the format defines.
///
/// The renderer needs an object's type as its first member, whole numbers where it expects integers,
/// and members that are optional in the format (https://lottie.github.io/lottie-spec); otherwise it
/// draws nothing or rejects the text. Some things it draws wrongly, but correctly in an equivalent
/// form. Members that it does not read are left out. Numbers keep their digits, so that what was drawn
/// correctly does not change. The time is linear in the length of the output.
struct LottieNormaliser {
  let index: JSONIndex
  /// The archive with the pictures that are not in the text, if there is one.
  let archive: ZipArchive?
  var out: [UInt8] = []
  var lacks: Set<LottieLack> = []
  /// Pictures that are wrapped in a composition of their own, by the names of their assets.
  var wrapped: [[UInt8]] = []
  /// The pictures of the archive by path; nil before the first is requested.
  var packedPictures: [String: [UInt8]]?
  var pictureBytes = 0
  var picturePixels = 0
  private var slots: [String: Int] = [:]
  /// The layers of the animation if they are moved into a composition of their own.
  private var movedLayers: Int?

  enum Limit {
    /// The longest output. It may be longer than the input, since slots and mattes are written several
    /// times.
    static let bytes = 2 * LottieOutline.Limit.bytes
    /// The most bytes of pictures that are converted or come from the archive.
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

  /// The length in frames of compositions that give none.
  static let far = 10_000_000

  /// Writes the first and last frame. rlottie counts frames from 0 on: an earlier start is moved to 0;
  /// layers must be moved by the returned number of frames.
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

  /// Writes a width or height, rounded to a whole number.
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

  /// An asset's name from a text or a number, escaped, with a prefix that our own names do not have.
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

  /// The value of a property's slot.
  mutating func slot(named place: Int) -> Int? {
    guard let name = index.text(of: place), let value = slots[name] else {
      lacks.insert(.slots)
      return nil
    }
    return value
  }

  // MARK: Reading

  /// The places of an array's elements; empty if it is not an array.
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

  /// The place of one member's value; faster than `LottieMembers`.
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

  /// A number, which may be written as text.
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

  /// Whether it is true, or a number that means true.
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

  /// Copies the value at a place unchanged.
  mutating func copy(_ place: Int) { out += index.bytes[index.range(of: place)] }

  /// Writes a comma, unless this is the first element.
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
      // JSON cannot express infinity.
      raw("\(min(max(value, -1e300), 1e300))")
    }
  }

  /// Writes a number with its own digits.
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

  /// Throws if the output is too long: slots, mattes and gradients may be repeated many times.
  func checkLength() throws(DecodingError) {
    guard out.count - pictureBytes <= Limit.bytes else { throw .tooComplex }
  }
}

/// The text of an animation as it is given to the renderer.
package struct NormalisedLottie {
  package let text: [UInt8]
  /// What is not drawn, in words that follow "NAME: "; nil if everything is.
  package let note: String?

  /// Throws if the text is not JSON, or the output would be too long.
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
