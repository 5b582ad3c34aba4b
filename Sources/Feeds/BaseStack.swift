import Stories

/// The base of relative addresses in an XML text, as `xml:base` moves it for an element and its
/// children (XML Base, section 3).
struct BaseStack {
  private var bases: [(depth: Int, book: AddressBook)] = []

  /// Moves the base for the element of this depth.
  mutating func enter(_ base: String, depth: Int, in book: inout AddressBook) {
    guard let source = try? resolve(base, in: &book) else { return }
    let isFolder = base.hasSuffix("/")
    let moved: Story.Source =
      switch source {
      case .file(let path): .file(isFolder ? path + "/" : path)
      case .url: source
      }
    bases.append((depth, AddressBook(base: moved, files: book.files)))
  }

  /// The element of this depth ends.
  mutating func leave(depth: Int) {
    if let base = bases.last, base.depth >= depth { bases.removeLast() }
  }

  /// An address, resolved so that it needs no base. A refused one stays as it is, to be refused
  /// again later.
  mutating func resolved(_ address: String, in book: inout AddressBook) -> String {
    let trimmed = address.trimmingSpace
    guard !bases.isEmpty else { return trimmed }
    return (try? resolve(trimmed, in: &book))?.text ?? trimmed
  }

  private mutating func resolve(
    _ address: String, in book: inout AddressBook
  ) throws(AddressBook.Refusal) -> Story.Source {
    guard let last = bases.indices.last else { return try book.resolve(address) }
    return try bases[last].book.resolve(address)
  }
}
