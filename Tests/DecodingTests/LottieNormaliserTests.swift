import Decoding
import DecoderLink
import JSONText
import Support
import Testing

/// Animations in forms that rlottie does not read are drawn like equivalent ones that it does.
@Suite struct LottieNormaliserTests {
  /// Some frames as they are drawn, 40x40 with alpha.
  private func frames(_ text: [UInt8], key: String, isOwn: Bool = false) throws -> [[UInt32]] {
    let text = isOwn ? text : try NormalisedLottie(text).text
    let frames = Lottie.render(text, key: key, width: 40, height: 40, frames: 31)
    // Two animations that cannot be drawn would be equal, too.
    try #require(!frames.isEmpty, "\(key)")
    return [0, 10, 20, 30].compactMap { frames.indices.contains($0) ? frames[$0] : nil }
  }

  // MARK: In their parts

  private static let rectangle =
    #"{"ty":"rc","d":1,"p":{"a":0,"k":[50,50]},"s":{"a":0,"k":[40,60]},"r":{"a":0,"k":0}}"#
  private static let red = #"{"ty":"fl","c":{"a":0,"k":[1,0,0,1]},"o":{"a":0,"k":100},"r":1}"#
  private static let transform =
    #"{"ty":"tr","p":{"k":[0,0]},"a":{"k":[0,0]},"s":{"k":[100,100]},"r":{"k":0},"o":{"k":100}}"#
  private static let place =
    #""ks":{"o":{"k":100},"r":{"k":0},"p":{"k":[0,0,0]},"a":{"k":[0,0,0]},"s":{"k":[100,100,100]}}"#

