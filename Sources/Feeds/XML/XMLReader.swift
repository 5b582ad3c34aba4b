import CXML2

/// What comes next in an XML text.
enum XMLEvent {
  case start(XMLName, XMLAttributes)
  /// Some text of the element that is open; one text may come in several pieces.
  case text(String)
  case end(XMLName)
}

/// The name of an element: its namespace counts, its prefix does not.
struct XMLName: Equatable {
  /// Empty for none.
  let space: String
  let local: String
}

/// The attributes of an element.
struct XMLAttributes {
  fileprivate(set) var all: [(name: XMLName, value: String)] = []

  /// The value of an attribute without a namespace, else of one in this namespace.
  func value(_ local: String, in space: String = "") -> String? {
    all.first { $0.name.local == local && $0.name.space == space }?.value
  }
}

/// Reads XML text from front to back without building a tree. Nothing is loaded, and no entities
/// but those of XML itself exist.
struct XMLReader {
  /// Why a text cannot be read.
  enum Failure: Error, Equatable {
    /// libxml2 is not there.
    case unavailable
    /// It is not well-formed from about this line on.
    case malformed(line: Int)
    case tooDeep
  }

  /// Hands on what is in a text until it ends or `take` returns false.
  ///
  /// - Parameter recovers: whether what comes after a mistake counts too, as far as it can be
  ///   understood; the mistake still throws in the end.
  static func read(
    _ bytes: [UInt8], recovers: Bool = false, _ take: (XMLEvent) -> Bool
  ) throws(Failure) {
    let failure = withoutActuallyEscaping(take) { take -> Failure? in
      Parse(take).run(bytes, recovers: recovers)
    }
    if let failure { throw failure }
  }

  /// One text being read.
  private final class Parse {
    private let take: (XMLEvent) -> Bool
    private var parser: OpaquePointer?
    private var depth = 0
    private var isStopped = false
    private var isTooDeep = false
    /// Names by their place in memory, where the parser keeps them while it lives.
    private var names: [UnsafePointer<CChar>: String] = [:]

    init(_ take: @escaping (XMLEvent) -> Bool) { self.take = take }

    func run(_ bytes: [UInt8], recovers: Bool) -> Failure? {
      var receivers = cx_receivers(
        start: { Parse.of($0)?.started($1, $2, Int($3), $4) },
        end: { Parse.of($0)?.ended($1, $2) },
        text: { Parse.of($0)?.characters($1, Int($2)) })
      // The parser lives no longer than this call, and this object outlives it.
      let context = Unmanaged.passUnretained(self).toOpaque()
      guard let parser = cx_begin(&receivers, context, recovers ? 1 : 0) else {
        return .unavailable
      }
      self.parser = parser
      defer { cx_end(parser) }
      var position = 0
      while position < bytes.count, !isStopped {
        let end = min(bytes.count, position + 64 << 10)
        let code = bytes[position..<end].withUnsafeBytes { piece in
          cx_take(parser, piece.bindMemory(to: CChar.self).baseAddress, Int32(piece.count), 0)
        }
        if code != 0, !recovers { break }
        position = end
      }
      if isTooDeep { return .tooDeep }
      if isStopped { return nil }
      _ = cx_take(parser, nil, 0, 1)
      let line = cx_mistake(parser)
      return line == 0 ? nil : .malformed(line: Int(line))
    }

    private static func of(_ raw: UnsafeMutableRawPointer?) -> Parse? {
      raw.map { Unmanaged<Parse>.fromOpaque($0).takeUnretainedValue() }
    }

    private func pass(_ event: XMLEvent) {
      guard !isStopped else { return }
      if !take(event) { stop() }
    }

    private func stop() {
      isStopped = true
      if let parser { cx_stop(parser) }
    }

    private func started(
      _ local: UnsafePointer<CChar>?, _ space: UnsafePointer<CChar>?, _ count: Int,
      _ attributes: UnsafePointer<UnsafePointer<CChar>?>?
    ) {
      depth += 1
      guard depth <= Limit.nesting else {
        isTooDeep = true
        return stop()
      }
      var found = XMLAttributes()
      // As CXML2.h has it: name, prefix, namespace, start and end of the value.
      for place in stride(from: 0, to: count * 5, by: 5) {
        guard let attributes, let start = attributes[place + 3], let end = attributes[place + 4]
        else { continue }
        found.all.append(
          (name(attributes[place], attributes[place + 2]), lent(start, end - start)))
      }
      pass(.start(name(local, space), found))
    }

    private func ended(_ local: UnsafePointer<CChar>?, _ space: UnsafePointer<CChar>?) {
      depth -= 1
      pass(.end(name(local, space)))
    }

    private func characters(_ text: UnsafePointer<CChar>?, _ count: Int) {
      if let text { pass(.text(lent(text, count))) }
    }

    /// A copy of text that is lent for a moment.
    private func lent(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
      String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func name(
      _ local: UnsafePointer<CChar>?, _ space: UnsafePointer<CChar>?
    ) -> XMLName {
      XMLName(space: text(space), local: text(local))
    }

    private func text(_ place: UnsafePointer<CChar>?) -> String {
      guard let place else { return "" }
      if let known = names[place] { return known }
      let text = String(cString: place)
      names[place] = text
      return text
    }
  }
}
