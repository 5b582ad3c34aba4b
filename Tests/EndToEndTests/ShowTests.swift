import Support
import Testing

extension EndToEnd {
  @Suite struct ShowTests {
    /// What `show` wrote, as a screen of exactly as many rows as it has lines.
    private func shown(_ result: CommandResult, columns: Int) throws -> TerminalScreen {
      let lines = result.output.split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      try #require(lines.count > 1 && lines.last?.isEmpty == true)
      var screen = TerminalScreen(columns: columns, rows: lines.count - 1)
      for (index, line) in lines.dropLast().enumerated() {
        #expect(line.suffix(4).elementsEqual("\u{1B}[0m".utf8))
        screen.feed(index == 0 ? Array(line) : Array("\r\n".utf8) + line)
      }
      // No cursor movement, no mode, no query.
      #expect(screen.unknown == [])
      #expect(screen.queries == [])
      #expect(screen.modes == [7, 25])
      return screen
    }

    @Test func quadrants_exactGrid_haveExactColors() throws {
      let directory = try TemporaryDirectory()
      let colors: [UInt32] = [0xFF0000, 0x00FF00, 0x0000FF, 0x123456]
      let png = makePNG(width: 160, height: 80) { x, y in colors[x / 80 + y / 40 * 2] }
      let path = try directory.write(png, to: "q.png")
      let result = try storytty(["show", path, "--size", "80x20", "--color", "true"])
      #expect(result.status == 0)
      #expect(result.errors == [])
      let screen = try shown(result, columns: 80)
      #expect(screen.rows == 20)
      for row in 0..<20 {
        for column in 0..<80 {
          let color = colors[column / 40 + row / 10 * 2]
          let halves = try #require(screen[column, row].halves)
          #expect(isNear(halves.upper, color, tolerance: 0))
          #expect(isNear(halves.lower, color, tolerance: 0))
        }
      }
    }

    @Test func gradient_onePixelACellHalf_isExact() throws {
      let directory = try TemporaryDirectory()
      func color(_ x: Int, _ y: Int) -> UInt32 { UInt32(x * 4) << 16 | UInt32(y * 6) << 8 | 77 }
      let path = try directory.write(makePNG(width: 60, height: 40, pixel: color), to: "g.png")
      let screen = try shown(
        storytty(["show", path, "--size", "60x20", "--color", "true"]), columns: 60)
      for y in 0..<40 {
        for x in 0..<60 {
          let halves = try #require(screen[x, y / 2].halves)
          #expect(isNear(y % 2 == 0 ? halves.upper : halves.lower, color(x, y), tolerance: 0))
        }
      }
    }

    /// Width and height of the picture, the size asked for, and the columns and rows to come.
    @Test(arguments: [
      (1920, 1080, "80x24", 80, 23), (1080, 1920, "80x24", 27, 24), (10, 10, "80x24", 48, 24),
      (1000, 1, "80x24", 80, 1), (1, 1000, "80x24", 1, 24), (64, 64, "1x1", 1, 1),
    ])
    func size_asked_fitsWithoutPadding(
      width: Int, height: Int, size: String, columns: Int, rows: Int
    ) throws {
      let directory = try TemporaryDirectory()
      let path = try directory.write(
        makePNG(width: width, height: height) { _, _ in 0xFF8040 }, to: "p.png")
      let result = try storytty(["show", path, "--size", size, "--color", "true"])
      #expect(result.status == 0)
      let screen = try shown(result, columns: 200)
      #expect(screen.rows == rows)
      let colored = (0..<200).filter { screen[$0, 0].pen != ScreenPen() }
      #expect(colored == Array(0..<columns))
    }

    @Test func never_color_hasNoColorEscape() throws {
      let directory = try TemporaryDirectory()
      let png = makePNG(width: 64, height: 64) { x, _ in UInt32(x * 4) * 0x010101 }
      let path = try directory.write(png, to: "p.png")
      for (arguments, environment) in [
        (["--color", "never"], [:] as [String: String?]), ([], ["NO_COLOR": "1"]),
      ] {
        let result = try storytty(
          ["show", path, "--size", "40x20"] + arguments, environment: environment)
        #expect(result.status == 0)
        // No escape sequence at all.
        #expect(!result.output.contains(0x1B))
        let lines = result.outputText.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 21 && lines.last == "")
        #expect(lines.dropLast().allSatisfy { $0.count == 40 })
        #expect(result.outputText.count { $0 != " " && $0 != "\n" } > 100)
      }
    }

    @Test(arguments: ["256", "16"])
    func palette_color_isFromThePalette(depth: String) throws {
      let directory = try TemporaryDirectory()
      let png = makePNG(width: 64, height: 64) { x, y in UInt32(x * 4) << 16 | UInt32(y * 4) }
      let path = try directory.write(png, to: "p.png")
      let screen = try shown(
        storytty(["show", path, "--size", "40x20", "--color", depth]), columns: 40)
      let most = depth == "256" ? 255 : 15
      let outside = screen.count { cell in
        [cell.pen.foreground, cell.pen.background].contains { color in
          switch color {
          case .standard: false
          case .palette(let number): Int(number) > most
          case .rgb: true
          }
        }
      }
      #expect(outside == 0)
      #expect(screen.count { $0.pen != ScreenPen() } > 300)
    }

    @Test func ascii_mode_writesAsciiOnly() throws {
      let directory = try TemporaryDirectory()
      let png = makePNG(width: 64, height: 64) { x, _ in UInt32(x * 4) * 0x010101 }
      let path = try directory.write(png, to: "p.png")
      let result = try storytty(
        ["show", path, "--mode", "ascii", "--size", "64x32", "--color", "never"])
      #expect(result.status == 0)
      #expect(result.output.allSatisfy { $0 < 0x80 })
      let lines = result.outputText.split(separator: "\n")
      #expect(lines.count == 32)
      #expect(Set(lines[16]).count >= 5)
    }

