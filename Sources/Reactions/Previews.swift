import DecoderLink
import Decoders
import Pictures
import System

/// How previews are drawn.
package struct PreviewStyle: Equatable {
  package var mode: PictureMode
  package var depth: ColourDepth
  package var unicode: Bool
  /// A cell's width over its height.
  package var cellAspect: Double

  package init(mode: PictureMode, depth: ColourDepth, unicode: Bool, cellAspect: Double) {
    self.mode = mode
    self.depth = depth
    self.unicode = unicode
    self.cellAspect = cellAspect
  }

  fileprivate var renderer: CellRenderer {
    CellRenderer(mode: mode, depth: depth, unicode: unicode)
  }
}

/// Small moving pictures of the reactions in sight: each is decoded once, one after another.
package final class Previews {
  private let provider: AnimationProvider
  private let pool: DecoderPool
  /// nil until some are wanted.
  private var style: PreviewStyle?
  private var clips: [String: AnimationClip] = [:]
  /// Reactions whose animations could not be fetched or drawn.
  private var missing: Set<String> = []
  private var wanted: [String] = []
  private var run: (id: String, run: AnimationRun, clip: AnimationClip)?
  private var fetching: String?
  private var edition = 0
  private let began = Instant.now

  private static let step = Duration.milliseconds(80)
  private static let mostBytes = 64 << 10
  private static let mostClips = 64

  init(provider: AnimationProvider, pool: DecoderPool) {
    self.provider = provider
    self.pool = pool
    edition = provider.edition
  }

  /// nil while nothing is decoded.
  package var interest: Interest? { run?.run.interest }
  /// When the decoder counts as hanging.
  package var deadline: Instant? { run?.run.deadline }

  /// The player was suspended for a while: that time does not count against the decoder.
  func forgive() { run?.run.forgive() }

  /// When the pictures in sight change.
  func nextStep(at now: Instant) -> Instant? {
    clips.isEmpty ? nil : began + Previews.step * (Int((now - began) / Previews.step) + 1)
  }

  /// Decodes the reactions in sight, in this order.
  func want(_ ids: [String], style: PreviewStyle, at now: Instant) {
    if style != self.style || provider.edition != edition {
      self.style = style
      edition = provider.edition
      stop()
      clips = [:]
      missing = []
    }
    wanted = ids
    if clips.count > Previews.mostClips { clips = clips.filter { ids.contains($0.key) } }
    startNext(at: now)
  }

  func stop() {
    run?.run.close()
    run = nil
    fetching = nil
    wanted = []
  }

  /// Takes in what the decoder sends, and begins with the next one where this one is complete.
  package func service(_ readiness: Readiness, now: Instant) {
    guard var current = run else { return }
    current.run.service(readiness, now: now)
    while let next = current.run.nextTime, let frame = current.run.takeFrame(at: next) {
      let isNew = current.clip.frames.last.map { frame.time - $0.time >= Previews.step } ?? true
      if isNew { current.clip.add(frame, most: Previews.mostBytes) }
    }
    run = current
    guard current.run.failure != nil || current.run.hasEnded || current.clip.isCut else { return }
    if current.clip.frames.isEmpty {
      missing.insert(current.id)
    } else {
      clips[current.id] = current.clip
    }
    current.run.close()
    run = nil
    startNext(at: now)
  }

  private func startNext(at now: Instant) {
    guard run == nil, fetching == nil,
      let id = wanted.first(where: { clips[$0] == nil && !missing.contains($0) })
    else { return }
    fetching = id
    provider.fetch(id, at: now) { [weak self] result in
      guard let self, fetching == id else { return }
      fetching = nil
      if case .success(let bytes) = result,
        let style, let new = try? AnimationRun(bytes, shape: shape(in: style), pool: pool)
      {
        run = (id, new, AnimationClip())
      } else {
        missing.insert(id)
        startNext(at: .now)
      }
    }
  }

  private func shape(in style: PreviewStyle) -> PictureRequest {
    let renderer = style.renderer
    let grid = renderer.pixelGrid(
      columns: Compositor.previewColumns, rows: Compositor.previewRows)
    return PictureRequest(
      width: UInt32(grid.width), height: UInt32(grid.height),
      pixelAspect: renderer.pixelAspect(cellAspect: style.cellAspect))
  }

  /// What a reaction looks like now.
  func cells(of id: String, at now: Instant) -> CellGrid? {
    guard let style, let clip = clips[id], clip.length > .zero else { return nil }
    let rounds = Int((now - began) / clip.length)
    guard let index = clip.index(at: now - began - clip.length * rounds) else { return nil }
    let frame = clip.frames[index]
    var renderer = style.renderer
    var cells = CellGrid(columns: Compositor.previewColumns, rows: Compositor.previewRows)
    renderer.render(
      frame.bitmap, columns: cells.columns, rows: cells.rows, into: &cells)
    return cells
  }
}
