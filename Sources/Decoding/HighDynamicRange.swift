import Glibc

/// A coding of light beyond a common display's white, and its conversion to such a display (ITU-R
/// BT.2100, BT.2390).
enum HighDynamicRange: Equatable {
  case perceptualQuantizer
  case hybridLogGamma

  /// The light of a white sheet, and the brightest light that is distinguished, in cd/m2.
  private static let white = 203.0
  private static let peak = 1_000.0

  /// sRGB pixels of BT.2020 ones: 16 bits for red, green and blue each.
  func toneMapped(_ samples: [UInt16]) -> [UInt32] {
    let table = Self.linear(self)
    return stride(from: 0, to: samples.count - 2, by: 3).map { index in
      var red = table[Int(samples[index] >> 4)]
      var green = table[Int(samples[index + 1] >> 4)]
      var blue = table[Int(samples[index + 2] >> 4)]
      if self == .hybridLogGamma {
        // The display's own gamma, 1.2 at 1,000 cd/m2 (BT.2100, table 5).
        let luminance = 0.2627 * red + 0.678 * green + 0.0593 * blue
        let gain = Float(Self.peak) * powf(max(luminance, 1e-6), 0.2)
        (red, green, blue) = (red * gain, green * gain, blue * gain)
      }
      let brightest = max(red, green, blue)
      let scale = brightest > 0 ? Self.compressed(brightest) / brightest : 0
      return Self.packed(red * scale, green * scale, blue * scale)
    }
  }

  /// Light for each of 4,096 code values: cd/m2, for HLG the scene's share of its peak.
  private static func linear(_ range: HighDynamicRange) -> [Float] {
    switch range {
    case .perceptualQuantizer: perceptualTable
    case .hybridLogGamma: hybridTable
    }
  }

  private static let perceptualTable = (0..<4_096).map {
    Float(light(perceptual: Double($0) / 4_095))
  }

  private static let hybridTable: [Float] = (0..<4_096).map {
    let value = Double($0) / 4_095
    let light =
      value <= 0.5
      ? value * value / 3 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
    return Float(light)
  }

  /// SMPTE ST 2084: light of a code value, and back.
  private static func light(perceptual value: Double) -> Double {
    let power = pow(value, 1 / 78.84375)
    return 10_000
      * pow(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
  }

  private static func perceptual(light: Double) -> Double {
    let power = pow(light / 10_000, 0.1593017578125)
    return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
  }

  /// Light of the brightest part of a pixel as a share of white: BT.2390's knee, as a table over the
  /// square root of the light.
  private static func compressed(_ light: Float) -> Float {
    let index = (min(light, Float(peak)) / Float(peak)).squareRoot() * 1_023
    return curve[Int(index.rounded())]
  }

  private static let curve: [Float] = (0..<1_024).map { index in
    let share = Double(index) / 1_023
    let top = perceptual(light: peak)
    let source = perceptual(light: share * share * peak) / top
    let limit = perceptual(light: white) / top
    let knee = 1.5 * limit - 0.5
    guard source > knee else { return Float(light(perceptual: source * top) / white) }
    let t = (source - knee) / (1 - knee)
    let mapped =
      (2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
      + (-2 * t * t * t + 3 * t * t) * limit
    return Float(min(1, Self.light(perceptual: mapped * top) / white))
  }

  /// BT.2020's primaries to those of sRGB, then sRGB's own curve.
  private static func packed(_ red: Float, _ green: Float, _ blue: Float) -> UInt32 {
    let r = 1.660491 * red - 0.587641 * green - 0.072850 * blue
    let g = -0.124550 * red + 1.132900 * green - 0.008349 * blue
    let b = -0.018151 * red - 0.100579 * green + 1.118730 * blue
    return encoded(r) << 16 | encoded(g) << 8 | encoded(b)
  }

  private static func encoded(_ light: Float) -> UInt32 {
    UInt32(displayTable[Int((min(1, max(0, light)).squareRoot() * 2_047).rounded())])
  }

  private static let displayTable: [UInt8] = (0..<2_048).map { index in
    let light = pow(Double(index) / 2_047, 2)
    let value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    return UInt8((value * 255).rounded())
  }
}