    @Test func at_ofAVideo_isThatMoment() throws {
      // White for the first picture of each second, else black.
      let clip = try Clip(.flash, width: 160, height: 80, seconds: 3).file()
      for (time, expected) in [("0", 0xFFFFFF as UInt32), ("0.5", 0), ("1", 0xFFFFFF), ("2.5", 0)] {
        let result = try storytty(
          ["show", clip, "--at", time, "--size", "80x20", "--color", "true"])
        #expect(result.status == 0)
        let screen = try shown(result, columns: 80)
        let halves = try #require(screen[40, 10].halves)
        #expect(isNear(halves.upper, expected), "at \(time)")
      }
    }

    @Test func video_clip_hasItsColor() throws {
      let result = try storytty(
        ["show", try Colors.clip(Colors.blue, seconds: 1), "--size", "60x40", "--color", "true"])
      let screen = try shown(result, columns: 60)
      #expect(screen.rows == 40)
      #expect(isNear(try #require(screen[20, 20].halves).upper, Colors.blue))
    }

    @Test func feed_first_story() throws {
      let directory = try TemporaryDirectory()
      try directory.write(makePNG(width: 8, height: 8) { _, _ in Colors.lime }, to: "1/a.png")
      try directory.write(makePNG(width: 8, height: 8) { _, _ in Colors.red }, to: "2/b.png")
      let result = try storytty(["show", directory.path, "--size", "20x10", "--color", "true"])
      let screen = try shown(result, columns: 20)
      #expect(isNear(try #require(screen[5, 5].halves).upper, Colors.lime, tolerance: 0))
    }

    /// One below the other; what cannot be shown keeps nothing from being shown.
    @Test func severalSources_areShownInTheirOrder() throws {
      let directory = try TemporaryDirectory()
      let red = try directory.write(
        makePNG(width: 8, height: 8) { _, _ in Colors.red }, to: "r.png")
      try directory.write(makePNG(width: 8, height: 8) { _, _ in Colors.lime }, to: "l/b.png")
      let options = ["--size", "20x10", "--color", "true"]
      let both = try storytty(["show", red, directory.path("l")] + options)
      #expect(both.status == 0)
      let screen = try shown(both, columns: 20)
      #expect(screen.rows == 20)
      #expect(isNear(try #require(screen[5, 9].halves).lower, Colors.red, tolerance: 0))
      #expect(isNear(try #require(screen[5, 10].halves).upper, Colors.lime, tolerance: 0))
      let some = try storytty(["show", directory.path("none.png"), red] + options)
      #expect(some.status == 3)
      #expect(some.output == (try storytty(["show", red] + options)).output)
      #expect(
        some.errorText == "storytty: cannot play \(directory.path("none.png")): no such file\n")
    }

    /// A medium is told from a list of names by its first bytes.
    @Test(arguments: ["png", "mp4", "lottie"])
    func medium_onStandardInput_isShown(kind: String) throws {
      let directory = try TemporaryDirectory()
      let path =
        switch kind {
        case "png":
          try directory.write(makePNG(width: 8, height: 8) { _, _ in Colors.red }, to: "r.png")
        case "mp4": try Colors.clip(Colors.lime, seconds: 1)
        default:
          try directory.write(
            """
            {"v": "5.5.0", "fr": 10, "ip": 0, "op": 10, "w": 64, "h": 64, "layers": [
              {"ty": 1, "sc": "#0000ff", "sw": 64, "sh": 64, "ip": 0, "op": 10, "st": 0,
               "ks": {}}]}
            """, to: "blue.json")
        }
      let options = ["--size", "20x10", "--color", "true"]
      let bytes = try readFile(path)
      let piped = try storytty(["show", "-"] + options, inputBytes: bytes)
      #expect(piped.status == 0, "\(piped.errorText)")
      #expect(piped.output == (try storytty(["show", path] + options)).output)
      #expect(piped.output.count > 100)
      // A file is read where it lies.
      let redirected = try run(
        "/bin/sh",
        ["-c", "\"$0\" show - --size 20x10 --color true < \"$1\"", Programs.player, path],
        environment: Play.environment(home: directory.path))
      #expect(redirected.output == piped.output)
    }

    @Test func damagedMedium_onStandardInput_isSaidInOneLine() throws {
      let bytes = try readFile(try Colors.clip(Colors.lime, seconds: 1))
      let result = try storytty(["show", "-"], inputBytes: Array(bytes.prefix(100)))
      #expect(result.status == 2)
      #expect(result.errorLines.count == 1)
      #expect(result.errorText.hasPrefix("storytty: cannot play standard input: "))
    }

    @Test(arguments: ["/proc/nowhere/file.mp4", "/dev/null", "/etc/passwd"])
    func impossible_isSaidInOneLine(path: String) throws {
      let result = try storytty(["show", path])
      #expect(result.status == 2)
      #expect(result.output == [])
      #expect(result.errorLines.count == 1)
      #expect(result.errorText.contains(path.split(separator: "/").last ?? ""))
    }

    @Test(.enabled(if: Media.isAvailable)) func sound_corpus_showsSomething() throws {
      for entry in try Media.entries()
      where ["play sound", "play sound with cover"].contains(entry.expected) {
        let result = try storytty(["show", entry.path, "--size", "40x20", "--color", "true"])
        #expect(result.status == 0, "\(entry.name): \(result.errorText)")
        #expect(result.output.count > 100, "\(entry.name)")
      }
    }
  }
}
