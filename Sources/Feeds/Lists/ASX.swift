/// Reads an Advanced Stream Redirector, the list format of Windows Media Player: names are in any
/// case, and it is rarely well-formed XML.
struct ASX {
  private var title: String?
  private var entry: ListEntry?
  private var text: String?
  private var names: [String] = []
  private var bases = BaseStack()

  /// Adds its entries, each with all addresses it refers to, and gives its title.
  static func read(
    _ text: FeedText, source: String, into collector: inout ListCollector
  ) throws(FeedError) -> String? {
    var list = ASX()
    var book = collector.addresses
    try collector.readXML(text, source: source) { event, collector in
      list.take(event, &book, &collector)
    }
    return list.title
  }

  private mutating func take(
    _ event: XMLEvent, _ book: inout AddressBook, _ collector: inout ListCollector
  ) {
    switch event {
    case .text(let piece, _):
      if let text, text.utf8.count <= Limit.addressBytes { self.text = text + piece }
    case .start(let name, let attributes):
      let name = name.local.lowercased()
      names.append(name)
      text = name == "title" ? "" : nil
      start(name, attributes, &book, &collector)
    case .end:
      let name = names.removeLast()
      if name == "title", let text { take(title: text) }
      if name == "entry", let entry {
        collector.add(entry)
        self.entry = nil
      }
      text = nil
    }
  }

  private mutating func start(
    _ name: String, _ attributes: XMLAttributes, _ book: inout AddressBook,
    _ collector: inout ListCollector
  ) {
    let address = attributes.all.first { $0.name.local.lowercased() == "href" }?.value
    switch name {
    case "entry": entry = ListEntry(address: "")
    // A base holds for all that follows.
    case "base": if let address { bases.enter(address, depth: 0, in: &book) }
    case "ref":
      guard let address else { return }
      let place = bases.resolved(address, in: &book)
      if entry?.address.isEmpty ?? false {
        entry?.address = place
      } else if entry?.others.count ?? .max < Limit.mediaPerItem {
        entry?.others.append(place)
      }
    case "entryref":
      if let address { collector.add(ListEntry(address: bases.resolved(address, in: &book))) }
    default: break
    }
  }

  private mutating func take(title text: String) {
    let shown = HTMLText.title(text, isDecoded: true).inOneLine.cut(to: Limit.textBytes)
    if entry != nil { entry?.title = shown } else { title = title ?? shown }
  }
}
