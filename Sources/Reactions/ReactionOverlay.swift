import Pictures

/// The strip and the banner that lie over the picture, as plain values: two equal ones look the same.
package struct ReactionOverlay: Equatable {
  /// Reactions to choose from; without any of them, why.
  package struct Strip: Equatable {
    package var items: [StripItem]
    package var note: String

    package init(items: [StripItem], note: String) {
      self.items = items
      self.note = note
    }
  }

  /// nil while it is closed.
  package var strip: Strip?
  /// What was sent lately, and by whom.
  package var banner: String?

  package init(strip: Strip? = nil, banner: String? = nil) {
    self.strip = strip
    self.banner = banner
  }

  /// Draws both; the banner stands above the strip.
  package func draw(with compositor: Compositor, on cells: inout CellGrid) {
    if let strip { compositor.strip(strip.items, note: strip.note, onto: &cells) }
    if let banner {
      let taken = strip == nil ? 0 : Compositor.stripHeight(rows: cells.rows)
      compositor.banner(banner, above: taken, onto: &cells)
    }
  }
}