  private static func layer(
    _ shapes: String = "\(rectangle),\(red)", place: String = place, more: String = "",
    head: String = #""ddd":0,"ind":1,"ty":4"#, time: String = #""ip":0,"op":60,"st":0"#
  ) -> String {
    let group = #"{"ty":"gr","it":[\#(shapes),\#(transform)]}"#
    return "{"
      + [head, place, #""shapes":[\#(group)]"#, time, more].filter { !$0.isEmpty }
      .joined(separator: ",") + "}"
  }

  private static func text(_ layers: String..., assets: String = "") -> [UInt8] {
    Lottie.text(assets: assets, layers: layers.joined(separator: ","))
  }

  private static func turning(_ name: String, _ keyframes: String) -> String {
    place.replacing(#""\#(name)":{"k":0}"#, with: #""\#(name)":{"a":1,"k":[\#(keyframes)]}"#)
  }

  /// No curves, for so many corners.
  private static func zeros(_ corners: String) -> String {
    corners.split(separator: "]").map { _ in "[0,0]" }.joined(separator: ",")
  }

  private static func mask(_ mode: String, _ corners: String, inverted: Bool? = nil) -> String {
    let zeros = Self.zeros(corners)
    let end = inverted.map { #","inv":\#($0)"# } ?? ""
    return #"""
      {"mode":"\#(mode)","pt":{"a":0,"k":{"i":[\#(zeros)],"o":[\#(zeros)],"v":\#(corners),"c":true}},\#
      "o":{"a":0,"k":100}\#(end)}
      """#
  }

  private static func masks(_ masks: String...) -> String {
    #""hasMask":true,"masksProperties":[\#(masks.joined(separator: ","))]"#
  }

  private static let left = "[[0,0],[50,0],[50,100],[0,100]]"
  private static let right = "[[50,0],[100,0],[100,100],[50,100]]"
  private static let top = "[[0,0],[100,0],[100,50],[0,50]]"

  private static let ordinary = text(layer())
  private static let curve = #""i":{"x":[0.8],"y":[0.8]},"o":{"x":[0.2],"y":[0.2]}"#
  private static let even = #""i":{"x":[1],"y":[1]},"o":{"x":[0],"y":[0]}"#

  private static func stroke(_ dashes: String) -> String {
    let path =
      #"{"ty":"sh","ks":{"k":{"i":[[0,0],[0,0]],"o":[[0,0],[0,0]],"v":[[5,50],[95,50]],"c":false}}}"#
    return #"""
      \#(path),{"ty":"st","c":{"k":[0,1,0,1]},"o":{"k":100},"w":{"k":20},"lc":1,"lj":1,\#
      "d":[\#(dashes)]}
      """#
  }

  private static func dash(_ name: String, _ length: Int) -> String {
    #"{"n":"\#(name)","v":{"a":0,"k":\#(length)}}"#
  }

  private static func star(_ turn: String) -> String {
    #"""
    {"ty":"sr","sy":1,"d":1,"pt":{"k":5},"p":{"k":[50,50]},"r":\#(turn),"ir":{"k":15},"is":{"k":0},\#
    "or":{"k":45},"os":{"k":0}},\#(red)
    """#
  }

  // MARK: Other words

  /// A text, and an equivalent one that rlottie reads.
  private static let others: [(name: String, text: [UInt8], own: [UInt8])] = [
    (
      "type of a shape last",
      text(
        layer(
          #"{"d":1,"p":{"k":[50,50]},"s":{"k":[40,60]},"ty":"rc"},{"c":{"k":[1,0,0]},"ty":"fl"}"#)),
      ordinary
    ),
    (
      "type of a group last",
      Self.text(
        layer().replacing(#"{"ty":"gr","it""#, with: #"{"it""#)
          .replacing(#"}]}],"ip""#, with: #"}],"ty":"gr"}],"ip""#)), ordinary
    ),
    ("type of a layer last", text(layer(more: #""ty":4"#, head: #""ddd":0"#)), ordinary),
    ("key with an escape", text(layer(head: #""ddd":0,"\u0074y":4"#)), ordinary),
    (
      "whole size with a point", Lottie.text(size: #""w":100.0,"h":1e2"#, layers: layer()), ordinary
    ),
    ("part of a pixel", Lottie.text(size: #""w":99.6,"h":100.4"#, layers: layer()), ordinary),
    ("size as text", Lottie.text(size: #""w":"100","h":"100""#, layers: layer()), ordinary),
    (
      "no version",
      Array(String(decoding: ordinary, as: UTF8.self).replacing(#""v":"5.7.4","#, with: "").utf8),
      ordinary
    ),
    ("no place", text(layer(place: "")), ordinary),
    ("no place but null", text(layer(place: #""ks":null"#)), ordinary),
    ("no dimensions", text(layer(head: #""ind":1,"ty":4"#)), ordinary),
    (
      "three dimensions, turned in two",
      text(
        layer(
          place: turning("r", #"{"t":0,"s":[0],\#(curve)},{"t":60,"s":[90]}"#),
          head: #""ddd":1,"ty":4"#)),
      text(layer(place: turning("r", #"{"t":0,"s":[0],\#(curve)},{"t":60,"s":[90]}"#)))
    ),
    (
      "two dimensions, turned in three",
      text(layer(place: #""ks":{"rx":{"k":0},"ry":{"k":0},"rz":{"k":30}}"#)),
      text(layer(place: place.replacing(#""r":{"k":0}"#, with: #""r":{"k":30}"#)))
    ),
    ("layer without times", text(layer(time: "")), ordinary),
    (
      "whole numbers with points",
      text(layer(head: #""ddd":0.0,"ind":1.0,"ty":4.0"#, time: #""ip":"0","op":60.0"#)),
      ordinary
    ),
    (
      "group without a transform",
      Self.text(layer().replacing(",\(transform)", with: "")), ordinary
    ),
    (
      "transform of a group first",
      text(
        layer("\(rectangle),\(red)").replacing(",\(transform)", with: "").replacing(
          "\(rectangle)",
          with:
            "\(transform.replacing(#""p":{"k":[0,0]}"#, with: #""p":{"k":[9,0]}"#)),\(rectangle)")),
      text(layer("\(rectangle),\(red)".replacing("[50,50]", with: "[59,50]")))
    ),
    (
      "hidden group",
      text(
        layer(
          #"\#(rectangle),\#(red),{"ty":"gr","hd":true,"it":[{"ty":"rc","p":{"k":[50,50]},"s":{"k":[99,99]}},\#(red)]}"#
        )), ordinary
    ),
    (
      "bare values", text(layer(#"{"ty":"rc","p":[50,50],"s":[40,60]},{"ty":"fl","c":[1,0,0]}"#)),
      ordinary
    ),
    (
      "one value for two, and one in an array",
      text(
        layer(place: #""ks":{"s":{"k":100},"a":{"k":0},"r":{"k":[0]},"o":{"k":["100"]}}"#)),
      ordinary
    ),
    (
      "slots",
      Self.text(layer().replacing(#"{"a":0,"k":[1,0,0,1]}"#, with: #"{"sid":"c"}"#)).dropLast()
        + Array(#","slots":{"c":{"p":{"a":0,"k":[1,0,0,1]}}}}"#.utf8), ordinary
    ),
    (
      "star, turned",
      text(layer(star(#"{"a":0,"k":36}"#))),
      text(layer(star(#"{"a":0,"k":18}"#)))
    ),
    (
      "star, turning",
      text(layer(star(#"{"a":1,"k":[{"t":0,"s":[0],\#(even)},{"t":60,"s":[72]}]}"#))),
      text(layer(star(#"{"a":1,"k":[{"t":0,"s":[0],\#(even)},{"t":60,"s":[36]}]}"#)))
    ),
    (
      "dash alone", text(layer(stroke(dash("d", 10)))),
      text(layer(stroke("\(dash("d", 10)),\(dash("g", 10)),\(dash("o", 0))")))
    ),
    (
      "dashes without an offset", text(layer(stroke("\(dash("d", 10)),\(dash("g", 5))"))),
      text(layer(stroke("\(dash("d", 10)),\(dash("g", 5)),\(dash("o", 0))")))
    ),
    (
      "offset of dashes first",
      text(layer(stroke("\(dash("o", 3)),\(dash("d", 10)),\(dash("g", 5))"))),
      text(layer(stroke("\(dash("d", 10)),\(dash("g", 5)),\(dash("o", 3))")))
    ),
    (
      "dashes of no length", text(layer(stroke("\(dash("d", 0)),\(dash("g", 0))"))),
      text(layer(stroke("").replacing(#","d":[]"#, with: "")))
    ),
    (
      "points as text, curves left out, closed by a number",
      text(
        layer(
          #"{"ty":"sh","ks":{"k":[{"v":[["30","20"],[70,20],[70,80,1],[30,80]],"c":1}]}},\#(red)"#)),
      ordinary
    ),
    (
      "colour of three digits", text(##"{"ddd":0,"ty":1,"sw":50.0,"sh":50,"sc":"#f00"}"##),
      text(
        ##"{"ddd":0,"ty":1,\##(place),"sw":50,"sh":50,"sc":"#ff0000","ip":0,"op":60,"st":0}"##)
    ),
    (
      "text holds its children",
      text(
        layer(head: #""ddd":0,"ind":1,"ty":4,"parent":2"#),
        #"{"ddd":0,"ind":2,"ty":5,"ks":{"p":{"k":[10,10,0]}},"t":{},"ip":0,"op":60,"st":0}"#),
      text(layer(place: place.replacing(#""p":{"k":[0,0,0]}"#, with: #""p":{"k":[10,10,0]}"#)))
    ),
  ]

  @Test(arguments: others)
  func otherWords_areDrawnAsRlottiesOwn(_ name: String, _ text: [UInt8], _ own: [UInt8]) throws {
    let wanted = try frames(own, key: "own \(name)", isOwn: true)
    #expect(wanted.count == 4 && wanted[0].contains { $0 >> 24 > 0 }, "\(name)")
    #expect(try frames(text, key: name) == wanted, "\(name)")
  }

  // MARK: Key frames

  private static let slide = #"{"t":0,"s":[0],\#(even)},{"t":60,"s":[90]}"#

  private static let keyframes: [(name: String, frames: String, own: String)] = [
    ("null curves", #"{"t":0,"s":[0],"i":null,"o":null},{"t":60,"s":[90]}"#, slide),
    ("no curves", #"{"t":0,"s":[0]},{"t":60,"s":[90]}"#, slide),
    ("null tangents", #"{"t":0,"s":[0],"ti":null,"to":null,\#(even)},{"t":60,"s":[90]}"#, slide),
    ("numbers as text", #"{"t":"0","s":["0"],\#(even)},{"t":"60","s":90}"#, slide),
    ("last one with curves", #"{"t":0,"s":[0],\#(even)},{"t":60,"s":[90],\#(even)}"#, slide),
    ("ends alone", #"{"t":0,"s":[0],"e":[90],\#(even)},{"t":60}"#, slide),
    (
      "other members",
      #"{"t":0,"s":[0],"x":1,"i":{"x":1,"y":1,"z":[]},"o":{"z":1,"x":0,"y":0}},{"t":60,"s":[90]}"#,
      slide
    ),
    (
      "no value at the end", #"{"t":0,"s":[30],\#(even)},{"t":60}"#,
      #"{"t":0,"s":[30],"e":[30],\#(even)},{"t":60}"#
    ),
    ("one", #"{"t":20,"s":[30]}"#, #"{"t":0,"s":[30],"h":1},{"t":60,"s":[30]}"#),
    (
      "held by true", #"{"t":0,"s":[30],"h":true},{"t":30,"s":[60]}"#,
      #"{"t":0,"s":[30],"h":1},{"t":30,"s":[60]}"#
    ),
  ]

  @Test(arguments: keyframes)
  func keyframes_inOtherWords_areTheSame(_ name: String, _ odd: String, _ own: String) throws {
    let wanted = try frames(
      Self.text(Self.layer(place: Self.turning("r", own))), key: "own \(name)", isOwn: true)
    #expect(wanted.count == 4)
    let text = Self.text(Self.layer(place: Self.turning("r", odd)))
    #expect(try frames(text, key: name) == wanted, "\(name)")
  }

  @Test func momentThatStays_isHeld() throws {
    let inner = Self.layer(place: Self.turning("r", Self.slide))
    let asset = #"{"id":7,"layers":[\#(inner)]}"#
    let use = #"{"ddd":0,"ty":0,"refId":"7","w":100.5,"h":100,"tm":{"a":0,"k":0.51}}"#
    let still = try frames(Self.text(use, assets: asset), key: "moment")
    let moving = Lottie.render(Self.text(inner), key: "moving", width: 40, height: 40, frames: 16)
    #expect(still == Array(repeating: moving[15], count: 4))
  }

  // MARK: Times

  @Test func start_beforeZero_showsEachFrame() throws {
    let moving = Self.turning("r", #"{"t":-30,"s":[0],\#(Self.even)},{"t":30,"s":[90]}"#)
    let early = Lottie.text(
      time: #""fr":30,"ip":-30,"op":30"#,
      layers: Self.layer(place: moving, time: #""ip":-30,"op":30,"st":0"#))
    let usual = Self.text(Self.layer(place: Self.turning("r", Self.slide)))
    #expect(try frames(early, key: "early") == frames(usual, key: "usual", isOwn: true))
    let outline = try LottieOutline(NormalisedLottie(early).text)
    #expect(outline.frameCount == 60 && outline.duration == .seconds(2))
  }

  // MARK: Masks

  private static let maskings: [(name: String, masks: String, own: String)] = [
    ("none", masks(mask("n", left)), ""),
    ("none of none", #""hasMask":true"#, ""),
    ("none beside one", masks(mask("n", left), mask("a", top)), masks(mask("a", top))),
    (
      "said by the masks alone", #""masksProperties":[\#(mask("a", left))]"#, masks(mask("a", left))
    ),
    ("inverted", masks(mask("a", left, inverted: true)), masks(mask("a", right))),
    ("taken away, inverted", masks(mask("s", left, inverted: true)), masks(mask("a", left))),
    (
      "intersected, inverted", masks(mask("a", top), mask("i", left, inverted: true)),
      masks(mask("a", "[[50,0],[100,0],[100,50],[50,50]]"))
    ),
    (
      "added, inverted",
      masks(
        mask("a", "[[0,0],[50,0],[50,50],[0,50]]"),
        mask("a", "[[20,30],[80,30],[80,90],[20,90]]", inverted: true)),
      masks(mask("s", "[[50,30],[80,30],[80,90],[20,90],[20,50],[50,50]]"))
    ),
    (
      "darker", masks(mask("a", left), mask("d", top)),
      masks(mask("a", "[[0,0],[50,0],[50,50],[0,50]]"))
    ),
    ("lighter", masks(mask("l", left)), masks(mask("a", left))),
  ]

  @Test(arguments: maskings)
  func masks_ofEachKind_showTheirPart(_ name: String, _ masks: String, _ own: String) throws {
    let wanted = try frames(Self.text(Self.layer(more: own)), key: "own \(name)", isOwn: true)
    #expect(wanted.count == 4 && wanted[0].contains { $0 >> 24 > 0 }, "\(name)")
    #expect(try frames(Self.text(Self.layer(more: masks)), key: name) == wanted, "\(name)")
  }

  /// Added ones side by side, above each other, and turning the other way.
  @Test func masksApart_areAllSeen() throws {
    let places = [
      "[[30,20],[40,20],[40,80],[30,80]]", "[[60,30],[60,70],[70,70],[70,30]]",
      "[[45,50],[55,50],[55,60],[45,60]]", "[[40,55],[65,55],[65,65],[40,65]]",
    ]
    let each = try places.map { corners in
      try frames(Self.text(Self.layer(more: Self.masks(Self.mask("a", corners)))), key: corners)
    }
    for count in 2...4 {
      let some = places.prefix(count).map { Self.mask("a", $0) }.joined(separator: ",")
      let drawn = try frames(Self.text(Self.layer(more: Self.masks(some))), key: "\(count) apart")
      let wanted = each.prefix(count).map { $0[0] }
      #expect(Set(wanted).count == count)
      #expect(drawn[0] == drawn[0].indices.map { pixel in wanted.map { $0[pixel] }.max() ?? 0 })
    }
  }

  // MARK: Mattes

  /// A white square from 10 to 50 in both directions.
  private static func square(_ more: String) -> String {
    layer(
      #"{"ty":"rc","p":{"k":[30,30]},"s":{"k":[40,40]}},{"ty":"fl","c":{"k":[1,1,1]}}"#,
      more: more, head: #""ddd":0,"ind":9,"ty":4"#)
  }

  private static func filled(_ corners: String) -> String {
    let zeros = Self.zeros(corners)
    return
      #"{"ty":"sh","ks":{"k":{"i":[\#(zeros)],"o":[\#(zeros)],"v":\#(corners),"c":true}}},\#(red)"#
  }

  private static let inside = filled("[[30,20],[50,20],[50,50],[30,50]]")
  private static let outside = filled("[[50,20],[70,20],[70,80],[30,80],[30,50],[50,50]]")

  private static let mattes: [(name: String, layers: [String], own: String)] = [
    ("alpha", [square(#""td":1"#), layer(more: #""tt":1"#)], inside),
    ("alpha, inverted", [square(#""td":1"#), layer(more: #""tt":2"#)], outside),
    ("brightness", [square(#""td":1"#), layer(more: #""tt":3"#)], inside),
    ("brightness, inverted", [square(#""td":1"#), layer(more: #""tt":4"#)], outside),
    (
      "further above",
      [square(#""td":1"#), #"{"ddd":0,"ty":3}"#, layer(more: #""tt":1,"tp":9"#)], inside
    ),
    ("below", [layer(more: #""tt":1,"tp":9"#), square(#""td":1"#)], inside),
    (
      "for two",
      [
        square(#""td":1"#), layer(more: #""tt":1,"tp":9"#), layer(more: #""tt":1,"tp":9"#),
      ], inside
    ),
    ("of nothing", [square(#""td":1"#), layer()], "\(rectangle),\(red)"),
    ("without any", [layer(more: #""tt":1"#)], "\(rectangle),\(red)"),
    ("that is not there", [layer(more: #""tt":1,"tp":77"#)], "\(rectangle),\(red)"),
  ]

  @Test(arguments: mattes)
  func mattes_ofEachKind_showTheirPart(_ name: String, _ layers: [String], _ own: String) throws {
    let wanted = try frames(Self.text(Self.layer(own)), key: "own \(name)", isOwn: true)
    let drawn = try frames(Lottie.text(layers: layers.joined(separator: ",")), key: name)
    #expect(wanted.count == 4 && drawn.count == 4)
    for (picture, wanted) in zip(drawn, wanted) {
      // What rlottie draws through a matte is a little weaker; the edges lie on whole pixels.
      #expect(Lottie.difference(picture, wanted) <= 4, "\(name)")
    }
  }

  // MARK: Gradients

  /// A gradient from 0 to 100, from the left to the right, of which 40 pixels are drawn.
  private static func gradient(_ colours: String, stops: Int) -> [UInt8] {
    text(
      layer(
        #"""
        {"ty":"rc","p":{"k":[50,50]},"s":{"k":[100,100]}},{"ty":"gf","o":{"k":100},"r":1,"t":1,\#
        "g":{"p":\#(stops),"k":{"a":0,"k":[\#(colours)]}},"s":{"k":[0,50]},"e":{"k":[100,50]}}
        """#))
  }

  private typealias Meant = @Sendable (Double) -> (red: Double, blue: Double, alpha: Double)

  private static let gradients: [(String, Int, Meant)] = [
    ("0,1,0,0, 1,0,0,1, 0,1, 1,0", 2, { (1 - $0, $0, 1 - $0) }),
    ("0,1,0,0, 1,0,0,1, 0,0, 0.5,1, 1,0", 2, { (1 - $0, $0, 1 - abs(1 - 2 * $0)) }),
    (
      "0,1,0,0, 0.5,0,0,1, 1,1,0,0, 0,0.5, 1,0.5", 3,
      { (abs(1 - 2 * $0), 1 - abs(1 - 2 * $0), 0.5) }
    ),
    ("0,1,0,0, 1,0,0,1, 0,1, 0.5,1, 1,1", 2, { (1 - $0, $0, 1) }),
    (
      "0,1,0,0, 0.5,1,0,0, 0.5,0,0,1, 1,0,0,1, 0,0.5, 1,0.5", 4,
      { ($0 < 0.5 ? 1 : 0, $0 < 0.5 ? 0 : 1, 0.5) }
    ),
    ("0,1,0,0, 1,0,0,1", 2, { (1 - $0, $0, 1) }),
  ]

  @Test(arguments: gradients.indices)
  func gradients_mixColourAndAlphaByThemselves(_ number: Int) throws {
    let (colours, stops, meant) = Self.gradients[number]
    let picture = try #require(
      frames(Self.gradient(colours, stops: stops), key: "gradient \(number)").first)
    for column in 0..<40 {
      let (red, blue, alpha) = meant((Double(column) + 0.5) / 40)
      let pixel = picture[20 * 40 + column]
      let wanted = [alpha, red * alpha, 0, blue * alpha].map { $0 * 255 }
      for (channel, wanted) in wanted.enumerated() {
        let shown = Double(pixel >> UInt32(24 - 8 * channel) & 0xFF)
        #expect(abs(shown - wanted) <= 4, "column \(column), channel \(channel)")
      }
    }
  }

  // MARK: Pictures

  /// Eight by eight: red, and blue that is half seen on the right.
  private static let webP = "UklGRiAAAABXRUJQVlA4TBMAAAAvB8ABEA8Q+z//D/yPCoWP6H8AAA=="
  private static let png = """
    iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAYAAADED76LAAAAHElEQVR4nGP8z8DwnwEJMDL8b0TmMzEQAMNDAQCCYAOP\
    n/nxCAAAAABJRU5ErkJggg==
    """

  private static func pictured(_ members: String) -> [UInt8] {
    Lottie.text(
      size: #""w":8,"h":8"#, assets: #"{"id":"i",\#(members)}"#,
      layers: #"{"ddd":0,"ty":2,"refId":"i"}"#)
  }

  private static func bytes(ofBase64 text: String) -> [UInt8] {
    (try? run("/usr/bin/base64", ["-d"], input: Array(text.utf8)).output) ?? []
  }

  private static func archive(_ members: String, _ path: String, _ picture: String) -> [UInt8] {
    zip([
      ("manifest.json", Array(#"{"animations":[{"id":"x"}]}"#.utf8)),
      ("a/x.json", pictured(members)), (path, bytes(ofBase64: picture)),
    ])
  }

  private static let pictures: [(String, [UInt8])] = [
    ("PNG", pictured(#""w":8,"h":8,"e":1,"p":"data:image/png;base64,\#(png)""#)),
    ("without a size", pictured(#""e":1,"p":"data:image/png;base64,\#(png)""#)),
    ("not said to be within", pictured(#""w":8.0,"h":8,"p":"data:image/png;base64,\#(png)""#)),
    (
      "escaped",
      pictured(
        #""w":8,"h":8,"e":1,"p":"data:image\/png;base64,\#(png.replacing("/", with: "\\/"))""#)
    ),
    ("WebP", pictured(#""w":8,"h":8,"e":1,"p":"data:image/webp;base64,\#(webP)""#)),
    ("beside it", archive(#""w":8,"h":8,"e":0,"u":"/images/","p":"a.png""#, "images/a.png", png)),
    ("WebP beside it", archive(#""w":8,"h":8,"p":"a.webp""#, "images/a.webp", webP)),
    ("as in version 2", archive(#""w":8,"h":8,"p":"a.png""#, "i/a.png", png)),
    ("in another folder", archive(#""w":8,"h":8,"u":"b/","p":"a.png""#, "b/a.png", png)),
  ]

  @Test(arguments: pictures)
  func pictures_ofEachKind_areDrawn(_ name: String, _ file: [UInt8]) throws {
    let conversation = try DecoderConversation(
      file, shape: PictureRequest(width: 8, height: 8, keepsAlpha: true))
    try conversation.allow(1)
    #expect(try conversation.listen { !$0.pictures.isEmpty }, "\(name)")
    let pixels = try #require(conversation.pictures.first?.bitmap.pixels)
    // rlottie draws pictures a little weaker than they are.
    #expect(
      Lottie.difference([pixels[3 * 8 + 1], pixels[4 * 8 + 6]], [0xFFFF_0000, 0x8000_0080]) <= 3,
      "\(name)")
    #expect(conversation.notes == [] && conversation.urls == [], "\(name)")
  }

  @Test func pictures_throughAMatte_areDrawn() throws {
    let matte =
      #"{"ty":"rc","p":{"k":[4,6]},"s":{"k":[8,4]}},{"ty":"fl","c":{"k":[1,1,1]}}"#
    let text = Lottie.text(
      size: #""w":8,"h":8"#,
      assets: #"{"id":"i","w":8,"h":8,"e":1,"p":"data:image/png;base64,\#(Self.png)"}"#,
      layers: Self.layer(matte, more: #""td":1"#) + #",{"ddd":0,"ty":2,"refId":"i","tt":1}"#)
    let drawn = Lottie.render(
      try NormalisedLottie(text).text, key: "picture through a matte", width: 8, height: 8,
      frames: 1)
    let picture = try #require(drawn.first)
    #expect(picture[2 * 8 + 1] == 0)
    #expect(Lottie.difference([picture[6 * 8 + 1]], [0xFFFF_0000]) <= 6)
  }

  // MARK: What is left out

  private static let lacking: [(String, [UInt8], String?)] = [
    ("nothing", ordinary, nil),
    (
      "round corners", text(layer(#"\#(rectangle),{"ty":"rd","r":{"k":9}},\#(red)"#)),
      "round corners"
    ),
    ("no roundness", text(layer(#"\#(rectangle),{"ty":"rd","r":{"k":0}},\#(red)"#)), nil),
    ("pucker", text(layer(#"\#(rectangle),{"ty":"pb","a":{"k":9}},\#(red)"#)), "pucker and bloat"),
    ("offset", text(layer(#"\#(rectangle),{"ty":"op","a":{"k":9}},\#(red)"#)), "offset paths"),
    ("zigzag", text(layer(#"\#(rectangle),{"ty":"zz","s":{"k":9}},\#(red)"#)), "zig-zags"),
    (
      "twist that begins",
      text(
        layer(#"\#(rectangle),{"ty":"tw","a":{"k":[{"t":0,"s":[0]},{"t":9,"s":[9]}]}},\#(red)"#)),
      "twists"
    ),
    ("merged", text(layer(#"\#(rectangle),{"ty":"mm","mm":4},\#(red)"#)), "merged paths"),
    ("joined", text(layer(#"\#(rectangle),{"ty":"mm","mm":1},\#(red)"#)), nil),
    ("skew", text(layer(place: #""ks":{"sk":{"k":9}}"#)), "skew"),
    ("blend mode", text(layer(more: #""bm":1"#)), "blend modes"),
    ("normal", text(layer(more: #""bm":0"#)), nil),
    ("blend mode of what is hidden", text(layer(more: #""bm":1,"hd":true"#)), nil),
    ("texts", text(#"{"ddd":0,"ty":5,"t":{}}"#), "texts"),
    ("effects", text(layer(more: #""ef":[{"ty":25}]"#)), "effects"),
    ("controls", text(layer(more: #""ef":[{"ty":5},{"ty":25,"en":0}]"#)), nil),
    ("styles", text(layer(more: #""sy":[{"ty":1}]"#)), "layer styles"),
    ("expressions", text(layer(place: #""ks":{"r":{"k":0,"x":"var $bm_rt;"}}"#)), "expressions"),
    ("slots", text(layer(place: #""ks":{"r":{"sid":"x"}}"#)), "slots"),
    ("camera", text(layer(), #"{"ty":13}"#), "cameras"),
    ("sound", text(layer(), #"{"ty":6}"#), "sounds"),
    ("outside", pictured(#""w":8,"h":8,"e":0,"p":"a.png""#), "pictures that are not in it"),
    (
      "vectors", pictured(#""w":8,"h":8,"e":1,"p":"data:image/svg+xml;base64,PHN2Zy8+""#),
      "pictures of an unknown kind"
    ),
    (
      "soft",
      text(
        layer(more: masks(mask("a", left).replacing(#""mode""#, with: #""f":{"k":[9,9]},"mode""#)))),
      "soft masks"
    ),
    (
      "half seen mask",
      text(
        layer(
          more: masks(mask("a", left).replacing(#""o":{"a":0,"k":100}"#, with: #""o":{"k":50}"#)))),
      "mask opacity"
    ),
    (
      "several", text(layer(#"\#(rectangle),{"ty":"rd","r":{"k":9}},\#(red)"#, more: #""bm":3"#)),
      "blend modes, round corners"
    ),
    (
      "many",
      text(
        layer(
          #"\#(rectangle),{"ty":"rd","r":{"k":9}},{"ty":"pb","a":{"k":9}},{"ty":"op","a":{"k":9}},\#(red)"#,
          place: #""ks":{"sk":{"k":9},"r":{"k":0,"x":"a"}}"#,
          more: #""bm":3,"ef":[{"ty":25}],"sy":[{}]"#), #"{"ty":5}"#, #"{"ty":13}"#),
      "texts, effects, layer styles, expressions, blend modes, cameras, skew, round corners and 2 more"
    ),
  ]

  @Test(arguments: lacking)
  func whatIsLeftOut_isSaid(_ name: String, _ text: [UInt8], _ words: String?) throws {
    let note = try NormalisedLottie(text).note
    #expect(note == words.map { "it is drawn without: \($0)" }, "\(name)")
    #expect(note?.count ?? 0 <= 200)
  }

  @Test func note_comesOnce() throws {
    let conversation = try DecoderConversation(Self.text(Self.layer(more: #""bm":1"#)))
    try conversation.allow(100)
    #expect(try conversation.listen())
    #expect(
      conversation.notes == ["it is drawn without: blend modes"] && conversation.failure == nil)
  }

  // MARK: Limits

  @Test func repeatedSlots_endAtTheLimit() throws {
    let point = "[0.123456789,0.123456789],"
    let points = String(repeating: point, count: 40_000).dropLast()
    let path = #"{"v":[\#(points)],"i":[\#(points)],"o":[\#(points)],"c":true}"#
    let shapes = Array(repeating: #"{"ty":"sh","ks":{"sid":"s"}}"#, count: 1_000)
    let text =
      Self.text(Self.layer(shapes.joined(separator: ","))).dropLast()
      + Array(#","slots":{"s":{"p":{"k":\#(path)}}}}"#.utf8)
    #expect(throws: DecodingError("the animation is too complex to be drawn")) {
      try NormalisedLottie(Array(text))
    }
  }

  @Test func repeatedMattes_endAtTheLimit() throws {
    let large = Self.layer(
      String(repeating: Self.rectangle + ",", count: 20_000) + Self.red, more: #""td":1"#
    )
    .replacing(#""ind":1"#, with: #""ind":9"#)
    let layers = [large] + Array(repeating: Self.layer(more: #""tt":1,"tp":9"#), count: 1_000)
    #expect(throws: DecodingError("the animation is too complex to be drawn")) {
      try NormalisedLottie(Lottie.text(layers: layers.joined(separator: ",")))
    }
  }

  /// Texts that are cut off or changed are refused or become JSON.
  @Test(arguments: others.indices)
  func damagedTexts_areNeverATrap(_ number: Int) throws {
    var random = SeededRandom(seed: UInt64(number))
    let whole = Self.others[number].text
    var taken = 0
    for round in 0..<200 {
      var text = whole
      if round.isMultiple(of: 4) {
        text = Array(text.prefix(Int.random(in: 0...text.count, using: &random)))
      }
      for _ in 0..<Int.random(in: 1...4, using: &random) where !text.isEmpty {
        let place = Int.random(in: text.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text[place] = .random(in: .min ... .max, using: &random)
        case 1:
          text[place] = Array("0123456789[]{}\",:tfnull-e.".utf8).randomElement(using: &random) ?? 0
        default:
          text.replaceSubrange(
            place..., with: whole[Int.random(in: 0..<whole.count, using: &random)...])
        }
      }
      guard let normalised = try? NormalisedLottie(text) else { continue }
      _ = try JSONIndex(normalised.text)
      #expect(normalised.text.count < 4 * text.count + 10_000)
      taken += 1
    }
    #expect((1..<200).contains(taken))
  }

  @Test(.enabled(if: Media.isAvailable), arguments: Lottie.bareFiles)
  func corpus_cutOffAndChanged_isNeverATrap(_ entry: Media.Entry) throws {
    let whole = try contents(entry.path)
    _ = try JSONIndex(NormalisedLottie(whole).text)
    var random = SeededRandom(seed: 7)
    for round in 0..<(whole.count > 50_000 ? 8 : 60) {
      var text = whole
      if round.isMultiple(of: 2) {
        text = Array(text.prefix(Int.random(in: 0...text.count, using: &random)))
      } else {
        for _ in 0..<8 {
          text[Int.random(in: text.indices, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      if let normalised = try? NormalisedLottie(text) { _ = try JSONIndex(normalised.text) }
    }
  }
}
