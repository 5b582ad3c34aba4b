import Glibc
import Support
import System
import Testing

extension Serving {
  /// The served folder exported as files.
  @Suite struct ExportTests {
    private let folder: TemporaryDirectory

    init() throws {
      folder = try TemporaryDirectory()
      chmod(folder.path, 0o755)
      try folder.copy(Clip(width: 90, height: 160, seconds: 1).file(), as: "dir/anna/a b.mp4")
      try folder.write(makePNG(width: 4, height: 4) { _, _ in 0xFF }, to: "dir/one.png")
      try folder.write(lottie, to: "dir/animations/heart.json")
      for name in ["anna/a b.mp4", "one.png", "animations/heart.json"] {
        date(folder.path("dir/\(name)"))
      }
    }

    private var out: String { folder.path("out") }

    private func export(_ target: String? = nil) throws -> CommandResult {
      try run(
        Programs.player, ["serve", folder.path("dir"), "--export", target ?? out],
        environment: plainEnvironment.merging(["HOME": "/proc/nowhere"]) { _, new in new })
    }

    private func names() -> [String] {
      var names: [String] = []
      func add(_ path: String, _ shown: String) {
        for name in directoryEntries(path) {
          let isFolder = !directoryEntries("\(path)/\(name)").isEmpty
          if isFolder {
            add("\(path)/\(name)", shown + name + "/")
          } else {
            names.append(shown + name)
          }
        }
      }
      add(out, "")
      return names
    }

    @Test func export_isWhatWouldBeServed() throws {
      let result = try export()
      #expect(result.status == 0)
      #expect(result.outputText == "exported 2 stories and 1 animation to \(out)\n")
      #expect(
        names() == [
          ".storytty-export", "animations.json", "anna/a b.mp4", "feed.json", "heart.json",
          "one.png",
        ])
      let served = try Served(folder.path("dir"))
      try eventually("the durations are in the feed") {
        try served.get("/feed.json").text.contains("duration_in_seconds")
      }
      #expect(try served.get("/feed.json").body == readFile(out + "/feed.json"))
      #expect(try served.get("/animations").body == readFile(out + "/animations.json"))
      #expect(try readText(out + "/heart.json") == lottie)
      // Hard links where they are possible.
      #expect(try inode("out/one.png") == inode("dir/one.png"))
    }

    private func inode(_ name: String) throws -> UInt64 {
      try FileStatus(of: folder.path(name)).inode
    }

