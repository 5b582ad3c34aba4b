import JSONText
import Stories
import System

/// One item of a JSON Feed as it is written, before it is decided what of it is played.
struct JSONFeedItem {
  /// Why the item cannot be played; the first reason found.
  private(set) var problem: String?
  /// What of the item is left out, though it can be played; the first found.
  private(set) var note: String?
  private var id = ""
  private var authors: [String] = []
  private var reel: String?
  private var published: Int64?
  private var expires: Int64?
  private var maxViews: Int32?
  private var imageTime: Double?
  /// In the order of their times.
  private var reactions: [ReceivedReaction] = []
  private var title: String?
  private var text: String?
  private var summary: String?
  private var html: String?
  private var link: String?
  private var url: String?
  private var picture: String?
  /// The attachments that may be media.
  private var attachments: [FeedMedium] = []
  /// Why an attachment is left out: also the reason for the item if it has nothing else to play.
  private var attachmentProblem: String?

  /// Reads the next object to its end, whatever is wrong inside.
  init(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    try reader.enter()
    while let key = try reader.nextKey() {
      switch key {
      case "id": id = try identifier(&reader)
      case "title": title = try reader.shownText(key, problem: &note)
      case "content_text": text = try reader.shownText(key, problem: &note)
      case "summary": summary = try reader.shownText(key, problem: &note)
      case "content_html": html = try reader.shownText(key, problem: &note)
      case "url": url = try reader.text(key, problem: &note)
      case "image": picture = try reader.text(key, problem: &note)
      case "author":
        let name = try reader.authorName(problem: &note)
        if authors.isEmpty, let name { authors = [name] }
      case "authors":
        let names = try reader.authorNames(problem: &note)
        if !names.isEmpty { authors = names }
      case "date_published":
        published = try reader.text(key, problem: &note).flatMap(InternetDate.secondsSince1970)
      case "attachments": try readAttachments(&reader)
      case "_storytty": try readAdditions(&reader)
      default: try reader.skip()
      }
    }
    if attachments.isEmpty, picture?.isEmpty ?? true {
      problem = problem ?? attachmentProblem ?? note
    }
    note = attachmentProblem ?? note
  }

  /// The item for the collector, where it has no problem.
  var feedItem: FeedItem {
    FeedItem(
      id: id, author: authors.first, authors: authors, reel: reel, caption: caption,
      published: published, expires: expires, maxViews: maxViews, imageTime: imageTime,
      link: webLink, reactions: reactions, things: things)
  }

  private var caption: String {
    let captions = [
      title.map(HTMLText.titleInOneLine), text, summary.map(HTMLText.titleInOneLine),
      html.map(HTMLText.plain),
    ]
    return captions.compactMap { $0 }.first { !$0.isEmpty } ?? ""
  }

  /// Attachments of the same title are the same thing (JSON Feed 1.1, "Attachments"), and so are
  /// those without a title whose addresses differ in nothing but their extensions.
  private var things: [[FeedMedium]] {
    if attachments.isEmpty {
      guard let picture, !picture.isEmpty else { return [] }
      return FeedMedium(address: picture, type: "image/*").map { [[$0]] } ?? []
    }
    if attachments.count == 1 { return [attachments] }
    var groups: [[FeedMedium]] = []
    for medium in attachments {
      if let index = groups.firstIndex(where: { JSONFeedItem.isSame($0[0], medium) }) {
        groups[index].append(medium)
      } else {
        groups.append([medium])
      }
    }
    return groups.map { $0.sorted { $0.rank < $1.rank } }
  }

  private static func isSame(_ one: FeedMedium, _ other: FeedMedium) -> Bool {
    guard one.title.isEmpty, other.title.isEmpty else { return one.title == other.title }
    return URLText.withoutExtension(one.address) == URLText.withoutExtension(other.address)
  }

  /// The page about the item, if it is a web page.
  private var webLink: String {
    if let link, URLText.isWeb(link) { return link }
    if let url, URLText.isWeb(url) { return url }
    return ""
  }

  private mutating func identifier(_ reader: inout JSONReader) throws(JSONReader.Failure) -> String
  {
    guard try reader.peek() == .number else {
      return try reader.text("id", problem: &note) ?? ""
    }
    return try reader.number()
  }

  private mutating func readAttachments(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    guard try reader.enter(.array, "attachments", problem: &attachmentProblem) else { return }
    while try reader.nextElement() {
      guard try reader.enter(.object, "attachments", problem: &attachmentProblem) else { continue }
      var address: String?
      var type: String?
      var title: String?
      var durationS: Double?
      while let key = try reader.nextKey() {
        switch key {
        case "url": address = try reader.text(key, problem: &note)
        case "mime_type": type = try reader.text(key, problem: &note)
        case "title": title = try reader.shownText(key, problem: &note).map(HTMLText.titleInOneLine)
        case "duration_in_seconds":
          durationS = try reader.number(key, problem: &note).flatMap(positive)
        default: try reader.skip()
        }
      }
      guard let address, !address.isEmpty else {
        attachmentProblem = attachmentProblem ?? "an attachment has no 'url'"
        continue
      }
      let medium = FeedMedium(
        address: address, type: type ?? "", title: title ?? "", durationS: durationS)
      if let medium, attachments.count < Limit.mediaPerItem {
        attachments.append(medium)
      } else if medium != nil {
        problem = problem ?? "it names more than \(Limit.mediaPerItem) media"
      }
    }
  }

  private mutating func readAdditions(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    guard try reader.enter(.object, "_storytty", problem: &problem) else { return }
    while let key = try reader.nextKey() {
      switch key {
      case "reel": reel = try reader.shownText(key, problem: &note)
      case "link": link = try reader.text(key, problem: &note)
      case "imageTime": imageTime = try reader.number(key, problem: &note).flatMap(positive)
      case "maxViews":
        guard let views = try reader.number(key, problem: &problem) else { continue }
        if views >= 0, views == views.rounded() {
          maxViews = Int32(min(views, Double(Int32.max)))
        } else {
          problem = problem ?? "'maxViews' is not a whole number from 0 on"
        }
      case "expires":
        guard let date = try reader.text(key, problem: &problem) else { continue }
        expires = InternetDate.secondsSince1970(date)
        if expires == nil { problem = problem ?? "'expires' is not a date" }
      case "reactions": try readReactions(&reader)
      default: try reader.skip()
      }
    }
  }

  /// Reactions come from strangers: a wrong one is left out alone.
  private mutating func readReactions(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    guard try reader.enter(.array, "reactions", problem: &problem) else { return }
    while try reader.nextElement() {
      var ignored: String?
      guard try reader.enter(.object, "reactions", problem: &ignored) else { continue }
      var reaction = ReceivedReaction(atS: .infinity, id: "")
      while let key = try reader.nextKey() {
        switch (key, try reader.peek()) {
        case ("at", .number): reaction.atS = Double(try reader.number()) ?? .infinity
        case ("id", .string): reaction.id = try reader.string()
        case ("from", .string):
          reaction.sender = try reader.shownText(key, problem: &ignored) ?? ""
        default: try reader.skip()
        }
      }
      if reactions.count < Limit.reactions, AnimationID.isUsable(reaction.id),
        (0..<8_640_000).contains(reaction.atS)
      {
        reactions.append(reaction)
      }
    }
    reactions.sort { $0.atS < $1.atS }
  }

  private func positive(_ seconds: Double) -> Double? {
    seconds > 0 && seconds.isFinite ? seconds : nil
  }
}
