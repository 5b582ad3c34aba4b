import DecoderLink
import Pictures
import Playback
import Resources
import Stories
import System
import Terminal
import Testing

@testable import Player

/// The words around and over the picture.
@Suite struct ViewTests {
  private let now = Instant.now

  /// What a view depends on; all of the stories are of one kind.
  private func model(
    _ stage: Stage, expires: [Int: Int64] = [:], columns: Int = 80, unicode: Bool = true,
    caption: String = "", author: String = "", published: Int64? = nil,
    reelNames: [String] = ["anna"], playing: ViewModel.Playing? = nil, seen: Bool = false,
    perPicture: Int = 0, rate: UInt64? = nil, saved: UInt64 = 0, after milliseconds: Int = 0
  ) -> ViewModel {
    let stories = (0..<stage.storyCount).map {
      Story(
        source: .file("/\($0).png"), caption: caption, author: author, published: published,
        expires: expires[$0])
    }
    let names = stage.reels.indices.map { $0 < reelNames.count ? reelNames[$0] : "" }
    return ViewModel(
      stage: stage, stories: stories, reelNames: names, playing: playing, reelWasSeen: seen,
      layout: .layout(columns: columns, rows: 24), unicode: unicode, bytesPerPicture: perPicture,
      byteRate: rate, savedBytes: saved, now: now + .milliseconds(milliseconds), wallClock: 1_000)
  }

  /// A stage at the first of so many stories.
  private func started(_ stories: Int = 2, _ options: Stage.Options = .init()) -> Stage {
    var stage = Stage(reelSizes: [stories], options: options)
    _ = stage.handle(.start)
    return stage
  }

  private func view() -> View { View(options: PlayOptions(), now: now) }

  /// At the end card after one reel of which these are not played any more.
  private func ended(stories: Int, exhausted: Range<Int>) -> Stage {
    var stage = Stage(reelSizes: [stories])
    _ = stage.handle(.start)
    _ = stage.handle(.began(generation: 1))
    for story in exhausted { _ = stage.handle(.exhausted(story: story)) }
    _ = stage.handle(.end)
    return stage
  }

  @Test func endCard_whereSomethingIsStillPlayable_offersIt() {
    let overlays = view().overlays(model(ended(stories: 2, exhausted: 0..<1)))
    #expect(overlays.endCard == ["That was all: 2 stories, 1 reel"])
    #expect(overlays.endKeys.map(\.meaning) == ["again", "back", "quit"])
  }

  @Test(
    arguments: [
      ([:], "seen as often as allowed"), ([0: 1_000, 1: 9], "expired"),
      ([0: 1_000, 1: 1_001], "1 story seen as often as allowed, 1 story expired"),
    ] as [([Int: Int64], String)])
  func endCard_whereNothingIsPlayable_saysWhy(expires: [Int: Int64], words: String) {
    let model = model(ended(stories: 2, exhausted: 0..<2), expires: expires)
    let overlays = view().overlays(model)
    #expect(overlays.endCard == ["That was all: 2 stories, 1 reel", words])
    #expect(overlays.endKeys.map(\.meaning) == ["quit"])
  }

  /// The bar's row has it where not all segments fit: 26 at 80 columns.
  @Test(arguments: [(1, 80, "1/1"), (26, 80, "1/26"), (27, 80, ""), (27, 120, "1/27")])
  func title_saysThePlaceOnceWithTheBar(stories: Int, columns: Int, expected: String) {
    var stage = Stage(reelSizes: [stories])
    _ = stage.handle(.start)
    let model = model(stage, columns: columns)
    let chrome = view().chrome(model)
    #expect(chrome.titleRight == expected)
    let bar = chrome.segments.bar(columns: columns, drawsLines: true)
    let labels = bar.filter { $0.tone == .label }
    #expect(labels.isEmpty == !expected.isEmpty)
  }

  @Test(arguments: [
    (2, true, "▮▮ muted  1/2", "muted  1/2"), (2, false, "paused muted  1/2", "muted  1/2"),
    (30, true, "▮▮ muted", "muted"), (30, false, "paused muted", "muted"),
  ])
  func title_saysWhatMatters(stories: Int, unicode: Bool, paused: String, running: String) {
    var stage = Stage(reelSizes: [stories])
    _ = stage.handle(.start)
    var view = view()
    view.isMuted = true
    #expect(view.chrome(model(stage, unicode: unicode)).titleRight == running)
    _ = stage.handle(.togglePause)
    #expect(view.chrome(model(stage, unicode: unicode)).titleRight == paused)
    view.isMuted = false
    let bare = paused.split(separator: " ")[0] + (stories == 2 ? " 1/2" : "")
    #expect(view.chrome(model(stage, unicode: unicode)).titleRight == bare)
  }

