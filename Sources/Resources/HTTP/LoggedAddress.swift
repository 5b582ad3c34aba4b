extension WebAddress {
  /// The address as a log may have it: without userinfo, and without values of its query, or of
  /// parameters in its path, that may be a secret.
  ///
  /// Names of parameters stay, so that it can be seen what was asked. Of their values only small
  /// numbers stay, as they choose a page, a size or a part, and those only where the name is none
  /// that secrets have.
  var logged: String {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var text = "\(scheme)://\(visibleHost)" + WebAddress.withoutSecrets(parts[0], anywhere: false)
    if parts.count > 1 { text += "?" + WebAddress.withoutSecrets(parts[1], anywhere: true) }
    return text
  }

  /// Parts of names that the parameters of signatures, tokens and logins have.
  private static let secretNames = [
    "auth", "code", "cred", "key", "login", "otp", "pass", "pin", "pwd", "secret", "session", "sid",
    "sig", "tok", "user",
  ]

  /// Leaves out values of parameters.
  ///
  /// - Parameter anywhere: whether what has no name is a value as well.
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
      return isQuery && !isHarmless(parameter) ? "..." : String(parameter)
    }
    let name = parameter[..<equals]
    let value = parameter[parameter.index(after: equals)...]
    let lower = name.lowercased()
    let isNamedSecret = secretNames.contains(where: lower.contains)
    return name + "=" + (!isNamedSecret && isHarmless(value) ? String(value) : "...")
  }

  private static func isHarmless(_ value: Substring) -> Bool {
    value.utf8.count <= 6 && value.utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }
}
