// swift-tools-version: 6.2
import PackageDescription

// The rooms of the house, in the order that data passes them; Sources/README.md is their map.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A room of our own code.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
  name: "storytty",
  products: [
    .executable(name: "storytty", targets: ["storytty"]),
    .executable(name: "storytty-decoder", targets: ["storytty-decoder"]),
  ],
  targets: [
    // C libraries and what Swift's Glibc hides of Linux.
    .target(name: "CLinux", cSettings: [.define("_GNU_SOURCE")]),
    // Not linked to its library, which pkg-config would do.
    .target(name: "CXML2", cSettings: [.unsafeFlags(["-I/usr/include/libxml2"])]),
    // Their errors leave by longjmp.
    .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
    .target(name: "CPNG", linkerSettings: [.linkedLibrary("png")]),
    .systemLibrary(name: "CNcurses"),
    .systemLibrary(name: "CFFmpeg"),
    .systemLibrary(name: "CWebP"),
    .systemLibrary(name: "CHeif"),
    .systemLibrary(name: "CRlottie"),
    .systemLibrary(name: "CArchive"),
    .systemLibrary(name: "CSeccomp"),
    .systemLibrary(name: "CZlib"),
    .systemLibrary(name: "CCurl"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CXXHash"),
    .systemLibrary(name: "CALSA"),
    .systemLibrary(name: "CMicrohttpd"),

    // Pure rooms: no device, no clock, no file.
    room("Stories"),
    room("DecoderLink"),
    room("Pictures", ["DecoderLink"]),
    room("JSONText"),
    room("Addresses"),
    room("Playback", ["Stories", "DecoderLink", "System"]),

    // Rooms that touch the machine.
    room("System", ["CLinux", "CZlib"]),
    room("Feeds", ["Stories", "JSONText", "Addresses", "System", "CXML2"]),
    room("Resources", ["System", "JSONText", "Addresses", "CCurl", "CSQLite", "CXXHash"]),
    room(
      "Decoding",
      [
        "System", "DecoderLink", "JSONText", "Addresses", "CFFmpeg", "CWebP", "CHeif", "CJPEG",
        "CPNG",
        "CRlottie", "CArchive", "CZlib", "CSeccomp",
      ]),
    room("Decoders", ["System", "DecoderLink", "Resources"]),
    room("Terminal", ["System", "Pictures", "CNcurses"]),
    room("Sound", ["System", "CALSA"]),
    room(
      "Server",
      [
        "Stories", "Feeds", "JSONText", "Addresses", "Resources", "Decoders", "DecoderLink",
        "System", "CMicrohttpd",
      ]),
    room(
      "Reactions",
      [
        "Stories", "Feeds", "Resources", "Decoders", "DecoderLink", "Pictures", "Terminal",
        "System",
      ]),
    room(
      "Player",
      [
        "Stories", "Feeds", "JSONText", "Addresses", "Playback", "Resources", "Decoders",
        "DecoderLink", "Pictures", "Terminal", "Sound", "Reactions", "System",
      ]),

    // The two programs.
    .executableTarget(
      name: "storytty",
      dependencies: [
        "Player", "Server", "Feeds", "Stories", "Resources", "Decoders", "DecoderLink",
        "Pictures", "Terminal", "Sound", "System",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "storytty-decoder", dependencies: ["Decoding", "System"], swiftSettings: strict),

    // Tests: one target a room, the programs in a pty, and the benchmarks.
    .target(
      name: "Support", dependencies: ["System", "CLinux", "CZlib"], path: "Tests/Support",
      swiftSettings: strict),
    // Counts allocations of the tests' own process.
    .target(name: "CCounting", path: "Tests/Counting"),
    tests("StoriesTests", ["Stories"]),
    tests("PicturesTests", ["Pictures", "DecoderLink", "CCounting"]),
    tests("JSONTextTests", ["JSONText", "Support"]),
    tests("AddressesTests", ["Addresses"]),
    tests("DecoderLinkTests", ["DecoderLink", "Support"]),
    tests("PlaybackTests", ["Playback", "Stories", "DecoderLink", "System", "Support"]),
    tests("SupportTests", ["Support", "System"]),
    tests("SystemTests", ["System", "Support"]),
    tests("FeedsTests", ["Feeds", "Stories", "System", "Support"]),
    tests(
      "ResourcesTests",
      ["Resources", "Feeds", "Stories", "Decoders", "DecoderLink", "System", "Support"]),
    tests(
      "DecodingTests", ["Decoding", "DecoderLink", "JSONText", "CRlottie", "System", "Support"]),
    tests("DecodersTests", ["Decoders", "DecoderLink", "Resources", "System", "Support"]),
    tests("SoundTests", ["Sound", "System", "Support"]),
    tests("TerminalTests", ["Terminal", "Pictures", "System", "Support"]),
    tests(
      "ReactionsTests",
      [
        "Reactions", "Stories", "Feeds", "Resources", "DecoderLink", "Pictures", "System",
        "Support",
      ]),
    tests(
      "PlayerTests",
      [
        "Player", "Playback", "Reactions", "Stories", "Feeds", "Resources", "Decoders",
        "DecoderLink", "Pictures", "Terminal", "Sound", "System", "Support",
      ]),
    tests("ServerTests", ["Server", "Feeds", "Stories", "System", "Support"]),
    tests("EndToEndTests", ["Support", "System"], exclude: ["Screens"]),
    tests("Benchmarks", ["Support", "System", "DecoderLink", "Pictures", "Resources"]),
  ],
  swiftLanguageModes: [.v6]
)
