import Feeds
import Stories
import Support
import System
import Testing

@Suite(.enabled(if: Media.isAvailable))
struct CorpusTests {
  private func read(_ name: String) throws -> Feed {
    try FeedReader().read([try Media.path(name)])
  }

  /// Sources as `path | caption | seconds`, with paths relative to the corpus.
  private func outline(_ feed: Feed) throws -> [String] {
    let root = try #require(Media.directory.flatMap(Paths.canonical)) + "/"
    return feed.reels.flatMap(\.stories).map { story in
      let source = story.source.text
      let place = source.hasPrefix(root) ? String(source.dropFirst(root.count)) : source
      return [place, story.caption ?? "-", story.durationS.map { "\($0)" } ?? "-"]
        .joined(separator: " | ")
    }
  }

  @Test(arguments: [
    (
      "feed/local_relative.m3u",
      [
        "video/gen_rot90_h264_quadrants.mp4 | Portrait, rotated 90 | 2.0",
        "image/gen_progressive.jpg | Picture | -", "audio/gen_cover_jpeg.mp3 | Cover art | 3.0",
        "lottie/gen_rotating_square.json | - | -", "video/does_not_exist.mp4 | - | -",
      ]
    ),
    ("feed/local_relative_crlf.m3u", ["video/gen_60fps.mp4 | Clip | 2.0"]),
    ("feed/mopidy__comment-ext.m3u", ["feed/song1.mp3 | Song #1 | -"]),
    ("feed/mopidy__encoding-ext.m3u", ["feed/æøå.mp3 | æøå | -"]),
    ("feed/mopidy__one-ext.m3u", ["feed/song1.mp3 | Song #1 | -"]),
    (
      "feed/mopidy__two-ext.m3u",
      ["feed/song1.mp3 | Song #1 | -", "feed/song2.mp3 | Song #2 | 60.0"]
    ),
    ("feed/no_header.m3u", ["video/gen_60fps.mp4 | - | -", "image/gen_cmyk.jpg | - | -"]),
    (
      "feed/FeedKit__feed.json",
      [
        "http://therecord.co/downloads/The-Record-sp1e1-ChrisParrish-128.m4a"
          + " | Special #1 - Chris Parrish: 128Kb's version | 6629.0",
        "http://therecord.co/downloads/The-Record-sp1e1-ChrisParrish-256.m4a"
          + " | Special #1 - Chris Parrish: 256Kb's version | 6629.0",
      ]
    ),
    ("feed/feed-rs__jsonfeed_example_1.json", []),
    ("feed/feedparser__example.json", ["https://example.org/second-item-show.mp4 | post 2 | -"]),
    (
      "feed/gofeed__version_json_10.json",
      ["https://sample-json-feed.com/attachment | title | 100.0"]
    ),
    (
      "feed/gofeed__version_json_11.json",
      ["https://sample-json-feed.com/attachment | title | 100.0"]
    ),
    (
      "feed/json_feed_attachments.json",
      ["https://example.com/v.mp4 | v | 12.5", "https://example.com/p.jpg | numeric id | -"]
    ),
    (
      "broken/feed_title_escape_codes.json",
      ["https://example.com/a.mp4 | \u{1B}[31mred\u{1B}[0m \u{202E}gnp.exe | -"]
    ),
    (
      "feed/FeedKit__Atom.xml",
      ["http://example.org/audio/ph34r_my_podcast.mp3 | Atom draft-07 snapshot | -"]
    ),
    (
      "feed/FeedKit__Media.xml",
      [
        "http://www.foo.com/song64kbps.mp3 | - | -", "http://www.foo.com/video.mov | - | 185.0",
        "http://www.foo.com/movie.mov | The Judy's -- The Moo Song | -",
      ]
    ),
    (
      "feed/FeedKit__RSS.xml",
      Array(
        repeating: "http://dallas.example.com/joebob_050689.mp3"
          + " | Seventh Heaven! Ryan Hurls Another No Hitter | -", count: 2)
    ),
    (
      "feed/atom_enclosures_xml_base.xml",
      ["https://example.com/base/clip.mp4 | e | -", "https://example.com/p.jpg | e | -"]
    ),
    ("feed/clementine__test.xspf", ["http://example.com/foo.mp3 | Foo | 60.0"]),
    (
      "feed/local.xspf",
      [
        "video/gen_60fps.mp4 | Sixty | 2.0", "audio/gen_cover.flac | Tone & cover | 2.0",
        "image/gen_progressive.jpg | Percent-encoded | -",
      ]
    ),
    (
      "feed/feed-rs__atom_example_1.xml",
      ["http://example.org/audio/ph34r_my_podcast.mp3 | Atom draft-07 snapshot | -"]
    ),
    ("feed/feed-rs__atom_example_6.xml", []),
    (
      "feed/feed-rs__atom_mediarss_reddit_1.xml",
      [
        "https://b.thumbs.redditmedia.com/_MXt-0n8VXQc-EQ7Q0vFioALFWFITAgVWu4Wf8dThhU.jpg\(rack)"
      ]
    ),
    ("feed/feed-rs__rss_1.0_iso8859.xml", []),
    (
      "feed/feedparser__item_enclosure_multiple.xml",
      ["http://example.com/1 | - | -", "http://example.com/2 | - | -"]
    ),
    ("feed/feedparser__entry_link_rel_enclosure_no_href.xml", []),
    (
      "feed/gofeed__issue_36_enclosure_text.xml", ["http://example.org/podcast.mp3 | - | -"]
    ),
    (
      "feed/media_rss_group.xml",
      ["https://example.com/a-360.mp4 | Group | 15.0", "https://example.com/b.mp4 | Both | -"]
    ),
    ("feed/rss-parser__heise.atom", []), ("feed/rss-parser__itunes-href.rss", []),
    ("broken/rss-parser__incomplete-fields.atom", []),
    ("broken/feed_item_file_url.xml", []), ("broken/feed_truncated.xml", []),
    ("broken/feed_xxe.xml", ["https://example.com/a.mp4 | - | -"]),
    ("broken/playlist_directory_traversal.m3u", []),
    ("broken/playlist_self_include.m3u", []),
  ])
  func read_feed_listsItsStories(name: String, expected: [String]) throws {
    #expect(try outline(try read(name)) == expected)
  }