  @Test(arguments: [(2, "  1/2"), (30, "")])
  func title_whereAKeyIsAwaited_namesIt(stories: Int, place: String) throws {
    var stage = Stage(reelSizes: [stories], options: .init(manual: true))
    _ = stage.handle(.start)
    _ = stage.handle(.finished(generation: 1))
    let key = try #require(PlayOptions().keys.name(of: .next))
    #expect(view().chrome(model(stage)).titleRight == "press \(key)\(place)")
  }

  // MARK: - Waiting

  @Test func loading_isShown_onceItHasTaken250Milliseconds() {
    var view = view()
    view.lastKey = now + .seconds(-60)
    let playing = ViewModel.Playing(playback: .opened(.video, at: now, isShown: false))
    func model(_ after: Int) -> ViewModel { self.model(started(), playing: playing, after: after) }
    #expect(view.overlays(model(249)).spinner == nil)
    #expect(view.deadline(model(249)) == now + .milliseconds(250))
    #expect(view.overlays(model(250)).spinner == .init(text: "0.png", phase: 2))
    #expect(view.overlays(model(1_299)).spinner == .init(text: "0.png", phase: 12))
    #expect(view.deadline(model(300)) == now + .milliseconds(400))
    // Another story has its own patience.
    view.storyBegan(at: now + .milliseconds(1_200))
    #expect(view.overlays(model(1_299)).spinner == nil)
  }

  @Test func loading_saysHowFarTheBytesAre() {
    let playing = ViewModel.Playing(
      playback: .opened(.video, at: now, isShown: false), progress: .of(1_200_000, 4_400_000))
    let overlays = view().overlays(model(started(), playing: playing, after: 500))
    #expect(overlays.spinner?.text == "0.png from example.org 1.2 of 4.4 MB")
  }

  @Test func story_withoutADecoder_waitsForNothing() {
    let model = model(started(), after: 5_000)
    #expect(view().overlays(model) == Overlays())
    #expect(view().deadline(model) == nil)
  }

  @Test func stall_isShown_asLongAsItLasts() {
    var playback = Playback.opened(.video, at: now).played(for: 200, from: now)
    _ = playback.handle(
      .buffer(BufferReport(isPlaylist: false, isWaiting: true, isFetching: true)),
      at: now + .milliseconds(200))
    _ = playback.handle(.tick(lead: .zero), at: now + .milliseconds(300))
    let playing = ViewModel.Playing(playback: playback)
    #expect(view().overlays(model(started(), playing: playing, after: 500)).spinner == nil)
    #expect(view().overlays(model(started(), playing: playing, after: 550)).spinner?.phase == 2)
  }

  // MARK: - Words for a while

  @Test func message_takesTheCaptionRow_for3Seconds() {
    var view = view()
    view.lastKey = now + .seconds(-60)
    view.say("saved beach.png", now: now)
    func model(_ after: Int) -> ViewModel { self.model(started(), caption: "c", after: after) }
    #expect(view.chrome(model(2_999)).caption == "saved beach.png")
    #expect(view.deadline(model(2_999)) == now + .seconds(3))
    #expect(view.chrome(model(3_000)).caption == "c")
    #expect(view.deadline(model(3_000)) == nil)
    view.say("one", now: now)
    view.say("two", now: now + .seconds(1))
    #expect(view.chrome(model(3_500)).caption == "two")
  }

  @Test func title_standsBack_3SecondsAfterTheLastKey() {
    var view = view()
    #expect(view.deadline(model(started(), after: 1)) == now + .seconds(3))
    #expect(!view.chrome(model(started(), after: 2_999)).dimmed)
    #expect(view.chrome(model(started(), after: 3_000)).dimmed)
    view.lastKey = now + .seconds(5)
    #expect(!view.chrome(model(started(), after: 5_001)).dimmed)
  }

  @Test func error_staysUntilAnotherStory() {
    var view = view()
    view.error = "cannot play 0.png: it is no medium"
    #expect(view.chrome(model(started())).error == "cannot play 0.png: it is no medium")
    view.storyBegan(at: now)
    #expect(view.chrome(model(started())).error == nil)
  }

