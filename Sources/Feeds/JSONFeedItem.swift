import JSONText
import Stories

/// What one item of a JSON Feed says, before it is decided what is played of it.
struct JSONFeedItem {
  /// Why the item cannot be told; the first reason found.
  private(set) var problem: String?
  private var id = ""
  private var author: String?
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
  private var link: String?
  private var url: String?
  private var picture: String?
  /// Those that may be media.
  private var attachments: [FeedMedium] = []

  /// Reads the object that is next, to its end, whatever is wrong inside.
  init(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    try reader.enter()
    while let key = try reader.nextKey() {
      switch key {
      case "id": id = try identifier(&reader)
      case "title": title = try reader.shownText(key, problem: &problem)
      case "content_text": text = try reader.shownText(key, problem: &problem)
      case "summary": summary = try reader.shownText(key, problem: &problem)
      case "url": url = try reader.text(key, problem: &problem)
      case "image": picture = try reader.text(key, problem: &problem)
      case "author": author = try reader.authorName(problem: &problem) ?? author
      case "authors": author = try reader.firstAuthorName(problem: &problem) ?? author
      case "date_published":
        published = try reader.text(key, problem: &problem).flatMap(InternetDate.secondsSince1970)
      case "attachments": try readAttachments(&reader)
      case "_storytty": try readAdditions(&reader)
      default: try reader.skip()
      }
    }
  }

  /// What the item says, where nothing is wrong with it.
  var told: FeedItem {
    FeedItem(
      id: id, author: author, reel: reel, caption: title ?? text ?? summary ?? "",
      published: published, expires: expires, maxViews: maxViews, imageTime: imageTime,
      link: webLink, reactions: reactions, things: things)
  }

  /// JSON Feed says that attachments of the same title, also of none, are the same thing.
  private var things: [[FeedMedium]] {
    if attachments.isEmpty {
      guard let picture, !picture.isEmpty else { return [] }
      return FeedMedium(address: picture, type: "image/*").map { [[$0]] } ?? []
    }
    if attachments.count == 1 { return [attachments] }
    var groups: [[FeedMedium]] = []
    for medium in attachments {
      if let index = groups.firstIndex(where: { $0[0].title == medium.title }) {
        groups[index].append(medium)
      } else {
        groups.append([medium])
      }
    }
    return groups.map { $0.sorted { $0.rank < $1.rank } }
  }

  /// The page about it, if that is one of the web.
  private var webLink: String {
    if let link, URLText.isWeb(link) { return link }
    if let url, URLText.isWeb(url) { return url }
    return ""
  }

  private mutating func identifier(_ reader: inout JSONReader) throws(JSONReader.Failure) -> String
  {
    guard try reader.peek() == .number else {
      return try reader.text("id", problem: &problem) ?? ""
    }
    return try reader.number()
  }

  private mutating func readAttachments(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    guard try reader.enter(.array, "attachments", problem: &problem) else { return }
    while try reader.nextElement() {
      guard try reader.enter(.object, "attachments", problem: &problem) else { continue }
      var address: String?
      var type: String?
      var title: String?
      var durationS: Double?
      while let key = try reader.nextKey() {
        switch key {
        case "url": address = try reader.text(key, problem: &problem)
        case "mime_type": type = try reader.text(key, problem: &problem)
        case "title": title = try reader.shownText(key, problem: &problem)
        case "duration_in_seconds":
          durationS = try reader.number(key, problem: &problem).flatMap(positive)
        default: try reader.skip()
        }
      }
      guard let address, !address.isEmpty else {
        problem = problem ?? "an attachment has no 'url'"
        continue
      }
      let medium = FeedMedium(
        address: address, type: type ?? "", title: title ?? "", durationS: durationS)
      if let medium, attachments.count < Limit.itemMedia {
        attachments.append(medium)
      } else if medium != nil {
        problem = problem ?? "it names more than \(Limit.itemMedia) media"
      }
    }
  }

  private mutating func readAdditions(_ reader: inout JSONReader) throws(JSONReader.Failure) {
    guard try reader.enter(.object, "_storytty", problem: &problem) else { return }
    while let key = try reader.nextKey() {
      switch key {
      case "reel": reel = try reader.shownText(key, problem: &problem)
      case "link": link = try reader.text(key, problem: &problem)
      case "imageTime": imageTime = try reader.number(key, problem: &problem).flatMap(positive)
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

  /// Strangers react: what is wrong in one of theirs costs that reaction alone.
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
