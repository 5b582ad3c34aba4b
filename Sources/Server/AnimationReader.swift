import Feeds
import JSONText
import Resources
import Stories
import System

/// An animation that is offered under its id.
struct CataloguedAnimation: Equatable {
  /// The file's name without its extension.
  var id: String
  /// Relative to the served folder.
  var path: String
  var type: String
  var status: FileStatus
  var sha256: String
  var facts: AnimationFacts
}

/// Facts of a catalogue about an animation; nil where unknown.
struct AnimationFacts: Equatable {
  var title: String?
  var width: Int?
  var height: Int?
  /// Frames per second, and how many there are.
  var fps: Double?
  var frames: Int?
  /// Values from the folder's `animations.json`, passed on as they are.
  var kind: String?
  var priority: Int?

  /// These facts, with unknown ones taken from others.
  func filled(from others: AnimationFacts?) -> AnimationFacts {
    AnimationFacts(
      title: title ?? others?.title, width: width ?? others?.width,
      height: height ?? others?.height, fps: fps ?? others?.fps, frames: frames ?? others?.frames,
      kind: kind ?? others?.kind, priority: priority ?? others?.priority)
  }
}

/// Reads the folder of animations. Each file is read and hashed again only when it has changed.
struct AnimationReader {
  /// Larger files are left out, because players refuse them.
  static let largestBytes: Int64 = 8 << 20
  private static let most = 10_000

  private var known: [String: CataloguedAnimation] = [:]

  /// All animations in the natural order of their ids, and `skipped` with those that were left out.
  mutating func read(
    _ files: ServedFiles, skipped: [Skipped]
  ) -> ([CataloguedAnimation], [Skipped]) {
    var skipped = skipped
    let folder = ServedFiles.animationFolder
    var found: [String: CataloguedAnimation] = [:]
    files.observe(folder)
    let entries = (try? files.folder.entries(in: folder, limit: AnimationReader.most)) ?? []
    let names = NaturalOrder.sorted(
      entries.filter { $0.isExact && !$0.name.hasPrefix(".") }.map(\.name))
    let words = CatalogueFile.read(files.folder)
    var all: [CataloguedAnimation] = []
    var ids: Set<String> = []
    for name in names {
      let path = "\(folder)/\(name)"
      guard let id = MediaFormat.animationStem(of: name) else { continue }
      switch animation(id, at: path, in: files.folder) {
      case .failure(let refusal):
        skipped.append(Skipped(source: "\(files.folder.path)/\(path)", reason: refusal.reason))
      case .success(var animation):
        found[path] = animation
        guard ids.insert(animation.id).inserted else {
          let reason = "another animation is called \(animation.id)"
          skipped.append(Skipped(source: "\(files.folder.path)/\(path)", reason: reason))
          continue
        }
        animation.facts = (words[animation.id] ?? AnimationFacts()).filled(from: animation.facts)
        all.append(animation)
      }
    }
    known = found
    return (all, skipped)
  }

  private struct Refusal: Error {
    let reason: String
  }

  private func animation(
    _ id: String, at path: String, in folder: RootedFolder
  ) -> Result<CataloguedAnimation, Refusal> {
    do throws(SystemError) {
      let status = try folder.status(of: path)
      if let known = known[path], known.status == status { return .success(known) }
      guard status.kind == .regular else { return .failure(Refusal(reason: "not a regular file")) }
      guard status.sizeBytes <= AnimationReader.largestBytes else {
        return .failure(Refusal(reason: "it is larger than 8 MiB"))
      }
      let bytes = try folder.open(path).read(
        at: 0, count: Int(AnimationReader.largestBytes))
      let type = MediaType.of(head: Array(bytes.prefix(MediaType.headBytes)), name: path)
      var facts = AnimationFacts()
      if type == "application/json" {
        guard let read = LottieFacts.read(bytes) else {
          return .failure(Refusal(reason: "it is no Lottie animation"))
        }
        facts = read
      }
      return .success(
        CataloguedAnimation(
          id: id, path: path, type: type == "application/json" ? MediaType.animation : type,
          status: status, sha256: SHA256.hex(of: bytes), facts: facts))
    } catch {
      return .failure(Refusal(reason: error.inWords))
    }
  }
}

/// Reads the facts at the outermost level of a Lottie animation.
enum LottieFacts {
  /// Nil where the bytes are not JSON, or other JSON.
  static func read(_ bytes: [UInt8]) -> AnimationFacts? {
    var reader = JSONReader(bytes)
    var numbers: [String: Double] = [:]
    var keys: Set<String> = []
    var facts = AnimationFacts()
    do {
      guard try reader.peek() == .object else { return nil }
      try reader.enter()
      while let key = try reader.nextKey() {
        keys.insert(key)
        let kind = try reader.peek()
        if ["w", "h", "fr", "ip", "op"].contains(key), kind == .number {
          numbers[key] = Double(try reader.number())
        } else if key == "nm", kind == .string {
          let name = try reader.string()
          facts.title = name.isEmpty ? nil : String(name.prefix(200))
        } else {
          try reader.skip()
        }
      }
      try reader.finish()
    } catch {
      return nil
    }
    guard keys.isSuperset(of: ["layers", "op"]) else { return nil }
    facts.width = numbers["w"].flatMap { whole($0, 1...4096) }
    facts.height = numbers["h"].flatMap { whole($0, 1...4096) }
    facts.fps = numbers["fr"].flatMap { (1...120).contains($0) ? $0 : nil }
    if let first = numbers["ip"], let end = numbers["op"] {
      facts.frames = whole((end - first).rounded(.up), 1...36_000)
    }
    return facts
  }

  private static func whole(_ number: Double, _ range: ClosedRange<Int>) -> Int? {
    let rounded = number.rounded()
    guard rounded >= Double(range.lowerBound), rounded <= Double(range.upperBound) else {
      return nil
    }
    return Int(rounded)
  }
}

/// Reads `animations.json` at the top of a served folder: a catalogue written by hand, which takes
/// precedence over the animations' files.
enum CatalogueFile {
  private static let largestBytes = 8 << 20

  /// The facts by id; empty where there is no such file or it is no catalogue.
  static func read(_ folder: RootedFolder) -> [String: AnimationFacts] {
    guard let bytes = try? folder.open("animations.json").read(at: 0, count: largestBytes) else {
      return [:]
    }
    var words: [String: AnimationFacts] = [:]
    var reader = JSONReader(bytes)
    do {
      guard try reader.peek() == .array else { return [:] }
      try reader.enter()
      while try reader.nextElement() {
        guard try reader.peek() == .object else {
          try reader.skip()
          continue
        }
        let (id, facts) = try entry(&reader)
        if let id { words[id] = facts }
      }
    } catch {
      // Entries before the mistake are kept.
    }
    return words
  }

  private static func entry(
    _ reader: inout JSONReader
  ) throws(JSONReader.Failure) -> (String?, AnimationFacts) {
    var id: String?
    var facts = AnimationFacts()
    try reader.enter()
    while let key = try reader.nextKey() {
      switch (key, try reader.peek()) {
      case ("id", .string): id = try reader.string()
      case ("title", .string): facts.title = try reader.string()
      case ("kind", .string): facts.kind = try reader.string()
      case ("priority", .number):
        facts.priority = Double(try reader.number()).flatMap { Int(exactly: $0) }
      default: try reader.skip()
      }
    }
    return (id, facts)
  }
}
