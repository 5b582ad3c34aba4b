/// The request for a folder's list (RFC 4918, section 9.1).
enum Listing {
  /// One level: the folder and its entries.
  static let fields = [
    "Depth: 1", "Content-Type: application/xml; charset=utf-8", "Accept: application/xml, text/xml",
  ]

  static let question = """
    <?xml version="1.0" encoding="utf-8"?>
    <propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/><getetag/>\
    <getcontenttype/><displayname/></prop></propfind>
    """
}
