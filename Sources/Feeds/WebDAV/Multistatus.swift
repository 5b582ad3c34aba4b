/// Parses a folder's answer to PROPFIND (RFC 4918, section 14).
struct Multistatus {
  /// One member of the folder, or the folder itself, as the server describes it.
  struct Response {
    var href = ""
    var isCollection = false
    var displayName = ""
    var modified = ""
    var type = ""
    /// The status of the whole response, where the server gives one.
    fileprivate var status = ""
  }

  /// Where in the answer an element is. Properties count only if their status is 200.
  private enum Place {
    case top, multistatus
    case response, href, status
    case propstat, propstatStatus
    case prop, displayName, modified, type, resourceType, collection
    case other

    func child(_ name: XMLName) -> Place {
      guard name.space == "DAV:" else { return .other }
      switch (self, name.local) {
      case (.top, "multistatus"): return .multistatus
      case (.multistatus, "response"): return .response
      case (.response, "href"): return .href
      case (.response, "status"): return .status
      case (.response, "propstat"): return .propstat
      case (.propstat, "status"): return .propstatStatus
      case (.propstat, "prop"): return .prop
      case (.prop, "displayname"): return .displayName
      case (.prop, "getlastmodified"): return .modified
      case (.prop, "getcontenttype"): return .type
      case (.prop, "resourcetype"): return .resourceType
      case (.resourceType, "collection"): return .collection
      default: return .other
      }
    }
  }

  private(set) var responses: [Response] = []
  private var places = [Place.top]
  private var hasRoot = false
  private var response = Response()
  private var properties = Response()
  private var propertiesStatus = ""
  private var text = ""

  /// Reads a whole answer; nil where it is another kind of XML.
  static func read(_ bytes: [UInt8]) throws(XMLReader.Failure) -> Multistatus? {
    var answer = Multistatus()
    try XMLReader.read(bytes) { event in
      answer.take(event)
      return answer.responses.count <= Limit.items
    }
    return answer.hasRoot ? answer : nil
  }

  private mutating func take(_ event: XMLEvent) {
    switch event {
    case .text(let piece, _):
      if text.utf8.count <= Limit.addressBytes { text += piece }
    case .start(let name, _):
      let place = (places.last ?? .other).child(name)
      places.append(place)
      text = ""
      start(place)
    case .end:
      end(places.removeLast())
      text = ""
    }
  }

  private mutating func start(_ place: Place) {
    switch place {
    case .multistatus: hasRoot = true
    case .response: response = Response()
    case .propstat:
      properties = Response()
      propertiesStatus = ""
    case .collection: properties.isCollection = true
    default: break
    }
  }

  private mutating func end(_ place: Place) {
    switch place {
    case .response:
      if response.status.isEmpty || Multistatus.isGood(response.status) {
        responses.append(response)
      }
    case .href: response.href = text.trimmingSpace
    case .status: response.status = text.trimmingSpace
    case .propstat: if Multistatus.isGood(propertiesStatus) { merge() }
    case .propstatStatus: propertiesStatus = text.trimmingSpace
    case .displayName: properties.displayName = text.trimmingSpace
    case .modified: properties.modified = text.trimmingSpace
    case .type: properties.type = text.trimmingSpace
    default: break
    }
  }

  private mutating func merge() {
    response.isCollection = response.isCollection || properties.isCollection
    if response.displayName.isEmpty { response.displayName = properties.displayName }
    if response.modified.isEmpty { response.modified = properties.modified }
    if response.type.isEmpty { response.type = properties.type }
  }

  /// `HTTP/1.1 200 OK`
  private static func isGood(_ status: String) -> Bool {
    status.split(separator: " ").dropFirst().first == "200"
  }
}