    @Test func export_isPlayedFromNginx() throws {
      #expect(try export().status == 0)
      let nginx = try Nginx(serving: out)
      #expect(try nginx.get("/anna/a%20b.mp4").body == readFile(folder.path("dir/anna/a b.mp4")))
      #expect(try nginx.get("/animations").status == 404)
      #expect(try nginx.get("/animations.json").status == 200)
      #expect(try nginx.get("/heart.json").text == lottie)
      let home = ["HOME": folder.path, "XDG_CACHE_HOME": folder.path("cache")]
      let listed = try run(
        Programs.player, ["list", "--json", nginx.url + "/feed.json"],
        environment: plainEnvironment.merging(home) { _, new in new })
      #expect(listed.status == 0)
      let reels = try JSONValue(parsing: listed.output)["reels"].elements
      #expect(reels.map { $0["name"].text } == ["dir", "anna"])
      let stories = reels.flatMap { $0["stories"].elements }
      #expect(
        stories.map { $0["source"].text } == [
          nginx.url + "/one.png", nginx.url + "/anna/a%20b.mp4",
        ])
      #expect(stories.map { $0["kind"].text } == ["picture", "video"])
      #expect(stories.map { $0["title"].text } == ["one.png", "a b.mp4"])
      #expect(stories.map { $0["durationS"].number } == [nil, 1])
    }

    /// The feed plays over the network, from this server and from nginx with the export.
    @Test(arguments: [true, false])
    func feed_isPlayedOverTheNetwork(served: Bool) throws {
      #expect(try export().status == 0)
      let server = try served ? Served(folder.path("dir")) : nil
      let nginx = try Nginx(serving: out)
      let url = server?.url ?? nginx.url
      let terminal = try PseudoTerminal()
      try terminal.start(
        Programs.player,
        ["--untimed", "--report", folder.path("report"), url + "/feed.json"],
        environment: plainEnvironment.merging([
          "HOME": folder.path, "XDG_CACHE_HOME": folder.path("cache"), "TERM": "xterm-256color",
        ]) { _, new in new })
      #expect(terminal.awaitEnd()?.shellStatus == 0)
      let report = try Report(path: folder.path("report"))
      #expect(report.stories.map(\.source) == [url + "/one.png", url + "/anna/a%20b.mp4"])
      #expect(report.stories.map(\.status) == ["ended", "ended"])
      #expect(report.stories.map(\.framesShown) == [1, 25])
    }

    @Test func export_again_followsTheFolder() throws {
      #expect(try export().status == 0)
      try folder.write("mine", to: "out/own.txt")
      unlink(folder.path("dir/anna/a b.mp4"))
      rename(
        folder.path("dir/animations/heart.json"), folder.path("dir/animations/star.json"))
      try folder.write(movie(40), to: "dir/ben/c.mp4")
      #expect(try export().status == 0)
      #expect(
        names() == [
          ".storytty-export", "animations.json", "ben/c.mp4", "feed.json", "one.png", "own.txt",
          "star.json",
        ])
      #expect(try JSONValue(parsing: readFile(out + "/feed.json"))["items"].elements.count == 2)
    }

    @Test func file_thatOthersMayNotRead_isCopiedForThem() throws {
      chmod(folder.path("dir/one.png"), 0o600)
      #expect(try export().status == 0)
      let copy = try FileStatus(of: folder.path("out/one.png"))
      #expect(try copy.inode != inode("dir/one.png"))
      #expect(copy.permissions == 0o644)
      #expect(copy.modifiedNanoseconds == 1_700_000_000_000_000_000)
      #expect(try readFile(out + "/one.png") == readFile(folder.path("dir/one.png")))
      #expect(try export().status == 0)
      #expect(try inode("out/one.png") == copy.inode)
    }

    /// The export's own list is found among any number of names.
    @Test func export_again_intoAFolderOfManyFiles_isMade() throws {
      #expect(try export().status == 0)
      // The file system decides which names are read first.
      for number in 0..<20_000 { try folder.write("", to: "out/own\(number)") }
      let again = try export()
      #expect(again.status == 0)
      #expect(again.errorText.contains("cannot export") == false)
    }

    /// A file that was linked while everybody might read it is copied when only its owner may.
    @Test func file_thatOthersMayNoLongerRead_isCopiedForThem() throws {
      #expect(try export().status == 0)
      #expect(try inode("out/one.png") == inode("dir/one.png"))
      chmod(folder.path("dir/one.png"), 0o600)
      #expect(try export().status == 0)
      let copy = try FileStatus(of: folder.path("out/one.png"))
      #expect(try copy.inode != inode("dir/one.png"))
      #expect(copy.permissions == 0o644)
      #expect(try FileStatus(of: folder.path("dir/one.png")).permissions == 0o600)
    }

    /// A link that somebody else may have placed must not decide where strangers find the stories.
    @Test func target_thatIsALinkInASharedFolder_isRefused() throws {
      for name in ["shared", "victim"] { mkdir(folder.path(name), 0o755) }
      #expect(symlink(folder.path("victim"), folder.path("shared/out")) == 0)
      let target = folder.path("shared/out")
      #expect(chmod(folder.path("shared"), 0o1777) == 0)
      for path in [target, target + "/deeper"] {
        let result = try export(path)
        #expect(result.status == 1)
        #expect(
          result.errorText == "storytty: cannot export to \(path): "
            + "it is a symbolic link in a folder that others may write\n")
      }
      #expect(directoryEntries(folder.path("victim")) == [])
      // A link in a folder that only its owner may write to is followed.
      #expect(chmod(folder.path("shared"), 0o755) == 0)
      #expect(try export(target).status == 0)
      #expect(fileExists(folder.path("victim/feed.json")))
    }

    /// Links in the target lead no write and no removal out of it.
    @Test func links_inTheTarget_areReplaced_neverFollowed() throws {
      #expect(try export().status == 0)
      let victims = ["a b.mp4", "one.png", "feed.json"]
      for name in victims { try folder.write("mine", to: "victim/\(name)") }
      for name in ["anna/a b.mp4", "one.png", "feed.json"] { unlink("\(out)/\(name)") }
      rmdir("\(out)/anna")
      #expect(symlink(folder.path("victim"), "\(out)/anna") == 0)
      for name in ["one.png", "feed.json"] {
        #expect(symlink(folder.path("victim/\(name)"), "\(out)/\(name)") == 0)
      }
      #expect(try export().status == 0)
      #expect(try readFile(out + "/anna/a b.mp4") == readFile(folder.path("dir/anna/a b.mp4")))
      #expect(Paths.canonical("\(out)/anna") == Paths.canonical(out).map { $0 + "/anna" })
      #expect(try inode("out/one.png") == inode("dir/one.png"))
      // A file to be removed is not looked for behind a link either.
      unlink("\(out)/anna/a b.mp4")
      rmdir("\(out)/anna")
      #expect(symlink(folder.path("victim"), "\(out)/anna") == 0)
      unlink(folder.path("dir/anna/a b.mp4"))
      #expect(try export().status == 0)
      for name in victims { #expect(try readText(folder.path("victim/\(name)")) == "mine") }
    }

    @Test(arguments: ["--listen=127.0.0.1:0", "--token-file=token"])
    func optionsOfServing_withAnExport_areRefused(option: String) throws {
      let result = try run(
        Programs.player, ["serve", folder.path("dir"), "--export", out, option],
        environment: plainEnvironment)
      #expect(result.status == 1)
      let name = option.prefix { $0 != "=" }
      #expect(
        result.errorText
          == "storytty: --export writes files and serves nothing: leave out \(name)\n")
      #expect(directoryEntries(out) == [])
    }

    @Test func animation_withTheNameOfAStory_isLeftOut() throws {
      try folder.write(lottie, to: "dir/heart.json")
      let result = try export()
      #expect(result.status == 0)
      let path = folder.path("dir/animations/heart.json")
      #expect(
        result.errorText
          == "storytty: left out: \(path): heart.json is taken by a story\n")
      #expect(try readText(out + "/animations.json") == "[]\n")
    }

    /// An export destroys nothing: it refuses a target that holds anything else.
    @Test func target_thatHoldsSomethingElse_isLeftAlone() throws {
      func refusal(_ target: String) throws -> String {
        let result = try export(target)
        #expect(result.status == 1)
        #expect(result.output == [])
        return result.errorText
      }
      try folder.write("mine", to: "full/own.txt")
      let full = folder.path("full")
      #expect(
        try refusal(full)
          == "storytty: cannot export to \(full): it is not empty, and not made by a former export\n"
      )
      #expect(directoryEntries(full) == ["own.txt"])
      for target in ["dir", "dir/new", "dir/anna/new", "."] {
        #expect(try refusal(folder.path(target)).contains("it may neither be inside "))
      }
      #expect(directoryEntries(folder.path("dir")) == ["animations", "anna", "one.png"])
      #expect(try refusal(folder.path("none/out")).contains("is missing"))
      try folder.write("x", to: "file")
      #expect(try refusal(folder.path("file")).contains("cannot export to"))
      mkdir(folder.path("empty"), 0o755)
      #expect(try export(folder.path("empty")).status == 0)
    }

    /// A manifest that somebody has changed removes nothing outside of the target.
    @Test func manifest_thatLies_removesNothingElsewhere() throws {
      #expect(try export().status == 0)
      try folder.write("mine", to: "precious")
      try folder.write("mine", to: "out/.git")
      try folder.write(
        "../precious\0/\(folder.path)/precious\0./../precious\0.git\0one.png\0",
        to: "out/.storytty-export")
      #expect(try export().status == 0)
      #expect(try readText(folder.path("precious")) == "mine")
      #expect(try readText(out + "/.git") == "mine")
    }
  }
}
