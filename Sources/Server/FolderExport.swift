import Decoders
import Feeds
import Stories
import System

/// Writes the offer of a served folder as plain files, for any web server or object store.
public struct FolderExport {
  /// A list of the files that an export wrote, so that the next export may remove them.
  static let manifestName = ".storytty-export"

  private let files: ServedFiles
  private let target: PublicFolder
  private let inventory: FolderInventory
  private let findings: [String: Finding]
  /// Files of a former export.
  private let former: Set<String>
  private var skips: [Skipped]
  private var copies = 0

  /// The result of an export.
  public struct Outcome: Equatable, Sendable {
    public var stories: Int
    public var animations: Int
    /// Files that are copies, not hard links.
    public var copies: Int
    public var skipped: [Skipped]
  }

  /// Exports a folder, after its media were probed for their durations.
  public static func write(
    _ directory: String, to target: String, decoder: DecoderProgram?
  ) throws(ServerError) -> Outcome {
    let files: ServedFiles
    let inventory: FolderInventory
    do {
      files = ServedFiles(folder: try RootedFolder(directory), watch: nil)
      var scanner = FolderScanner(files: files)
      inventory = try scanner.scan()
    } catch let error as FeedError {
      throw .directory(path: directory, reason: error.reason)
    } catch let error as SystemError {
      throw .directory(path: directory, reason: error.inWords)
    } catch {
      throw .directory(path: directory, reason: "\(error)")
    }
    do {
      let (folder, former) = try prepare(target, beside: files.folder.path)
      let findings = try probe(inventory, in: files.folder, decoder: decoder)
      var export = FolderExport(
        files: files, target: folder, inventory: inventory, findings: findings, former: former,
        skips: inventory.skipped)
      return try export.run()
    } catch let error as ServerError {
      throw error
    } catch let error as SystemError {
      throw .export(path: target, reason: error.description)
    } catch {
      throw .export(path: target, reason: "\(error)")
    }
  }

  /// Creates the target folder and checks that it may be written to without losing anything.
  ///
  /// - Returns: the folder, and the files that a former export wrote there.
  private static func prepare(
    _ target: String, beside source: String
  ) throws -> (PublicFolder, former: Set<String>) {
    let real = try place(of: target)
    for (inner, outer) in [(real, source), (source, real)]
    where inner == outer || inner.hasPrefix(outer == "/" ? "/" : outer + "/") {
      throw ServerError.export(
        path: target, reason: "it may neither be inside \(source) nor contain it")
    }
    try PublicFolder.make(real)
    guard try FileStatus(of: real).kind == .directory else {
      throw ServerError.export(path: target, reason: "it is no directory")
    }
    let folder = try PublicFolder(real)
    guard let text = try folder.read(manifestName) else {
      if try folder.isEmpty() { return (folder, []) }
      throw ServerError.export(
        path: target, reason: "it is not empty, and not made by a former export")
    }
    // Only paths that an export can have written are ever removed.
    let paths = text.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }
    let own = paths.filter { RequestTarget("/" + RelativeURL.encoded($0)) == .path(parts($0)) }
    return (folder, Set(own))
  }

  /// The target's path without symbolic links; the target may not exist yet.
  private static func place(of target: String) throws(ServerError) -> String {
    let real: String
    do {
      real = try Paths.destination(target)
    } catch {
      throw .export(path: target, reason: error.inWords)
    }
    let folder = real[..<(real.lastIndex(of: "/") ?? real.startIndex)]
    guard folder.isEmpty || Paths.canonical(String(folder)) != nil else {
      throw .export(path: target, reason: "the folder that it is to be in is missing")
    }
    return real
  }

  private static func parts(_ path: String) -> [String] {
    path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
  }

  private static func probe(
    _ inventory: FolderInventory, in folder: RootedFolder, decoder: DecoderProgram?
  ) throws(SystemError) -> [String: Finding] {
    guard let decoder else { return [:] }
    let prober = Prober(folder: folder, program: decoder)
    defer { prober.close() }
    prober.want(inventory)
    _ = prober.step(nil, now: .now)
    while prober.isBusy {
      guard let interest = prober.interest else { break }
      let ready = try awaitReadiness(of: [interest], until: prober.deadline)
      _ = prober.step(ready[0], now: .now)
    }
    return prober.findings
  }

  private mutating func run() throws(SystemError) -> Outcome {
    let animations = placeable
    let kept = inventory.items.map(\.path) + animations.map { "\($0.id).json" }
    // Written first, so that the files of an interrupted export are known too.
    try writeManifest(former.union(kept))
    var offered = inventory
    offered.items = []
    offered.animations = []
    for item in inventory.items where try place(item.path, as: item.path) {
      offered.items.append(item)
    }
    for animation in animations where try place(animation.path, as: "\(animation.id).json") {
      offered.animations.append(animation)
    }
    // A client that reads meanwhile gets the old feed with the old media, or the new feed with the
    // new ones.
    try target.replace("animations.json", with: OfferText.catalogue(offered, findings))
    try target.replace("feed.json", with: OfferText.feed(offered, findings))
    let written = offered.items.map(\.path) + offered.animations.map { "\($0.id).json" }
    for path in former.subtracting(written) { target.remove(path) }
    try writeManifest(Set(written))
    return Outcome(
      stories: offered.items.count, animations: offered.animations.count, copies: copies,
      skipped: skips)
  }

  /// Animations whose name at the top level is not taken by a story.
  private var placeable: [CataloguedAnimation] {
    mutating get {
      let taken = Set(inventory.items.map(\.path)).union(ServedFiles.ownNames)
      return inventory.animations.filter { animation in
        guard taken.contains("\(animation.id).json") else { return true }
        skips.append(
          Skipped(
            source: "\(files.folder.path)/\(animation.path)",
            reason: "\(animation.id).json is taken by a story"))
        return false
      }
    }
  }

  /// Places a file in the target; false where it has disappeared meanwhile.
  private mutating func place(_ path: String, as name: String) throws(SystemError) -> Bool {
    let file: Descriptor
    do {
      file = try files.folder.open(path)
    } catch {
      skips.append(Skipped(source: "\(files.folder.path)/\(path)", reason: error.inWords))
      return false
    }
    if try target.place(file, as: name) { copies += 1 }
    return true
  }

  private func writeManifest(_ paths: Set<String>) throws(SystemError) {
    let text = paths.sorted().map { $0 + "\0" }.joined()
    try target.replace(FolderExport.manifestName, with: Array(text.utf8))
  }
}
