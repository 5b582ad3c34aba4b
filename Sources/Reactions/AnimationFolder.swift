import Feeds
import Resources
import System

/// A folder of this machine that offers its animations: those that its `animations.json` lists, else
/// the files in it, by their names.
struct AnimationFolder {
  let path: String
  private static let mostFiles = 4_096
  private static let longest = 8 << 20

  init(_ path: String) { self.path = path.hasSuffix("/") ? String(path.dropLast()) : path }

  func catalogue() -> Result<AnimationCatalogue, ResourceError> {
    let list = "\(path)/animations.json"
    guard (try? FileStatus(of: list))?.kind == .regular else { return listing() }
    return whole(list, most: AnimationCatalogue.mostBytes).flatMap { bytes in
      do throws(AnimationCatalogue.Failure) {
        return .success(try AnimationCatalogue(bytes))
      } catch {
        return .failure(ResourceError(error.reason))
      }
    }
  }

  private func listing() -> Result<AnimationCatalogue, ResourceError> {
    let entries: [DirectoryEntry]
    do {
      entries = try DirectoryEntry.all(in: path, limit: AnimationFolder.mostFiles)
    } catch {
      return .failure(ResourceError(error.reason))
    }
    let names = entries.filter { $0.isExact && $0.kind != .directory }.map(\.name)
    let ids = NaturalOrder.sorted(names).compactMap { name in
      isAnimation(name) ? AnimationID.id(ofFile: name) : nil
    }
    return .success(AnimationCatalogue(entries: ids.map { AnimationCatalogue.Entry(id: $0) }))
  }

  func file(of id: String) -> Result<[UInt8], ResourceError> {
    let found = AnimationID.files(of: id, in: path).first {
      (try? FileStatus(of: $0))?.kind == .regular
    }
    guard let found else { return .failure(ResourceError("it is not there", isGone: true)) }
    return whole(found, most: AnimationFolder.longest)
  }

  /// A feed may lie beside them.
  private func isAnimation(_ name: String) -> Bool {
    guard AnimationID.id(ofFile: name) != nil else { return false }
    guard name.lowercased().hasSuffix(".json") else { return true }
    let head = try? Descriptor.open(reading: "\(path)/\(name)").read(at: 0, count: 256 << 10)
    return head.map(AnimationText.isAnimation) ?? false
  }

  private func whole(_ path: String, most: Int) -> Result<[UInt8], ResourceError> {
    do throws(SystemError) {
      let bytes = try Descriptor.open(reading: path).read(at: 0, count: most + 1)
      return bytes.count <= most ? .success(bytes) : .failure(ResourceError("it is too large"))
    } catch {
      return .failure(ResourceError(error.reason))
    }
  }
}
