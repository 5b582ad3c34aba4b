import Support
import Testing

extension EndToEnd {
  /// Stories of services that a configuration describes.
  @Suite struct ServiceTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func options(_ configuration: String) throws -> [String] {
      let path = try directory.write(configuration, to: "config")
      return ["--config", path, "--cache-dir", directory.path("cache")]
    }

    private func untimed(_ source: String, _ options: [String]) throws -> Report {
      let play = try Play(["--untimed"] + options + [source])
      #expect(play.terminal.awaitEnd()?.shellStatus == 0)
      play.expectRestored()
      return try play.report()
    }

    private func listed(_ source: String, _ options: [String]) throws -> [String] {
      let result = try storytty(["list", source, "--json"] + options)
      #expect(result.errorText == "")
      #expect(result.status == 0)
      return result.outputText.split(separator: "\"").map(String.init).filter {
        $0.hasSuffix(".mp4") && $0.hasPrefix("http")
      }
    }

    @Test func folderOfAWebDAVServer_isListedAndPlayed_alsoOffline() throws {
      let server = try LocalServer.rclone()
      try server.serve(file: Colors.clip(Colors.red, seconds: 1), as: "sea/tide 1.mp4")
      try server.serve(file: Colors.clip(Colors.lime, seconds: 1), as: "sea/anna/2.mp4")
      let options = try options(
        """
        [host 127.0.0.1:\(server.port)]
        profile = webdav
        user = anna
        password-command = echo secret
        """)
      let folder = "\(server.url)/sea/"
      let stories = [folder + "tide%201.mp4", folder + "anna/2.mp4"]
      #expect(try Set(listed(folder, options)) == Set(stories))
      let first = try untimed(folder, options)
      #expect(first.stories.map(\.source) == stories)
      #expect(first.stories.map(\.status) == ["ended", "ended"])
      #expect(first.cache.bytesFetched > 0)
      server.stop()
      let again = try untimed(folder, options)
      #expect(again.stories.map(\.source) == stories)
      #expect(again.stories.map(\.framesShown) == first.stories.map(\.framesShown))
      #expect(again.cache.bytesFetched == 0)
    }

    /// What a section for https has is not sent in clear, whatever a viewer types.
    @Test(arguments: [("", "ended"), ("https://", "failed")])
    func header_ofASection_goesInClearOnlyWhereThatIsMeant(
      scheme: String, status: String
    ) throws {
      let nginx = try Nginx(settings: #"if ($http_x_key != "k") { return 403; }"#)
      try nginx.serve(file: Colors.clip(Colors.red, seconds: 1), as: "beach.mp4")
      let options = try options("[host \(scheme)127.0.0.1:\(nginx.port)]\nheader = X-Key: k\n")
      let play = try Play(["--untimed"] + options + ["\(nginx.url)/beach.mp4"])
      #expect(play.terminal.awaitEnd()?.shellStatus == (status == "ended" ? 0 : 2))
      #expect(try play.report().stories.map(\.status) == [status])
    }

    @Test func fileOfYandex_isPlayed_andItsTokenStaysWithTheService() throws {
      let storage = try Nginx(
        settings: "if ($http_authorization) { return 400; }")
      try storage.serve(file: Colors.clip(Colors.red, seconds: 1), as: "beach.mp4")
      let api = try Nginx(
        settings: """
          location = /v1/disk/resources/download {
            if ($http_authorization != "OAuth t") { return 401; }
            if ($args != "path=%2FStories%2Fbeach.mp4") { return 404; }
            return 200 '{"href":"\(storage.url)/beach.mp4?sign=x","method":"GET"}';
          }
          """)
      let options = try options(
        """
        [host 127.0.0.1:\(api.port)]
        profile = yandex
        header-command = Authorization: echo OAuth t
        """)
      let url = "\(api.url)/Stories/beach.mp4"
      let first = try untimed(url, options)
      #expect(first.stories.map(\.source) == [url])
      #expect(first.stories.map(\.status) == ["ended"])
      #expect(storage.accesses.allSatisfy { $0.status == 206 } && !storage.accesses.isEmpty)
      // What was watched once needs neither of them.
      api.stop()
      storage.stop()
      let again = try untimed(url, options)
      #expect(again.network.requests == 0)
      #expect(again.stories.map(\.framesShown) == first.stories.map(\.framesShown))
    }
  }
}