  // MARK: - The viewer's choices

  @Test func caption_isShort_long_off() {
    var view = view()
    let model = model(started(), caption: "Low tide")
    #expect(view.chrome(model).caption == "Low tide" && view.overlays(model).caption == nil)
    #expect(view.take(.caption) == false)
    #expect(view.chrome(model).caption == "" && view.overlays(model).caption == "Low tide")
    #expect(view.take(.caption) == true)
    #expect(view.chromeIsHidden(at: now) && view.chrome(model).hidden)
    #expect(view.overlays(model).caption == nil)
    #expect(view.take(.caption) == true)
    #expect(!view.chromeIsHidden(at: now))
    #expect(view.chrome(model).caption == "Low tide")
  }

  @Test func rows_thatAreHidden_comeBackForWhatMatters() {
    var view = view()
    _ = view.take(.caption)
    _ = view.take(.caption)
    #expect(view.chromeIsHidden(at: now))
    view.say("volume 60 %", now: now)
    #expect(!view.chromeIsHidden(at: now + .milliseconds(2_999)))
    #expect(view.chromeIsHidden(at: now + .seconds(3)))
    view.error = "cannot play"
    #expect(!view.chromeIsHidden(at: now + .seconds(3)))
  }

  @Test func captionRow_withoutACaption_hasTheName() {
    var view = view()
    #expect(view.chrome(model(started())).caption == "0.png")
    _ = view.take(.caption)
    // There is nothing to unfold.
    #expect(view.chrome(model(started())).caption == "0.png")
    #expect(view.overlays(model(started())).caption == nil)
  }

  @Test func modes_comeRound() {
    var view = view()
    let first = view.mode
    var seen: [PictureMode] = []
    for _ in PictureMode.allCases {
      seen.append(view.mode)
      #expect(view.take(.mode) == true)
    }
    #expect(Set(seen) == Set(PictureMode.allCases) && view.mode == first)
  }

  @Test func fit_isOneOrTheOther() {
    var view = view()
    #expect(view.fit == .contain)
    #expect(view.take(.fit) == true)
    #expect(view.fit == .cover)
    #expect(view.take(.fit) == true)
    #expect(view.fit == .contain)
  }

