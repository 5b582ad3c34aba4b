import Decoders
import Glibc
import Pictures
import Player
import Resources
import Server
import Sound
import System
import Terminal

/// `storytty doctor`: shows what this terminal and this machine can do.
struct DoctorCommand {
  let invocation: Invocation

  func run() -> Int32 {
    print("storytty \(Program.version)")
    terminal()
    let demo = Installation.demo ?? "missing"
    print("demo           \(DisplayText.safe(demo))")
    let sound = Speaker.describeDevice()
    print("sound          \(DisplayText.safe(sound.words))")
    if !sound.isPresent { print("               stories are played silently") }
    cache()
    history()
    print("serve          \(ServerLibrary.version ?? "not possible: libmicrohttpd12 is missing")")
    return decoder() ? Status.success : Status.failure
  }

  private func terminal() {
    let name = getenv("TERM").map { String(cString: $0) } ?? "not set"
    print("terminal       \(DisplayText.safe(name)), \(TerminalAbilities.library)")
    guard let window = WindowSize(descriptor: STDOUT_FILENO) else {
      print("               standard output is no terminal: sources are listed, not played")
      return
    }
    guard let abilities = TerminalAbilities.detect() else {
      print("  warning      ncurses knows no terminal of this name")
      return
    }
    let pixels = window.pixels.map { ", \($0.width)x\($0.height) pixels" } ?? ""
    print("  size         \(window.columns)x\(window.rows)\(pixels)")
    print("  colours      \(abilities.colour.rawValue)")
    print("  characters   \(abilities.unicode ? "UTF-8" : "ASCII: the locale is not UTF-8")")
    if abilities.isDumb {
      print("  warning      it cannot place a cursor: stories are listed, not played")
    }
    if window.columns < ScreenLayout.leastColumns || window.rows < ScreenLayout.leastRows {
      print("  warning      too small: 40x12 at least")
    }
  }

  private func cache() {
    guard let path = invocation.network.cacheDirectory else {
      return print("cache          none: neither XDG_CACHE_HOME nor HOME is set, or --no-cache")
    }
    print("cache          \(DisplayText.safe(path))")
    do {
      let status = try CacheDirectory(path, limits: invocation.network.limits).status()
      print(
        "  holds        \(Format.bytes(status.bytes)) in "
          + Format.count(status.entries, "entry", "entries"))
    } catch {
      print("  warning      \(DisplayText.safe(error.reason))")
    }
  }

  private func history() {
    guard let path = StateFolder.path else {
      return print("history        none: neither XDG_STATE_HOME nor HOME is set")
    }
    print("history        \(DisplayText.safe(path))")
    do {
      let found = try HistoryDirectory(path).list()
      print("  holds        \(Format.count(found.entries.count, "story", "stories"))")
      if let notice = found.notice { print("  warning      \(notice)") }
    } catch {
      print("  warning      \(DisplayText.safe(error.reason))")
    }
  }

  /// False where stories cannot be decoded.
  private func decoder() -> Bool {
    guard let program = Installation.decoder else {
      print("decoder        missing: install storytty-decoder beside storytty")
      return false
    }
    print("decoder        \(DisplayText.safe(program.path))")
    do {
      let (text, ending) = try ChildProcess.output(of: program.path, arguments: ["--check"])
      for line in text.split(separator: "\n") { print("  \(DisplayText.safe(String(line)))") }
      if ending != .exited(status: 0) {
        print("  warning      the sandbox does not work: play only media that you trust")
      }
      return true
    } catch {
      print("  \(error)")
      return false
    }
  }
}
