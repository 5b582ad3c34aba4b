import JSONText

/// Rewrites a Lottie text so that rlottie 0.1 draws it as the format defines.
///
/// The renderer needs an object's type as its first member, whole numbers where it expects integers,
/// and members that are optional in the format (https://lottie.github.io/lottie-spec); otherwise it
/// draws nothing or rejects the text. Some things it draws wrongly, but correctly in an equivalent
/// form. Members that it does not read are left out. Numbers keep their digits, so that what was drawn
/// correctly does not change. The time is linear in the length of the output.
struct LottieNormaliser {
  typealias Node = JSONIndex.Node

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
  private var slots: [String: Node] = [:]
  /// The layers of the animation if they are moved into a composition of their own.
  private var movedLayers: Node?

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
    guard index.kind(of: index.root) == .object else { throw .noAnimation }
    readSlots(members[.slots])
    writeRaw("{\"v\":\"5.7.0\"")
    for key in [.w, .h] as [LottieKey] { writeSide(key, members[key]) }
    writeNumber(.fr, members[.fr])
    let start = writeFrameRange(members)
    if let layers = members[.layers], index.kind(of: layers) == .array {
      writeName(.layers)
      if start < 0 {
        movedLayers = layers
        writeRaw("[{\"ddd\":0,\"ty\":0,\"refId\":\"root\",\"ks\":{},\"sr\":1")
        writeRaw(",\"ip\":0,\"op\":\(Self.far),\"st\":\(-start)}]")
      } else {
        try writeLayers(layers)
      }
    }
    try writeAssets(members[.assets])
    writeRaw("}")
  }

  /// The length in frames of compositions that give none.
  static let far = 10_000_000

  /// Writes the first and last frame. rlottie counts frames from 0 on: an earlier start is moved to 0;
  /// layers must be moved by the returned number of frames.
  private mutating func writeFrameRange(_ members: LottieMembers) -> Int {
    let start = members[.ip].flatMap(double(of:)) ?? 0
    guard start < 0, start >= -LottieOutline.Limit.frameNumber,
      let end = members[.op].flatMap(double(of:))
    else {
      writeNumber(.ip, members[.ip])
      writeNumber(.op, members[.op])
      return 0
    }
    writeName(.ip)
    writeRaw("0")
    writeName(.op)
    write(end - start)
    return Int(start)
  }

  /// Writes a width or height, rounded to a whole number.
  private mutating func writeSide(_ key: LottieKey, _ node: Node?) {
    guard let node, let value = double(of: node) else { return }
    writeName(key)
    write(value.rounded())
  }

  private mutating func writeAssets(_ node: Node?) throws(DecodingError) {
    writeName(.assets)
    writeRaw("[")
    if let movedLayers { try writeComposition(Array("root".utf8), movedLayers) }
    for asset in elements(of: node) {
      let members = LottieMembers(of: asset, in: index)
      guard let name = members[.id].flatMap(reference(to:)) else { continue }
      if let layers = members[.layers], index.kind(of: layers) == .array {
        try writeComposition(name, layers)
      } else if members[.p] != nil {
        try writePicture(name, members)
      }
    }
    for (number, picture) in wrapped.enumerated() {
      separate()
      writeRaw("{\"id\":\"wrapped\(number)\",\"layers\":[{\"ddd\":0,\"ty\":2,\"refId\":\"")
      out += picture
      writeRaw("\",\"ks\":{},\"ip\":\(-Self.far),\"op\":\(Self.far),\"st\":0}]}")
    }
    writeRaw("]")
  }

  private mutating func writeComposition(_ name: [UInt8], _ layers: Node) throws(DecodingError) {
    separate()
    writeRaw("{\"id\":\"")
    out += name
    writeRaw("\",\"layers\":")
    try writeLayers(layers)
    writeRaw("}")
  }

  /// An asset's name from a text or a number, quoted, and changed so that it cannot equal one of our
  /// own.
  func reference(to node: Node) -> [UInt8]? {
    switch index.kind(of: node) {
    case .string, .number: index.text(of: node).map { Array("_\(JSONEscapes.inASCII($0))".utf8) }
    default: nil
    }
  }

  private mutating func readSlots(_ node: Node?) {
    guard let node, index.kind(of: node) == .object else { return }
    for key in index.children(of: node) {
      let slot = LottieMembers(of: index.value(ofKey: key), in: index)
      if let name = index.text(of: key), let value = slot[.p] { slots[name] = value }
    }
  }

  /// The value of a property's slot.
  mutating func slot(named node: Node) -> Node? {
    guard let name = index.text(of: node), let value = slots[name] else {
      lacks.insert(.slots)
      return nil
    }
    return value
  }

  // MARK: Reading

  /// The elements of an array; none if it is not an array.
  func elements(of node: Node?) -> [Node] {
    guard let node, index.kind(of: node) == .array else { return [] }
    return Array(index.children(of: node))
  }

  /// The value of one member; faster than `LottieMembers`.
  func member(_ key: LottieKey, of node: Node) -> Node? {
    guard index.kind(of: node) == .object else { return nil }
    let written = key.written
    var found: Node?
    for name in index.children(of: node) {
      if index.hasEscape(in: name) { return LottieMembers(of: node, in: index)[key] }
      let range = index.range(of: name)
      if range.count == written.count - 1,
        range.indices.allSatisfy({ index.bytes[$0] == written[$0 - range.lowerBound] })
      {
        found = index.value(ofKey: name)
      }
    }
    return found
  }

  /// A number, which may be written as text.
  func double(of node: Node) -> Double? {
    switch index.kind(of: node) {
    case .number, .string:
      index.text(of: node).flatMap { Double($0) }.flatMap { $0.isNaN ? nil : $0 }
    default: nil
    }
  }

  /// A number, rounded.
  func integer(of node: Node?) -> Int? {
    guard let node, let value = double(of: node), abs(value) <= 1e9 else { return nil }
    return Int(value.rounded())
  }

  /// Whether it is true, or a number that means true.
  func isTrue(_ node: Node?) -> Bool {
    guard let node else { return false }
    switch index.kind(of: node) {
    case .bool: return index.bytes[index.range(of: node).lowerBound] == UInt8(ascii: "t")
    case .number: return double(of: node) != 0
    default: return false
    }
  }

  // MARK: Writing

  mutating func writeRaw(_ text: String) { out += text.utf8 }

  /// Copies a value unchanged.
  mutating func copy(_ node: Node) { out += index.bytes[index.range(of: node)] }

  /// Writes a comma, unless this is the first element.
  mutating func separate() {
    if out.last != UInt8(ascii: "{"), out.last != UInt8(ascii: "[") {
      out.append(UInt8(ascii: ","))
    }
  }

  mutating func writeName(_ key: LottieKey) {
    separate()
    out += key.written
  }

  mutating func write(_ value: Double) {
    if value == value.rounded(), abs(value) < 1e15 {
      writeRaw(String(Int(value)))
    } else {
      // JSON cannot express infinity.
      writeRaw("\(min(max(value, -1e300), 1e300))")
    }
  }

  /// Writes a number with its own digits.
  mutating func writeNumber(_ node: Node) -> Bool {
    if index.kind(of: node) == .number {
      copy(node)
    } else {
      guard let value = double(of: node), value.isFinite else { return false }
      write(value)
    }
    return true
  }

  mutating func writeNumber(_ key: LottieKey, _ node: Node?) {
    guard let node else { return }
    attempt(key) { $0.writeNumber(node) }
  }

  mutating func writeInteger(_ key: LottieKey, _ node: Node?) {
    guard let value = integer(of: node) else { return }
    writeName(key)
    writeRaw(String(value))
  }

  /// Writes a member, or nothing where its value cannot be written.
  mutating func attempt<Failure: Error>(
    _ key: LottieKey, _ body: (inout Self) throws(Failure) -> Bool
  ) throws(Failure) {
    try attempt { (normaliser: inout Self) throws(Failure) in
      normaliser.writeName(key)
      return try body(&normaliser)
    }
  }

  /// Runs `body`, and takes back what it wrote where it gives false.
  mutating func attempt<Failure: Error>(
    _ body: (inout Self) throws(Failure) -> Bool
  ) throws(Failure) {
    let start = out.count
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
