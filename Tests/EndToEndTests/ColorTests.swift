import Support
import Testing

extension EndToEnd {
  /// What a terminal is told to show, by what it says of itself.
  @Suite struct ColorTests {
    private func play(
      _ arguments: [String] = [], environment: [String: String?] = [:]
    ) throws -> (screen: TerminalScreen, output: [UInt8]) {
      let clip = try Clip(width: 180, height: 320, seconds: 30).file()
      let play = try Play(arguments + [clip, clip], environment: environment)
      // A picture, also where synchronized updates are not used.
      #expect(play.terminal.waitUntil { $0.byteCount > 4000 })
      play.type("?")
      play.watch(for: .milliseconds(300))
      play.type("?")
      let screen = play.terminal.screen
      #expect(play.quit()?.shellStatus == 0)
      play.expectRestored()
      return (screen, play.terminal.output)
    }

    private func colors(_ screen: TerminalScreen) -> Set<String> {
      var kinds: Set<String> = []
      _ = screen.count { cell in
        for color in [cell.pen.foreground, cell.pen.background] {
          switch color {
          case .standard: break
          case .palette(let number): kinds.insert(number < 16 ? "16" : "256")
          case .rgb: kinds.insert("true")
          }
        }
        return false
      }
      return kinds
    }

    @Test func truecolor_isUsedWhereItIsTold() throws {
      #expect(colors(try play().screen).contains("true"))
    }

    @Test func color256_whereTruecolorIsNotTold() throws {
      let kinds = colors(try play(environment: ["COLORTERM": nil]).screen)
      #expect(kinds.contains("256") && !kinds.contains("true"))
    }

    @Test(arguments: [("xterm", "16"), ("linux", "16")])
    func fewColors_whereTheTerminalHasFew(name: String, kind: String) throws {
      let kinds = colors(try play(environment: ["COLORTERM": nil, "TERM": name]).screen)
      #expect(kinds == [kind])
    }

    @Test func noColor_hasNoColorEscape() throws {
      for (arguments, environment) in [
        ([], ["NO_COLOR": "1"]), (["--color", "never"], [:]),
        ([], ["TERM": "vt100", "COLORTERM": nil]),
      ] as [([String], [String: String?])] {
        let (screen, output) = try play(arguments, environment: environment)
        #expect(colors(screen) == [])
        #expect(screen.count { $0.glyph != " " } > 200)
        // Not even one that is taken back at once.
        let colored = graphicParameters(in: output).filter { numbers in
          numbers.contains { 30...38 ~= $0 || 40...48 ~= $0 || 90...107 ~= $0 }
        }
        #expect(colored == [])
      }
    }

    @Test func asciiLocale_writesAsciiOnly() throws {
      let (screen, output) = try play(
        ["--color", "never"], environment: ["LC_ALL": "C", "LANG": nil])
      #expect(output.allSatisfy { $0 < 0x80 })
      #expect(screen.count { $0.glyph != " " } > 200)
    }

    @Test func ascii_mode_showsCharacters() throws {
      let (screen, _) = try play(["--mode", "ascii"])
      #expect(screen.count { $0.glyph == "▀" || $0.glyph == "▄" } == 0)
      #expect(screen.count { $0.glyph != " " } > 300)
    }
  }
}

/// The parameters of every Select Graphic Rendition in a stream.
private func graphicParameters(in bytes: [UInt8]) -> [[Int]] {
  var found: [[Int]] = []
  var index = 0
  while index + 1 < bytes.count {
    defer { index += 1 }
    guard bytes[index] == 0x1B, bytes[index + 1] == UInt8(ascii: "[") else { continue }
    let rest = bytes[(index + 2)...]
    let list = rest.prefix { 0x30...0x3B ~= $0 }
    guard rest.dropFirst(list.count).first == UInt8(ascii: "m") else { continue }
    let numbers = list.split { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ":") }
    found.append(numbers.compactMap { Int(String(decoding: $0, as: UTF8.self)) })
  }
  return found
}
