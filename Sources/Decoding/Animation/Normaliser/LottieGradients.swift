import JSONText

/// A gradient's two lists of stops: colours and opacities.
struct LottieGradient {
  /// The number of colour stops: position, red, green, blue.
  var colours: Int
  /// The number of opacity stops after them: position, opacity.
  var opacities: Int
  /// How many stops each interval is divided into; 0 to write the stops unchanged.
  var steps = 0

  /// The number of stops that are written.
  var written: Int { steps == 0 ? colours : (colours + opacities - 1) * steps + 1 }
}

/// Gradients with transparency.
///
/// rlottie pairs the stops of both lists by their order, and weights colours by opacity between stops;
/// the format interpolates both lists independently. With more stops, all of which have both values,
/// rlottie draws what the format means.
extension LottieNormaliser {
  /// Writes a gradient's colours; false if there are none, which rlottie cannot handle.
  mutating func gradient(_ place: Int?) throws(DecodingError) -> Bool {
    guard let place else { return false }
    let members = LottieMembers(of: place, in: index)
    guard let property = members[.k], let content = content(of: property) else { return false }
    let kind = LottieGradient(colours: 0, opacities: 0)
    let lists = keyframes(at: content, .gradient(kind)).map { frames in
      frames.flatMap { frame in
        let frame = LottieMembers(of: frame, in: index)
        return [frame[.s], frame[.e]].compactMap { $0 }
      }
    }
    guard let gradient = plan(lists ?? [content], colours: wholeNumber(members[.p])) else {
      return false
    }
    name(.g)
    raw("{\"p\":\(gradient.written)")
    let start = out.count
    try self.property(.k, property, .gradient(gradient))
    guard out.count > start else { return false }
    raw("}")
    return true
  }

  private mutating func plan(_ lists: [Int], colours: Int?) -> LottieGradient? {
    let lists = lists.map { elements(of: $0) }
    guard let least = lists.map(\.count).min() else { return nil }
    let count = min(colours ?? least / 4, least / 4)
    guard count > 0 else { return nil }
    var gradient = LottieGradient(colours: count, opacities: (least - 4 * count) / 2)
    let opacities = 4 * count..<4 * count + 2 * gradient.opacities
    let isOpaque = lists.allSatisfy { list in
      opacities.allSatisfy { $0.isMultiple(of: 2) || value(at: list[$0]) ?? 0 >= 1 }
    }
    if isOpaque {
      gradient.opacities = 0
    } else if !lists.allSatisfy({ isSimple($0, gradient) }) {
      let stops = gradient.colours + gradient.opacities
      switch (stops * lists.count, stops) {
      case (...512, _): gradient.steps = 8
      case (...16_384, ...128): gradient.steps = 1
      default: lacks.insert(.gradientAlpha)
      }
    }
    return gradient
  }

  /// Whether there is a single colour and as many opacities at the same positions: rlottie draws that
  /// correctly.
  private func isSimple(_ list: [Int], _ gradient: LottieGradient) -> Bool {
    guard gradient.colours == gradient.opacities else { return false }
    var former = -Double.infinity
    for stop in 0..<gradient.colours {
      let place = value(at: list[4 * stop]) ?? 0
      guard place > former, place == value(at: list[4 * gradient.colours + 2 * stop]) else {
        return false
      }
      former = place
      for channel in 1...3 where value(at: list[4 * stop + channel]) != value(at: list[channel]) {
        return false
      }
    }
    return true
  }

  mutating func write(gradient place: Int, _ gradient: LottieGradient) -> Bool {
    let list = elements(of: place)
    let count = 4 * gradient.colours + 2 * gradient.opacities
    guard list.count >= count, count > 0 else { return false }
    if gradient.steps > 0 {
      write(GradientStops(list.prefix(count).map { value(at: $0) ?? 0 }, gradient), gradient)
      return true
    }
    raw("[")
    for element in list.prefix(count) {
      separate()
      if !writeNumber(at: element) { raw("0") }
    }
    raw("]")
    return true
  }

  private mutating func write(_ stops: GradientStops, _ gradient: LottieGradient) {
    var colours: [Double] = []
    var opacities: [Double] = []
    var former = -1.0
    for (place, sampled) in stops.samples(steps: gradient.steps) {
      // Two stops at the same position would cause a division by zero.
      let place = max(place, former + 1e-6)
      former = place
      colours.append(place)
      colours += stops.colour(at: sampled)
      opacities += [place, stops.opacity(at: sampled)]
    }
    raw("[")
    for number in colours + opacities {
      separate()
      write(number)
    }
    raw("]")
  }
}

/// Two lists of stops, sorted by position.
private struct GradientStops {
  /// A position and the values there.
  private typealias Stop = (place: Double, values: [Double])
  private let colours: [Stop]
  private let opacities: [Stop]

  init(_ numbers: [Double], _ gradient: LottieGradient) {
    // Positions and values are clamped to 0 to 1.
    let numbers = numbers.map { $0.isNaN ? 0 : min(max($0, 0), 1) }
    colours = (0..<gradient.colours).map { stop in
      (numbers[4 * stop], Array(numbers[4 * stop + 1...4 * stop + 3]))
    }.sorted { $0.place < $1.place }
    let start = 4 * gradient.colours
    opacities = (0..<gradient.opacities).map { stop in
      (numbers[start + 2 * stop], [numbers[start + 2 * stop + 1]])
    }.sorted { $0.place < $1.place }
  }

  /// The positions of the stops to write, and where their values are sampled: just inside the interval
  /// that they begin, since one colour may end and another begin at the same position.
  func samples(steps: Int) -> [(place: Double, sampled: Double)] {
    let places = (colours + opacities).map(\.place).sorted()
    var samples: [(Double, Double)] = []
    for (start, end) in zip(places, places.dropFirst()) {
      let edge = min(1e-6, (end - start) / 4)
      for step in 0..<steps {
        let place = start + (end - start) * Double(step) / Double(steps)
        samples.append((place, edge > 0 ? max(place, start + edge) : start - 1e-6))
      }
    }
    if let last = places.last { samples.append((last, last + 1e-6)) }
    return samples
  }

  func colour(at place: Double) -> [Double] { Self.mixed(colours, at: place) }

  func opacity(at place: Double) -> Double { Self.mixed(opacities, at: place).first ?? 1 }

  private static func mixed(_ stops: [Stop], at place: Double) -> [Double] {
    guard let next = stops.firstIndex(where: { $0.place > place }) else {
      return stops.last?.values ?? []
    }
    guard next > 0 else { return stops[0].values }
    let (former, following) = (stops[next - 1], stops[next])
    let share = (place - former.place) / (following.place - former.place)
    return zip(former.values, following.values).map { $0 + ($1 - $0) * share }
  }
}