  @Test func help_coversAllElse_untilItIsClosed() {
    var view = view()
    let playing = ViewModel.Playing(playback: .opened(.video, at: now))
    let model = model(started(), caption: "c", playing: playing)
    #expect(view.take(.info) == false)
    _ = view.take(.caption)
    #expect(view.take(.help) == false)
    let overlays = view.overlays(model)
    #expect(overlays.help.count == Action.allCases.count)
    #expect(
      overlays.help.first
        == .init(keys: "Right l Enter", meaning: "next story", briefMeaning: "next story"))
    #expect(overlays.info == [] && overlays.caption == nil)
    _ = view.take(.close)
    let closed = view.overlays(model)
    #expect(closed == Overlays() && !view.showsHelp && !view.showsInfo)
    #expect(view.chrome(model).caption == "c")
  }

  /// The help would hide it.
  @Test func info_whileTheHelpIsShown_takesItsPlace() {
    var view = view()
    let playing = ViewModel.Playing(playback: .opened(.video, at: now))
    let model = model(started(), playing: playing)
    for _ in 0..<2 {
      _ = view.take(.help)
      #expect(view.overlays(model).info == [] && view.overlays(model).help != [])
      _ = view.take(.info)
      #expect(view.overlays(model).info != [] && view.overlays(model).help == [])
    }
    _ = view.take(.info)
    #expect(view.overlays(model) == Overlays())
  }

  @Test func help_scrolls_asFarAsThereIsMore() {
    var view = view()
    let model = model(started())
    _ = view.take(.help)
    var skipped: [Int] = []
    for (rows, most) in [(1, 5), (3, 5), (9, 5), (-1, 5), (-1, 2), (0, 1), (-9, 5), (-1, 5)] {
      view.scrollHelp(by: rows, most: most)
      skipped.append(view.overlays(model).skippedHelp)
    }
    #expect(skipped == [1, 4, 5, 4, 1, 1, 0, 0])
    view.scrollHelp(by: 3, most: 5)
    _ = view.take(.help)
    _ = view.take(.help)
    #expect(view.overlays(model).skippedHelp == 0)
  }

  @Test(arguments: [.next, .pause, .quit, .mute, .reactions] as [Action])
  func keys_ofOthers_changeNothing(action: Action) {
    var view = view()
    let model = model(started(), caption: "c")
    let (chrome, overlays) = (view.chrome(model), view.overlays(model))
    #expect(view.take(action) == false)
    #expect(view.chrome(model) == chrome && view.overlays(model) == overlays)
  }

  // MARK: - What plays

  private func info(_ playing: ViewModel.Playing, rate: UInt64? = nil) -> [String: String] {
    var view = view()
    _ = view.take(.info)
    let rows = view.overlays(model(started(), playing: playing, perPicture: 4_321, rate: rate)).info
    return Dictionary(rows.map { ($0.keys, $0.meaning) }) { $0 + "; " + $1 }
  }

  @Test func info_ofAVideo() {
    let playback = Playback.opened(.video, at: now)
    let rows = info(.init(playback: playback, notes: ["it is cut off", "no sound"]))
    #expect(
      rows == [
        "codec": "h264 + aac in mov", "size": "1920x1080 25.00 fps", "length": "10 s",
        "grid": "2x2 half, contain", "frame": "4.3 kB", "dropped": "0",
        "note": "it is cut off; no sound",
      ])
  }

  @Test func info_beforeAnythingWasShown() {
    let playback = Playback.opened(.endless, at: now, isShown: false)
    let rows = info(.init(playback: playback))
    #expect(rows["grid"] == "- half, contain" && rows["length"] == "?" && rows["size"] == "640x480")
    #expect(rows["from"] == nil && rows["note"] == nil)
  }

  @Test func info_beforeItIsOpen_isEmpty() {
    let playback = Playback(.init(durations: DisplayDurations(own: nil, imageTime: .seconds(5))))
    #expect(info(.init(playback: playback)) == [:])
  }

  @Test(
    arguments: [
      (1_100_000, 4_400_000, 52_000, "25 % of 4.4 MB", "52.0 kB/s"),
      (0, 0, nil, "100 % of 0 B", "-"), (0, nil, nil, "-", "-"), (900, nil, 7, "900 B", "7 B/s"),
    ] as [(UInt64, UInt64?, UInt64?, String, String)])
  func info_ofItsBytes(held: UInt64, length: UInt64?, rate: UInt64?, cached: String, line: String) {
    let playing = ViewModel.Playing(
      playback: .opened(.video, at: now), progress: .of(held, length))
    let rows = info(playing, rate: rate)
    #expect(rows["from"] == "example.org" && rows["cached"] == cached && rows["rate"] == line)
  }

  // MARK: - The bar

  /// 80 columns have room for one segment of 156 half columns, or for a window of segments of 8 and 10.
  @Test(
    arguments: [
      (1, 0, 0), (1, 5_000, 0.5), (1, 5_040, 0.5), (1, 5_080, 79.0 / 156), (40, 1_240, 0),
      (40, 1_280, 0.125),
    ]
      as [(Int, Int, Double)])
  func segment_fillsInHalfColumns(stories: Int, played: Int, fill: Double) {
    let playback = Playback.opened(.video, at: now).played(for: played, from: now)
    let model = model(started(stories), playing: .init(playback: playback), after: played)
    #expect(view().chrome(model).segments.fill == fill)
  }

  @Test func segment_ofUnknownLength_hasNoFill() {
    let playback = Playback.opened(.endless, at: now).played(for: 400, from: now)
    let model = model(started(), playing: .init(playback: playback), after: 400)
    #expect(view().chrome(model).segments.fill == nil)
  }

  @Test func segment_beforeTheFirstPicture_isEmpty_andFullAtTheEnd() {
    let loading = ViewModel.Playing(playback: .opened(.video, at: now, isShown: false))
    #expect(view().chrome(model(started(), playing: loading)).segments.fill == 0)
    var stage = started(3, .init(manual: true))
    _ = stage.handle(.finished(generation: 1))
    #expect(view().chrome(model(stage)).segments.fill == 1)
    let card = view().chrome(model(ended(stories: 3, exhausted: 0..<0))).segments
    #expect(card.count == 3 && card.current == 2 && card.fill == 1)
  }

  @Test func segment_showsWhatIsAtHand() {
    let playing = ViewModel.Playing(
      playback: .opened(.video, at: now), progress: .of(1_000, 4_000))
    #expect(view().chrome(model(started(), playing: playing)).segments.cached == 0.25)
  }

  @Test func segments_areThoseOfTheReel() {
    var stage = Stage(reelSizes: [2, 3])
    _ = stage.handle(.start)
    _ = stage.handle(.nextReel)
    _ = stage.handle(.next)
    let model = model(stage)
    let segments = view().chrome(model).segments
    #expect(segments.count == 3 && segments.current == 1)
    #expect(view().segment(at: 1, model)?.index == 0)
    #expect(view().segment(at: 78, model)?.index == 2)
    #expect(view().segment(at: 0, model) == nil)
  }

  /// The bar is drawn anew where another half column is full, but not more often than each 100 ms.
  @Test(arguments: [(1, 40, 100), (20, 40, 2_460), (20, 1_000, 1_500), (40, 40, 1_210)])
  func deadline_whilePlaying_isTheNextStepOfTheBar(stories: Int, played: Int, wait: Int) {
    var view = view()
    view.lastKey = now + .seconds(-60)
    let playback = Playback.opened(.video, at: now).played(for: played, from: now)
    let model = model(started(stories), playing: .init(playback: playback), after: played)
    let deadline = view.deadline(model).map { ($0 - now).milliseconds.rounded() }
    #expect(deadline == Double(played + wait))
  }

  /// Whenever the deadline is kept, the bar has moved by one step.
  @Test func deadline_whilePlaying_movesTheBarEachTime() throws {
    var view = view()
    view.lastKey = now + .seconds(-60)
    var playback = Playback.opened(.still, at: now)
    _ = playback.handle(.decoder(.ended(pictures: .zero, sound: nil)), at: now)
    var moment = 0
    var fills: [Double] = []
    func model() -> ViewModel {
      self.model(started(10), playing: .init(playback: playback), after: moment)
    }
    while let deadline = view.deadline(model()) {
      moment = Int(((deadline - now).milliseconds).rounded(.up))
      fills.append(try #require(view.chrome(model()).segments.fill))
    }
    // Of ten segments at 80 columns the first one has six.
    #expect(fills == (1...12).map { Double($0) / 12 })
  }

  @Test func deadline_whilePaused_isNone() {
    var view = view()
    view.lastKey = now + .seconds(-60)
    var playback = Playback.opened(.video, at: now).played(for: 40, from: now)
    _ = playback.handle(.pause, at: now + .milliseconds(40))
    let model = model(started(), playing: .init(playback: playback), after: 50)
    #expect(view.deadline(model) == nil)
  }

  // MARK: - Titles

  @Test(
    arguments: [
      ("anna", "", nil, false, true, "anna"), ("", "ben", nil, false, true, "ben"),
      ("anna", "ben", nil, true, true, "anna ✓"), ("anna", "", nil, true, false, "anna (seen)"),
      ("anna", "", 700, false, true, "anna  5 min ago"),
      ("anna", "", 700, true, true, "anna ✓  5 min ago"), ("", "", nil, false, true, ""),
    ] as [(String, String, Int64?, Bool, Bool, String)])
  func titleLeft_saysWhoseItIs_andSinceWhen(
    reel: String, author: String, published: Int64?, seen: Bool, unicode: Bool, expected: String
  ) {
    let model = model(
      started(), unicode: unicode, author: author, published: published, reelNames: [reel],
      seen: seen)
    #expect(view().chrome(model).titleLeft == expected)
  }

  @Test func endCard_saysWhatTheCacheHasSpared() {
    let overlays = view().overlays(model(ended(stories: 1, exhausted: 0..<0), saved: 1_200_000))
    #expect(overlays.endCard == ["That was all: 1 story, 1 reel", "1.2 MB were not fetched again"])
    #expect(overlays.spinner == nil)
    let chrome = view().chrome(model(ended(stories: 1, exhausted: 0..<0), caption: "c"))
    #expect(chrome.caption == "")
  }

  @Test func keys_thatAreBoundElsewhere_areNamedSo() {
    var options = PlayOptions()
    options.keys.bind(.quit, to: [.character("x")])
    options.keys.bind(.previous, to: [])
    options.keys.bind(.help, to: [.f(2)])
    let view = View(options: options, now: now)
    let overlays = view.overlays(model(ended(stories: 2, exhausted: 0..<0)))
    #expect(overlays.endKeys.map(\.keys) == ["Enter", "x"])
    #expect(view.chrome(model(started())).captionRight == "F2 help")
    options.keys.bind(.help, to: [])
    #expect(View(options: options, now: now).chrome(model(started())).captionRight == "")
  }
}
