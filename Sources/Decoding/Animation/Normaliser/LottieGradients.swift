import JSONText

/// How a gradient's two lists of stops, colours and opacities, are written.
struct GradientPlan {
  /// Each has an offset, red, green and blue.
  var colourStops: Int
  /// They follow the colours; each has an offset and an opacity.
  var opacityStops: Int
  /// How many stops each interval between two stops of either list is divided into; 0 to write the
  /// stops unchanged.
  var stepsPerInterval = 0

  /// What rlottie reads as the number of colours.
  var writtenStops: Int {
    stepsPerInterval == 0 ? colourStops : (colourStops + opacityStops - 1) * stepsPerInterval + 1
  }

  /// The most stops of all key frames that are divided finely, and that are divided at all.
  static let mostFineStops = 512
  static let mostStops = 16_384
  /// The most stops of one key frame: the time is quadratic in them.
  static let mostStopsPerFrame = 128
  static let fineSteps = 8
}

/// Gradients with transparency.
///
/// rlottie pairs the stops of both lists by their order, and weights colours by opacity between stops;
/// the format interpolates both lists independently. With more stops, all of which have both values,
/// rlottie draws what the format means.
extension LottieNormaliser {
  /// Writes a gradient's colours. False if there are none, which rlottie cannot handle, or they are
  /// invalid; the caller must then take back what was written.
  mutating func writeGradient(_ node: Node?) throws(DecodingError) -> Bool {
    guard let node else { return false }
    let members = LottieMembers(of: node, in: index)
    guard let property = members[.k], let content = content(of: property) else { return false }
    let values = keyframes(of: content, isPath: false).map { frames in
      frames.flatMap { frame in
        let frame = LottieMembers(of: frame, in: index)
        return [frame[.s], frame[.e]].compactMap { $0 }
      }
    }
    let lists = (values ?? [content]).map { elements(of: $0) }
    guard let plan = planGradient(lists, declaredColours: integer(of: members[.p])) else {
      return false
    }
    writeName(.g)
    writeRaw("{\"p\":\(plan.writtenStops)")
    let start = out.count
    try writeProperty(.k, property, .gradient(plan))
    guard out.count > start else { return false }
    writeRaw("}")
    return true
  }

  /// How the lists of a gradient's key frames are written, all in one way; nil without colours.
  /// Gradients that would become too long are written unchanged and noted as a lack.
  private mutating func planGradient(_ lists: [[Node]], declaredColours: Int?) -> GradientPlan? {
    guard let shortest = lists.map(\.count).min() else { return nil }
    let colours = min(declaredColours ?? shortest / 4, shortest / 4)
    guard colours > 0 else { return nil }
    var plan = GradientPlan(colourStops: colours, opacityStops: (shortest - 4 * colours) / 2)
    let opacities = (0..<plan.opacityStops).map { 4 * colours + 2 * $0 + 1 }
    let isOpaque = lists.allSatisfy { list in
      opacities.allSatisfy { (double(of: list[$0]) ?? 0) >= 1 }
    }
    if isOpaque {
      plan.opacityStops = 0
    } else if !lists.allSatisfy({ isSimple($0, plan) }) {
      let stops = plan.colourStops + plan.opacityStops
      if stops * lists.count <= GradientPlan.mostFineStops {
        plan.stepsPerInterval = GradientPlan.fineSteps
      } else if stops * lists.count <= GradientPlan.mostStops,
        stops <= GradientPlan.mostStopsPerFrame
      {
        plan.stepsPerInterval = 1
      } else {
        lacks.insert(.gradientAlpha)
      }
    }
    return plan
  }

  /// Whether all stops have the same colour and there are as many opacities at the same offsets:
  /// rlottie draws that correctly.
  private func isSimple(_ list: [Node], _ plan: GradientPlan) -> Bool {
    guard plan.colourStops == plan.opacityStops else { return false }
    var former = -Double.infinity
    for stop in 0..<plan.colourStops {
      let offset = double(of: list[4 * stop]) ?? 0
      guard offset > former, offset == double(of: list[4 * plan.colourStops + 2 * stop]) else {
        return false
      }
      former = offset
      for channel in 1...3 where double(of: list[4 * stop + channel]) != double(of: list[channel]) {
        return false
      }
    }
    return true
  }

