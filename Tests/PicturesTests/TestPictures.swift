import DecoderLink
import Pictures

/// Pictures to test with, the same in every run.
enum TestPictures {
  static func noise(width: Int, height: Int, seed: UInt64) -> Bitmap {
    var numbers = SeededNumbers(state: seed)
    return Bitmap(
      width: width, height: height,
      pixels: (0..<width * height).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &numbers) })
  }

  static func plain(width: Int, height: Int, rgb: UInt32) -> Bitmap {
    Bitmap(
      width: width, height: height, pixels: Array(repeating: rgb, count: width * height))
  }

  /// Something like a photograph: a sky, hills with an edge, a sun, skin and leaves, some grain.
  static func landscape(width: Int, height: Int, grain: Double = 3, seed: UInt64 = 1)
    -> Bitmap
  {
    var numbers = SeededNumbers(state: seed)
    var pixels: [UInt32] = []
    for row in 0..<height {
      for column in 0..<width {
        let x = Double(column) / Double(width)
        let y = Double(row) / Double(height)
        let hill = 0.55 + 0.12 * triangle(2.3 * x) - 0.05 * triangle(7 * x + 0.3)
        var colour: [Double]
        if y < hill {
          let sun = max(0, 1 - ((x - 0.7) * (x - 0.7) + (y - 0.25) * (y - 0.25)) * 30)
          colour = [90 + 90 * y + 70 * sun, 130 + 60 * y + 50 * sun, 190 - 30 * y + 10 * sun]
        } else {
          let depth = (y - hill) / 0.5
          let leaf = triangle(9 * x + 5 * y)
          colour = [70 + 60 * depth + 25 * leaf, 95 + 20 * depth + 40 * leaf, 50 + 30 * depth]
        }
        let face = (x - 0.25) * (x - 0.25) * 2 + (y - 0.6) * (y - 0.6)
        if face < 0.03 { colour = [205 - 2000 * face, 160 - 1900 * face, 135 - 1500 * face] }
        pixels.append(
          colour.reduce(0) { packed, channel in
            let grainy = channel + Double.random(in: -grain...grain, using: &numbers)
            return packed << 8 | UInt32(min(max(0, grainy), 255))
          })
      }
    }
    return Bitmap(width: width, height: height, pixels: pixels)
  }

  /// From 0 to 1 and back, once for each step of 1.
  private static func triangle(_ value: Double) -> Double {
    let part = value - value.rounded(.down)
    return part < 0.5 ? 2 * part : 2 - 2 * part
  }
}

/// What cells look like from afar: the mean colour of each half of a cell, an oracle of its own.
enum MeanColours {
  /// How much of its upper and lower half a glyph covers.
  static func coverage(of glyph: Unicode.Scalar) -> (upper: Double, lower: Double)? {
    switch glyph {
    case " ": return (0, 0)
    case "▀": return (1, 0)
    case "▁": return (0, 0.25)
    case "▂": return (0, 0.5)
    case "▃": return (0, 0.75)
    case "▄": return (0, 1)
    case "▅": return (0.25, 1)
    case "▆": return (0.5, 1)
    case "▇": return (0.75, 1)
    case "█": return (1, 1)
    case "▏", "▎", "▍", "▌", "▋", "▊", "▉":
      let share = Double(0x2590 - glyph.value) / 8
      return (share, share)
    case "░": return (0.25, 0.25)
    case "▒": return (0.5, 0.5)
    case "▓": return (0.75, 0.75)
    default: break
    }
    return AsciiInk.ramp.first { $0.glyph == glyph }.map { (Double($0.ink), Double($0.ink)) }
  }

  /// xterm's colours.
  static func channels(_ colour: CellColour, unset: UInt32) -> [Double] {
    if let index = colour.paletteIndex {
      let levels: [Double] = [0, 95, 135, 175, 215, 255]
      let themed: [UInt32] = [
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
      ]
      let number = Int(index)
      switch number {
      case 0..<16: return split(themed[number])
      case 16..<232: return [36, 6, 1].map { levels[(number - 16) / $0 % 6] }
      default: return Array(repeating: Double(8 + 10 * (number - 232)), count: 3)
      }
    }
    return split(colour.rgb ?? unset)
  }

  static func split(_ rgb: UInt32) -> [Double] {
    [16, 8, 0].map { Double(rgb >> $0 & 0xFF) }
  }

  static func halves(of cell: Cell) -> [[Double]]? {
    guard let covered = coverage(of: cell.glyph) else { return nil }
    let front = channels(cell.foreground, unset: 0xE5E5E5)
    let back = channels(cell.background, unset: 0)
    return [covered.upper, covered.lower].map { share in
      zip(front, back).map { $0 * share + $1 * (1 - share) }
    }
  }

  /// The squared error over all halves of cells that a picture of the grid's full size covers.
  static func squaredError(of grid: CellGrid, against picture: Bitmap) -> Double? {
    var sum = 0.0
    for row in 0..<grid.rows {
      for column in 0..<grid.columns {
        guard let shown = halves(of: grid[row, column]) else { return nil }
        for (half, colour) in shown.enumerated() {
          let wanted = split(picture.pixels[(2 * row + half) * picture.width + column])
          sum += zip(colour, wanted).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        }
      }
    }
    return sum / Double(grid.rows * grid.columns * 6)
  }
}

extension PictureMode {
  static let half = allCases[0]
  static let ascii = allCases[1]
}
