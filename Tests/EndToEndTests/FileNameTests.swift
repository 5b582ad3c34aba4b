import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// Names of files that are not UTF-8: their bytes are kept, and shown with U+FFFD.
  @Suite struct FileNameTests {
    private let home: TemporaryDirectory

    /// Makes the pictures `one\xE9.png`, red, and `one\xE8.png`, green, in a folder `f\xFF`.
    init() throws {
      home = try TemporaryDirectory()
      try home.write(makePNG(width: 9, height: 16) { _, _ in Colors.red }, to: "red.png")
      try home.write(makePNG(width: 9, height: 16) { _, _ in Colors.lime }, to: "lime.png")
      try shell(
        """
        mkdir "$(printf 'f\\377')"
        mv red.png "$(printf 'f\\377/one\\351.png')"; mv lime.png "$(printf 'f\\377/one\\350.png')"
        """)
    }

    private var environment: [String: String] { Play.environment(home: home.path) }

    @discardableResult
    private func shell(_ script: String) throws -> CommandResult {
      try run(
        "/bin/bash", ["-c", script, Programs.player], environment: environment,
        directory: home.path)
    }

    private var names: [String] {
      ["one\u{FFFD}.png", "one\u{FFFD}.png"].map { "\(home.path)/f\u{FFFD}/\($0)" }
    }

    /// Everywhere where sources come from.
    @Test(arguments: [
      "\"$0\" list --json f?/*", "\"$0\" list --json f?", "ls -d f?/* | \"$0\" list --json -",
      "find f? -name '*.png' -print0 | \"$0\" list --json -",
      "ls f?/* > l.m3u; \"$0\" list --json l.m3u",
      "cd f?; ls *.png > l.m3u; \"$0\" list --json l.m3u",
      "(printf 'caf\\303\\251.png\\n'; ls f?/*) > l.m3u; touch café.png; \"$0\" list --json l.m3u",
      "ls f?/* | sed 's/^/File1=/;2s/1=/2=/;1i[playlist]' > l.pls; \"$0\" list --json l.pls",
      "\"$0\" list --json \"file://$PWD/f%ff/one%E8.png\" \"file://$PWD/f%FF/one%e9.png\"",
      "printf '[feed x]\\nsource = %s\\nsource = %s\\n' $PWD/f?/* > c; \"$0\" --config c list --json x",
    ])
    func source_namesThem_listsThem(script: String) throws {
      let result = try shell(script)
      #expect(result.status == 0)
      #expect(result.errorText == "")
      let json = try JSONValue(parsing: result.output)
      let sources = json["reels"].elements.flatMap { $0["stories"].elements }
        .compactMap { $0["source"].text }.filter { !$0.hasSuffix("café.png") }
      #expect(sources == names)
      #expect(json["skipped"].elements == [])
    }

    @Test func list_inWords_showsReplacements() throws {
      let result = try shell("\"$0\" list f?")
      #expect(result.outputText.contains("  picture   \(names[0])\n"))
      let missing = try shell("\"$0\" list \"$(printf 'no\\351.mp4')\"")
      #expect(missing.status == 2)
      #expect(missing.errorLines == ["storytty: cannot play no\u{FFFD}.mp4: no such file"])
    }

    /// Played, remembered apart from each other, and gone on with.
    @Test func stories_play_andAreThemselvesInTheHistory() throws {
      func play(_ options: String) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(name: "XTerm(379)")
        try terminal.start(
          "/bin/bash", ["-c", "exec \"$0\" --image-time 60 \(options) f?", Programs.player],
          environment: environment, directory: home.path)
        return terminal
      }
      let terminal = try play("--report report.json")
      // E8 comes before E9.
      #expect(
        terminal.waitUntil { shows(Colors.lime, on: $0) && $0.text.contains("one\u{FFFD}.png") })
      _ = terminal.waitUntil(within: .milliseconds(500)) { _ in false }
      terminal.send("l")
      #expect(terminal.waitUntil { shows(Colors.red, on: $0) })
      _ = terminal.waitUntil(within: .milliseconds(500)) { _ in false }
      terminal.send("Q")
      #expect(terminal.awaitEnd()?.shellStatus == 0)
      #expect(terminal.screen.malformedCharacters == 0)
      #expect(try Report(path: home.path("report.json")).stories.map(\.source) == names)
      let history = try JSONValue(parsing: shell("\"$0\" history --json").output).elements
      #expect(history.map { $0["source"].text } == names)
      #expect(history.map { $0["views"] } == [.number(1), .number(1)])
      let resumed = try play("--resume")
      #expect(resumed.waitUntil { shows(Colors.red, on: $0) })
      resumed.send("q")
      #expect(resumed.awaitEnd()?.shellStatus == 0)
    }

    /// Also where a longer one is there already.
    @Test func reportAndLog_inSuchAFolder_areWritten() throws {
      try shell("cd f?; printf '%099999d' 1 > r.json")
      let terminal = try PseudoTerminal(name: "XTerm(379)")
      try terminal.start(
        "/bin/bash",
        ["-c", "cd f?; exec \"$0\" --untimed --report r.json --log l one*.png", Programs.player],
        environment: environment, directory: home.path)
      #expect(terminal.awaitEnd()?.shellStatus == 0)
      let report = try JSONValue(parsing: shell("cat f?/r.json").output)
      #expect(report["stories"].elements.map { $0["source"].text } == names.map { $0 })
      #expect(try shell("cat f?/l").outputText.contains("begin"))
    }

    @Test func still_ofOne_isShown() throws {
      let result = try shell("\"$0\" show --size 4x4 --color true f?/*$'\\351'.png")
      #expect(result.status == 0)
      #expect(result.outputText.contains("48;2;255;0;0"))
    }

    /// What is served is text that others read.
    @Test func server_leavesThemOut() throws {
      let result = try shell("\"$0\" serve --export out f?")
      #expect(result.status == 0)
      #expect(
        result.errorLines.filter { $0.contains("its name is not UTF-8") }
          == Array(
            repeating: "storytty: left out: \(names[0]): its name is not UTF-8", count: 2))
    }

    /// Libraries that others have preloaded set variables and move the arrays, as those do that give
    /// a process another title.
    @Test(arguments: [
      "setenv(\"A_VARIABLE\", \"1\", 1);",
      "for (int i = 0; i < count; i++) words[i] = strdup(words[i]);",
      "clearenv();",
    ])
    func arguments_surviveAPreloadedLibrary(what: String) throws {
      let compiler = try #require(Programs.installed("gcc"))
      let source = try home.write(
        """
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <string.h>
        extern char **environ;
        __attribute__((constructor)) static void begin(int count, char **words) {
          \(what)
          int length = 0;
          while (environ && environ[length]) length++;
          char **moved = calloc(length + 1, sizeof *moved);
          for (int i = 0; i < length; i++) moved[i] = strdup(environ[i]);
          environ = moved;
        }
        """, to: "moved.c")
      let library = home.path("moved.so")
      #expect(try run(compiler, ["-shared", "-fPIC", "-o", library, source]).status == 0)
      var environment = environment
      environment["LD_PRELOAD"] = library
      let result = try run(
        Programs.player, ["list", "--json", home.path("nowhere.mp4")], environment: environment)
      #expect(result.status == 2)
      #expect(
        result.errorLines == [
          "storytty: cannot play \(home.path("nowhere.mp4")): no such file"
        ])
      let check = try run(Programs.decoder, ["--check"], environment: environment)
      #expect(check.status == 0)
    }
  }
}