  /// Writes the stops of one key frame; false if there are too few numbers.
  mutating func writeStops(_ node: Node, _ plan: GradientPlan) -> Bool {
    let list = elements(of: node)
    let count = 4 * plan.colourStops + 2 * plan.opacityStops
    guard list.count >= count, count > 0 else { return false }
    if plan.stepsPerInterval > 0 {
      writeSamples(of: GradientStops(list.prefix(count).map { double(of: $0) ?? 0 }, plan), plan)
      return true
    }
    writeRaw("[")
    for element in list.prefix(count) {
      separate()
      if !writeNumber(element) { writeRaw("0") }
    }
    writeRaw("]")
    return true
  }

  private mutating func writeSamples(of stops: GradientStops, _ plan: GradientPlan) {
    var colours: [Double] = []
    var opacities: [Double] = []
    var former = -1.0
    for sample in stops.samples(stepsPerInterval: plan.stepsPerInterval) {
      // Two stops at the same offset would cause a division by zero.
      let offset = max(sample.offset, former + 1e-6)
      former = offset
      colours.append(offset)
      colours += stops.colour(at: sample.source)
      opacities += [offset, stops.opacity(at: sample.source)]
    }
    writeRaw("[")
    for number in colours + opacities {
      separate()
      write(number)
    }
    writeRaw("]")
  }
}

/// Two lists of stops, sorted by offset.
private struct GradientStops {
  private struct Stop {
    var offset: Double
    var values: [Double]
  }

  /// A stop to write.
  struct Sample {
    var offset: Double
    /// The offset that its colour and opacity are taken from.
    var source: Double
  }

  private let colours: [Stop]
  private let opacities: [Stop]

  init(_ numbers: [Double], _ plan: GradientPlan) {
    // Offsets and values are clamped to 0 to 1.
    let numbers = numbers.map { $0.isNaN ? 0 : min(max($0, 0), 1) }
    colours = (0..<plan.colourStops).map { stop in
      Stop(offset: numbers[4 * stop], values: Array(numbers[4 * stop + 1...4 * stop + 3]))
    }.sorted { $0.offset < $1.offset }
    let start = 4 * plan.colourStops
    opacities = (0..<plan.opacityStops).map { stop in
      Stop(offset: numbers[start + 2 * stop], values: [numbers[start + 2 * stop + 1]])
    }.sorted { $0.offset < $1.offset }
  }

  /// The stops to write. One colour may end and another begin at the same offset, so values are taken
  /// beside it.
  func samples(stepsPerInterval steps: Int) -> [Sample] {
    let offsets = (colours + opacities).map(\.offset).sorted()
    var samples: [Sample] = []
    for (start, end) in zip(offsets, offsets.dropFirst()) {
      // Just inside the interval for the stop at its start; an interval without length ends what is
      // before it.
      let edge = min(1e-6, (end - start) / 4)
      for step in 0..<steps {
        let offset = start + (end - start) * Double(step) / Double(steps)
        let source = edge > 0 ? max(offset, start + edge) : start - 1e-6
        samples.append(Sample(offset: offset, source: source))
      }
    }
    // Behind the last stop, its own values are the only ones.
    if let last = offsets.last { samples.append(Sample(offset: last, source: last + 1e-6)) }
    return samples
  }

  func colour(at offset: Double) -> [Double] { Self.mixed(colours, at: offset) }

  func opacity(at offset: Double) -> Double { Self.mixed(opacities, at: offset).first ?? 1 }

  private static func mixed(_ stops: [Stop], at offset: Double) -> [Double] {
    guard let next = stops.firstIndex(where: { $0.offset > offset }) else {
      return stops.last?.values ?? []
    }
    guard next > 0 else { return stops[0].values }
    let (former, following) = (stops[next - 1], stops[next])
    let share = (offset - former.offset) / (following.offset - former.offset)
    return zip(former.values, following.values).map { $0 + ($1 - $0) * share }
  }
}