  /// How many stories a feed has, and the address of the first.
  @Test(arguments: [
    (
      "feed/feed-rs__rss_2.0_anchorfm.xml", 1, "https://anchor.fm/s/8d364524/podcast/play/58581931/"
    ),
    (
      "feed/feed-rs__rss_2.0_bbc.xml", 1,
      "http://open.live.bbc.co.uk/mediaselector/6/redir/version/2.0/mediaset/audio-nondrm-downloa"
    ),
    (
      "feed/feed-rs__rss_2.0_ch9.xml", 1,
      "https://sec.ch9.ms/ch9/075d/6e61e6c6-3890-4172-a617-fa0c4b38075d/azfr663_high.mp4"
    ),
    ("feed/feed-rs__rss_2.0_relurl_2.xml", 1, "/images/me/hackergotchi-simpler.png"),
    ("feed/feed-rs__rss_2.0_spiegel.xml", 1, "https://traffic.omny.fm/d/clips/5ac1e950-45c7-4eb7"),
    (
      "feed/feed-rs__rss_2.0_spreaker.xml", 1,
      "https://api.spreaker.com/download/episode/46395247/09_05_dopo_8_10_lwowska_fala.mp3"
    ),
    (
      "feed/feedjira__ITunesWithSpacesInAttributes.xml", 3,
      "http://example.com/podcasts/everything/AllAboutEverythingEpisode3.m4a"
    ),
    (
      "feed/feed-rs__atom_mediarss_youtube_1.xml", 1,
      "https://i1.ytimg.com/vi/0A1ouV7iD8o/hqdefault.jpg"
    ),
    (
      "feed/feed-rs__rss_2.0_vimeo_media.xml", 1,
      "https://i.vimeocdn.com/video/1931613648-ea51f2799c4a4a4e058ed673e5587a0449778336fb866fad28a"
    ),
    (
      "feed/feedjira__youtube_atom.xml", 15, "https://i2.ytimg.com/vi/5shykyfmb28/hqdefault.jpg"
    ),
    ("feed/podcastns__example.xml", 3, "https://example.com/file-03.mp3"),
    ("feed/clementine__pls_somafm.pls", 4, "http://streamer-dtc-aa05.somafm.com:80/stream/1018"),
    ("feed/clementine__secretagent.pls", 4, "http://streamer-ntc-aa03.somafm.com:80/stream/1021"),
    (
      "broken/FeedKit__Ampersand.xml", 20, "https://mobil.bold.dk/picture/960x630/art128116.jpg"
    ),
  ])
  func read_feed_holdsItsStories(name: String, count: Int, first: String) throws {
    let feed = try read(name)
    #expect(feed.storyCount == count)
    #expect(feed.reels.first?.stories.first?.source.text.hasPrefix(first) == true)
    #expect(feed.skipped == [])
  }

