import Stories

/// What one item of a JSON Feed says, before it is decided what is played of it.
struct JSONFeedItem {
  /// An attachment or the item's picture.
  struct Medium: Equatable {
    /// Which of several representations is preferred; later ones are taken when none is before.
    enum Rank: CaseIterable {
      case plain, stream, unknown, never
    }

    var address = ""
    var type = ""
    var title = ""
    var durationS: Double?

    var kind: Story.Kind? {
      let type = type.lowercased().prefix { $0 != ";" }
      if type.contains("lottie") { return .animation }
      if type.hasPrefix("video/") || Medium.streamTypes.contains(String(type)) { return .video }
      if type.hasPrefix("audio/") { return .sound }
      if type.hasPrefix("image/") { return type.hasPrefix("image/svg") ? nil : .picture }
      switch NameClaim(address: address) {
      case .media(let kind): return kind
      case .list: return .video
      case .json: return type.isEmpty || type == "application/json" ? .animation : nil
      case nil: return nil
      }
    }

    var rank: Rank {
      let type = String(type.lowercased().prefix { $0 != ";" })
      if Medium.streamTypes.contains(type) { return .stream }
      let isOther = ["text/", "font/", "model/", "message/"].contains(where: type.hasPrefix)
      if isOther || ["application/pdf", "application/x-shockwave-flash"].contains(type) {
        return .never
      }
      return kind == nil ? .unknown : .plain
    }

    private static let streamTypes: Set<String> = [
      "application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl",
      "application/dash+xml",
    ]
  }

  /// Why the item cannot be told; the first reason found.
  private(set) var problem: String?
  /// Empty where the item has none.
  private(set) var id = ""
  private(set) var author: String?
  private(set) var reel: String?
  private(set) var published: Int64?
  private(set) var expires: Int64?
  private(set) var maxViews: Int32?
  private(set) var imageTime: Double?
  private var title: String?
  private var text: String?
  private var summary: String?
  private var link: String?
  private var url: String?
  private var picture: String?
  private var attachments: [Medium] = []

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

  /// Each element is one thing to tell, given in one or more representations: JSON Feed says that
  /// attachments of the same title, also of none, are the same thing.
  var media: [[Medium]] {
    let playable = attachments.filter { $0.rank != .never }
    if playable.isEmpty {
      guard let picture, !picture.isEmpty else { return [] }
      return [[Medium(address: picture, type: "image/*")]]
    }
    if playable.count == 1 { return [playable] }
    var groups: [[Medium]] = []
    for medium in playable {
      if let index = groups.firstIndex(where: { $0[0].title == medium.title }) {
        groups[index].append(medium)
      } else {
        groups.append([medium])
      }
    }
    return groups
  }

  var caption: String {
    title ?? text ?? summary ?? ""
  }

  /// The caption of one of several things that this item tells.
  func caption(with part: String) -> String {
    if caption.isEmpty || part.isEmpty { return caption + part }
    return "\(caption): \(part)"
  }

  /// The page about it, if that is one of the web.
  var webLink: String {
    for case .some(let candidate) in [link, url] {
      let scheme = URLText.scheme(of: candidate)?.lowercased()
      if scheme == "http" || scheme == "https" { return candidate }
    }
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
      var medium = Medium()
      guard try reader.enter(.object, "attachments", problem: &problem) else { continue }
      while let key = try reader.nextKey() {
        switch key {
        case "url": medium.address = try reader.text(key, problem: &problem) ?? ""
        case "mime_type": medium.type = try reader.text(key, problem: &problem) ?? ""
        case "title": medium.title = try reader.text(key, problem: &problem) ?? ""
        case "duration_in_seconds":
          medium.durationS = try reader.number(key, problem: &problem).flatMap(positive)
        default: try reader.skip()
        }
      }
      if medium.address.isEmpty {
        problem = problem ?? "an attachment has no 'url'"
      } else {
        attachments.append(medium)
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
          problem = problem ?? "'maxViews' is not a whole number"
        }
      case "expires":
        guard let date = try reader.text(key, problem: &problem) else { continue }
        expires = InternetDate.secondsSince1970(date)
        if expires == nil { problem = problem ?? "'expires' is not a date" }
      default: try reader.skip()
      }
    }
  }

  private func positive(_ seconds: Double) -> Double? {
    seconds > 0 && seconds.isFinite ? seconds : nil
  }
}
