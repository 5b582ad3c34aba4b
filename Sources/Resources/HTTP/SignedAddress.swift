/// A way in which a service signs an address for some time: which parts of it change from one visit
/// to the next, and so do not identify the bytes.
///
/// Parts that are not named here stay in the cache's key: at worst the bytes are fetched again, but
/// they are never mistaken for others. So parameters that choose a size, a format or a part are not
/// named.
struct SignedAddress {
  /// The hosts that use it: this name and its subdomains; empty for any, because many services run
  /// under the names of their customers.
  private var hosts: [String] = []
  /// How the path begins there.
  private var path = ""
  /// Parameters that must all be there, in lower case: elsewhere `expires` or `token` may identify
  /// the bytes.
  private let signature: Set<String>
  /// Parameters that change with the signature, in lower case.
  private var volatile: Set<String> = []
  /// Prefixes of other such parameters.
  private var brand: String?
  /// Used in place of the host, if several hosts have the same files.
  private var pool: String?

  /// All known ways, from the documentation of each service.
  private static let all: [SignedAddress] = [
    // Amazon S3 and compatible services, version 4; Google Cloud Storage, version 4.
    SignedAddress(signature: ["x-amz-signature"], brand: "x-amz-"),
    SignedAddress(signature: ["x-goog-signature"], brand: "x-goog-"),
    // S3 version 2, also with temporary credentials (STS); CloudFront; Google's version 2; Alibaba
    // OSS, version 1.
    SignedAddress(
      signature: ["signature"],
      volatile: [
        "expires", "key-pair-id", "policy", "hash-algorithm", "awsaccesskeyid",
        "x-amz-security-token", "googleaccessid", "ossaccesskeyid", "security-token",
      ]),
    // Alibaba OSS, versions 2 and 4. `x-oss-process` chooses a size and a format.
    SignedAddress(
      signature: ["x-oss-signature"],
      volatile: [
        "x-oss-signature-version", "x-oss-credential", "x-oss-date", "x-oss-expires",
        "x-oss-access-key-id", "x-oss-security-token", "x-oss-additional-headers",
      ]),
    // Tencent COS. `ci-process` and `imageMogr2` choose a representation.
    SignedAddress(
      signature: ["q-signature"],
      volatile: [
        "q-sign-algorithm", "q-ak", "q-sign-time", "q-key-time", "q-header-list",
        "q-url-param-list", "x-cos-security-token",
      ]),
    // Azure, shared access.
    SignedAddress(
      signature: ["sig", "sv", "se"],
      volatile: ["st", "sp", "sr", "spr", "skoid", "sktid", "skt", "ske", "sks", "skv"]),
    // Discord. `width`, `height` and `format` choose a representation.
    SignedAddress(
      hosts: ["cdn.discordapp.com", "media.discordapp.net"], signature: ["ex", "is", "hm"]),
    // Instagram and Facebook: any server near the viewer has the file. `stp` chooses a size,
    // `bytestart` and `byteend` a part.
    SignedAddress(
      hosts: ["cdninstagram.com", "fbcdn.net"], signature: ["oh", "oe"],
      volatile: [
        "_nc_ad", "_nc_cat", "_nc_eui2", "_nc_gid", "_nc_ht", "_nc_oc", "_nc_ohc", "_nc_rid",
        "_nc_rml", "_nc_sid", "_nc_ss", "_nc_tpa", "_nc_zt", "ccb", "edm", "gid", "__gda__",
      ], pool: "fbcdn.net"),
    // Akamai, with the names that its token generators use.
    SignedAddress(signature: ["hdnts"]), SignedAddress(signature: ["hdnea"]),
    SignedAddress(signature: ["hdntl"]), SignedAddress(signature: ["__token__"]),
    // Bunny, on its own hosts and on those of its customers.
    SignedAddress(hosts: ["b-cdn.net"], signature: ["token", "expires"], volatile: bunny),
    SignedAddress(signature: ["token", "expires", "token_path"], volatile: bunny),
    // Google video: any of its servers has the file. `itag` chooses a format, `range` a part.
    SignedAddress(
      hosts: ["googlevideo.com"], path: "/videoplayback", signature: ["expire"],
      volatile: [
        "bui", "c", "cm2rm", "cms_redirect", "cmsv", "cpn", "cver", "ei", "fexp", "fvip",
        "initcwndbps", "ip", "ipbits", "ipbypass", "keepalive", "lsig", "lsparams", "met", "mh",
        "mip", "mm", "mn", "ms", "mt", "mv", "mvi", "n", "ns", "pcm2", "pcm2cms", "pl",
        "redirect_counter", "req_id", "rm", "rms", "rn", "rqh", "rrc", "sefc", "sig", "signature",
        "siu", "spc", "sparams", "svpuc", "vprv", "xpc",
      ], pool: "googlevideo.com"),
    SignedAddress(
      hosts: ["firebasestorage.googleapis.com"], path: "/v0/b/", signature: ["token"]),
    // Patreon. A part of the path chooses a size.
    SignedAddress(
      hosts: ["patreonusercontent.com"], signature: ["token-hash"], volatile: ["token-time"]),
    SignedAddress(hosts: ["backblazeb2.com"], path: "/file/", signature: ["authorization"]),
  ]

  private static let bunny: Set<String> = [
    "token_countries", "token_countries_blocked", "token_ignore_params", "token_path",
  ]

  /// Bunny signs whole folders by a part of the path that is no folder's name.
  private static let signedFolder = "/bcdn_token="

  /// Host, path and query without the parts that change with the signature.
  static func stablePart(of address: WebAddress) -> String {
    let parts = address.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let pairs = parts.count > 1 ? parts[1].split(separator: "&") : []
    let names = pairs.map { $0.prefix { $0 != "=" }.lowercased() }
    var volatile: Set<String> = []
    var host = address.visibleHost
    let allNames = Set(names)
    for kind in all where kind.signs(address, by: allNames) {
      volatile.formUnion(kind.signature)
      volatile.formUnion(kind.volatile)
      if let brand = kind.brand { volatile.formUnion(names.filter { $0.hasPrefix(brand) }) }
      host = kind.pool ?? host
    }
    let kept = zip(names, pairs).filter { !volatile.contains($0.0) }.map(\.1)
    var path = parts[0]
    if path.hasPrefix(signedFolder), path.contains("&expires=") {
      path = path.dropFirst().drop { $0 != "/" }
    }
    return host + path + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }

  private func signs(_ address: WebAddress, by names: Set<String>) -> Bool {
    names.isSuperset(of: signature) && address.path.hasPrefix(path)
      && (hosts.isEmpty
        || hosts.contains { address.host == $0 || address.host.hasSuffix("." + $0) })
  }
}