  @Test(arguments: [
    ("broken/mopidy__empty.m3u", "the list is empty"),
    ("broken/mopidy__empty-ext.m3u", "the list is empty"),
    ("broken/m3u8-parser__empty.m3u8", "the list is empty"),
    ("broken/feed_html_page.xml", "a web page, not media and not a feed"),
    ("broken/feed_billion_laughs.xml", "the feed has no items"),
    ("broken/feed_no_items.xml", "the feed has no items"),
    ("broken/feed-rs__rss_2.0_invalid_1.xml", "the feed has no items"),
    ("feed/podcastns__podcast-example.xml", "XML, but no feed: it is a <test-wrapper>"),
    ("broken/lottie_empty_object.json", "not a JSON Feed: 'version' is missing"),
    ("broken/lottie_not_lottie.json", "not a JSON Feed: 'version' is missing"),
  ])
  func read_noFeed_saysWhy(name: String, reason: String) throws {
    let path = try Media.path(name)
    #expect(throws: FeedError.cannotRead(source: path, reason: reason)) { try read(name) }
  }

  @Test func read_everyHlsPlaylist_isOneVideo() throws {
    let names = try self.names(in: "feed").filter { $0.hasSuffix(".m3u8") }
    #expect(names.count == 12)
    for name in names {
      let stories = try read("feed/" + name).reels.flatMap(\.stories)
      #expect(stories.map(\.kind) == [.video], "\(name)")
    }
  }

  /// Folders that hold one kind of media. The first bytes of a few files in them give another kind
  /// (`others`): containers that may hold pictures or only sound, or formats that only a name or a
  /// decoder identifies.
  @Test(arguments: [
    ("video", Story.Kind.video), ("image", .picture), ("audio", .sound), ("lottie", .animation),
  ])
  func read_folder_givesEachFileItsKind(folder: String, kind: Story.Kind) throws {
    let feed = try read(folder)
    let stories = feed.reels.flatMap(\.stories)
    #expect(stories.count == (try names(in: folder)).count)
    #expect(feed.skipped == [])
    let others = stories.filter { $0.kind != kind }.map {
      "\($0.source.text.split(separator: "/").last ?? "") \($0.kind.map { $0.rawValue } ?? "-")"
    }
    #expect(others == (FeedsTests.others[folder] ?? []))
  }

  @Test func read_folderOfBrokenFiles_keepsFilesNamedLikeMedia() throws {
    let feed = try read("broken")
    let kept = Set(feed.reels.flatMap(\.stories).map { $0.source.text.split(separator: "/").last })
    let endings = ["xml", "m3u", "atom", "json", "m3u8"]
    for name in try names(in: "broken") where !endings.contains(where: { name.hasSuffix("." + $0) })
    {
      #expect(kept.contains(name[...]), "\(name)")
    }
    #expect(kept.contains("gen_no_extension"))
    #expect(kept.contains("lottie_truncated.json"))
    #expect(!kept.contains("lottie_not_lottie.json"))
    #expect(!kept.contains("feed_xxe.xml"))
  }

  private func names(in folder: String) throws -> [String] {
    let path = try Media.path(folder)
    return try DirectoryEntry.all(in: path, limit: 10_000).map(\.name).sorted()
  }
}

private let others: [String: [String]] = [
  "video": ["gen_animated_gif_as_video.gif picture"],
  "audio": [
    "androidx__bbb_1ch_12kHz_q10_vorbis.webm video", "androidx__bbb_1ch_48kHz_q10_opus.webm video",
    "androidx__bbb_mono_8kHz_12.2kbps_amrnb.3gp video", "androidx__sample_audio_only.mp4 video",
    "androidx__sample_latm.ts video", "androidx__sample_mpeg_audio_with_audio_type.ts video",
  ],
]

/// The caption of a story of the corpus.
private let rack = " | Cleaned up the Lack Rack | -"
