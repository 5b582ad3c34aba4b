import JSONText

/// Collects from a Lottie text what `LottieOutline` checks. All members of the same name count, since
/// it is unknown which one the renderer uses.
struct LottieReader {
  private(set) var width: Double?
  private(set) var height: Double?
  private(set) var rate: Double?
  private(set) var firstFrame: Double?
  private(set) var endFrame: Double?
  private(set) var compositions = LottieCompositions()
  private var hasLayers = false
  private var pixels = 0
  private var reader: JSONReader

  init(_ text: [UInt8]) { reader = JSONReader(text) }

  /// Reads all of it.
  mutating func read() throws(DecodingError) {
    do throws(JSONReader.Failure) {
      try readMembers()
    } catch {
      throw .notReadable(error)
    }
    guard hasLayers else { throw .noAnimation }
    guard pixels <= LottieOutline.Limit.pixels else { throw .tooLargePictures }
  }

  private mutating func readMembers() throws(JSONReader.Failure) {
    guard try reader.peek() == .object else { return }
    try reader.enter()
    while let key = try reader.nextKey() {
      switch key {
      case "w": width = try number(beside: width)
      case "h": height = try number(beside: height)
      case "fr": rate = try reader.largestNumber(beside: rate)
      case "ip": firstFrame = try reader.largestNumber(beside: nil)
      case "op": endFrame = try reader.largestNumber(beside: endFrame)
      case "layers":
        hasLayers = try reader.peek() == .array || hasLayers
        let layers = try readLayers()
        compositions.outermost.add(layers)
      case "assets": try readAssets()
      default: try reader.skip()
      }
    }
    try reader.finish()
  }

  /// A length; of two, the one that is further out of range counts.
  private mutating func number(beside known: Double?) throws(JSONReader.Failure) -> Double? {
    guard let value = try reader.largestNumber(beside: nil) else { return known }
    guard let known else { return value }
    return value < 1 || known < 1 ? min(value, known) : max(value, known)
  }

  private mutating func readAssets() throws(JSONReader.Failure) {
    guard try reader.peek() == .array else { return try reader.skip() }
    try reader.enter()
    while try reader.nextElement() {
      guard try reader.peek() == .object else {
        try reader.skip()
        continue
      }
      try readAsset()
    }
  }

  private mutating func readAsset() throws(JSONReader.Failure) {
    var name = ""
    var composition = LottieCompositions.Composition()
    try reader.enter()
    while let key = try reader.nextKey() {
      switch (key, try reader.peek()) {
      case ("id", .string): name = try reader.string()
      case ("layers", _): composition.add(try readLayers())
      case ("p", .string): pixels += EmbeddedPicture.pixels(of: try reader.string())
      default: try reader.skip()
      }
    }
    compositions.named[name, default: .init()].add(composition)
  }

  private mutating func readLayers() throws(JSONReader.Failure) -> LottieCompositions.Composition {
    var composition = LottieCompositions.Composition()
    guard try reader.peek() == .array else {
      try reader.skip()
      return composition
    }
    try reader.enter()
    while try reader.nextElement() {
      guard try reader.peek() == .object else {
        try reader.skip()
        continue
      }
      composition.parts += 1
      try reader.enter()
      while let key = try reader.nextKey() {
        switch (key, try reader.peek()) {
        case ("refId", .string): composition.uses[try reader.string(), default: 0] += 1
        case ("shapes", .array): composition.parts += try reader.shapeCount()
        default: try reader.skip()
        }
      }
    }
    return composition
  }
}

extension DecodingError {
  static let tooLargePictures = DecodingError("the pictures in the animation are too large")

  /// The text is not JSON, or is nested too deeply.
  static func notReadable(_ failure: JSONReader.Failure) -> DecodingError {
    failure.what.hasPrefix("it is nested")
      ? DecodingError("the animation cannot be drawn: \(failure.what)")
      : DecodingError("damaged or cut off: not valid JSON", .damage)
  }
}

extension LottieCompositions.Composition {
  fileprivate mutating func add(_ other: Self) {
    parts += other.parts
    uses.merge(other.uses) { $0 + $1 }
  }
}

extension JSONReader {
  /// The larger of the next number and the known one; other values leave the known one.
  fileprivate mutating func largestNumber(beside known: Double?) throws(Failure) -> Double? {
    guard try peek() == .number else {
      try skip()
      return known
    }
    guard let value = Double(try number()) else { return known }
    return max(value, known ?? value)
  }

  /// The largest number anywhere in the next value; 0 if there is none.
  fileprivate mutating func largestNumberInside() throws(Failure) -> Double {
    switch try peek() {
    case .number: return Double(try number()) ?? 0
    case .array:
      var largest = 0.0
      try enter()
      while try nextElement() { largest = max(largest, try largestNumberInside()) }
      return largest
    case .object:
      var largest = 0.0
      try enter()
      while try nextKey() != nil { largest = max(largest, try largestNumberInside()) }
      return largest
    default:
      try skip()
      return 0
    }
  }

  /// The number of shapes in the next array, including those in groups and the copies that a repeater
  /// makes.
  fileprivate mutating func shapeCount() throws(Failure) -> Double {
    var sum = 0.0
    var copies = 1.0
    try enter()
    while try nextElement() {
      guard try peek() == .object else {
        try skip()
        continue
      }
      var kind = ""
      var repeated = 0.0
      sum += 1
      try enter()
      while let key = try nextKey() {
        switch (key, try peek()) {
        case ("ty", .string): kind = try string()
        case ("it", .array): sum += try shapeCount()
        case ("c", _): repeated = max(repeated, try largestNumberInside())
        default: try skip()
        }
      }
      if kind == "rp" { copies *= max(1, repeated) }
    }
    return sum * copies
  }
}
