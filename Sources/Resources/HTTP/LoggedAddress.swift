/// Addresses and paths in a form for the log.
public enum LogText {
  /// A web address without parts that may be secret; a path as it is.
  public static func source(_ source: String) -> String { WebAddress(source)?.logged ?? source }
}

extension WebAddress {
  /// The address in a form for the log: without userinfo, and without values of its query or of
  /// parameters in its path that may be secret.
  ///
  /// Names of parameters stay, so that the request can be recognised. Of their values only small
  /// numbers stay, and only if the name says that they choose a page, a size, a part or a time.
  /// Long parts of a path that mix letters and digits, as tokens do, are left out too, but not
  /// names of files.
  var logged: String {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var text = "\(scheme)://\(visibleHost)" + WebAddress.withoutSecrets(parts[0], anywhere: false)
    if parts.count > 1 { text += "?" + WebAddress.withoutSecrets(parts[1], anywhere: true) }
    return text
  }

  /// Parameters whose small numbers are no secrets.
  private static let harmlessNames: Set = [
    "page", "size", "w", "h", "width", "height", "part", "n", "limit", "offset", "start", "end",
    "count", "quality", "q", "t", "v", "version", "expires",
  ]

  /// Leaves out values of parameters.
  ///
  /// - Parameter anywhere: whether a text without a name is a value as well.
  private static func withoutSecrets(_ text: Substring, anywhere: Bool) -> String {
    var result = ""
    var rest = text
    while true {
      let parameter = rest.prefix { !"&;/".contains($0) }
      result += withoutSecret(parameter, isQuery: anywhere)
      rest = rest[parameter.endIndex...]
      guard let separator = rest.first else { return result }
      result.append(separator)
      rest = rest.dropFirst()
    }
  }

  private static func withoutSecret(_ parameter: Substring, isQuery: Bool) -> String {
    guard let equals = parameter.firstIndex(of: "=") else {
      if parameter.isEmpty { return "" }
      return isQuery || isLikeToken(parameter) ? "..." : withoutLogin(parameter)
    }
    let name = parameter[..<equals]
    let value = parameter[parameter.index(after: equals)...]
    // Without a value, or with a strange name, the name may be the secret.
    let isPlain = name.utf8.count <= 24 && !name.isEmpty && name.allSatisfy(isOfAName)
    guard isPlain, value.contains(where: { $0 != "=" }) else { return "..." }
    let isShown = harmlessNames.contains(name.lowercased()) && isHarmless(value)
    return name + "=" + (isShown ? String(value) : "...")
  }

  private static func isOfAName(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
  }

  /// The part before an @, as in an address within the path, may be a login.
  private static func withoutLogin(_ segment: Substring) -> String {
    guard let at = segment.lastIndex(of: "@") else { return String(segment) }
    return "..." + segment[at...]
  }

  private static func isLikeToken(_ segment: Substring) -> Bool {
    let isFile = segment.suffix(6).dropFirst().contains(".")
    return segment.utf8.count >= 20 && !isFile && segment.contains(where: \.isNumber)
      && segment.contains(where: \.isLetter)
  }

  private static func isHarmless(_ value: Substring) -> Bool {
    value.utf8.count <= 6 && value.utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }
}
