import Testing

@testable import Resources

/// Addresses as each service writes them, on two visits to the same file.
@Suite struct SignedAddressTests {
  private func identity(_ text: String) throws -> String {
    try #require(WebAddress(text)).identity()
  }

  private static let googleVideo =
    "googlevideo.com/videoplayback?id=o-AOCKSX&itag=18&source=youtube&mime=video%2Fmp4"
    + "&clen=15612123&dur=226.789&lmt=1601114901420399&requiressl=yes"

  /// Without the signature, then two signatures.
  private static let signed: [(base: String, one: String, other: String)] = [
    // S3, version 2 with a session; version 4.
    (
      "https://b.s3.amazonaws.com/a.mp4?versionId=3",
      "&AWSAccessKeyId=ASIA1&Expires=1700000000&Signature=aa%3D&x-amz-security-token=IQoJ1",
      "&AWSAccessKeyId=ASIA2&Expires=1800000000&Signature=bb%3D&x-amz-security-token=IQoJ2"
    ),
    (
      "https://b.s3.eu-west-1.amazonaws.com/a.mp4?versionId=3",
      "&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260101T000000Z&X-Amz-Security-Token=1"
        + "&X-Amz-Signature=aa",
      "&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260201T000000Z&X-Amz-Security-Token=2"
        + "&X-Amz-Signature=bb"
    ),
    // CloudFront, Google Cloud Storage, Azure.
    (
      "https://d111.cloudfront.net/a.mp4?size=large",
      "&Expires=1700000000&Signature=a&Key-Pair-Id=K1", "&Policy=x&Signature=b&Key-Pair-Id=K1"
    ),
    (
      "https://storage.googleapis.com/b/a.mp4?generation=7",
      "&GoogleAccessId=x%40y&Expires=1&Signature=a", "&GoogleAccessId=x%40y&Expires=2&Signature=b"
    ),
    (
      "https://x.blob.core.windows.net/b/a.mp4?snapshot=1",
      "&sv=2024&st=1&se=2&sr=b&sp=r&sig=a", "&sv=2025&st=3&se=4&sr=b&sp=r&sig=b"
    ),
    // Alibaba OSS, versions 1, 2 and 4.
    (
      "https://b.oss-cn-hangzhou.aliyuncs.com/a.mp4?x-oss-process=video%2Fsnapshot",
      "&OSSAccessKeyId=STS.1&Expires=1700000000&Signature=a%3D&security-token=CAIS1",
      "&OSSAccessKeyId=STS.2&Expires=1800000000&Signature=b%3D&security-token=CAIS2"
    ),
    (
      "https://b.oss-cn-hangzhou.aliyuncs.com/a.jpg?x-oss-process=image%2Fresize%2Cw_100",
      "&x-oss-access-key-id=1&x-oss-expires=1686455451&x-oss-signature=a"
        + "&x-oss-signature-version=OSS2",
      "&x-oss-access-key-id=2&x-oss-expires=1786455451&x-oss-signature=b"
        + "&x-oss-signature-version=OSS2"
    ),
    (
      "https://b.oss-ap-southeast-1.aliyuncs.com/a.mp4?versionId=1",
      "&x-oss-date=20251008T091359Z&x-oss-expires=300&x-oss-security-token=1"
        + "&x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-additional-headers=host"
        + "&x-oss-credential=STS.1%2F20251008%2Fap%2Foss%2Faliyun_v4_request&x-oss-signature=96ae",
      "&x-oss-date=20251108T091359Z&x-oss-expires=300&x-oss-security-token=2"
        + "&x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-additional-headers=host"
        + "&x-oss-credential=STS.2%2F20251108%2Fap%2Foss%2Faliyun_v4_request&x-oss-signature=a6ae"
    ),
    // Tencent COS.
    (
      "https://b-125.cos.ap-beijing.myqcloud.com/a.mp4?ci-process=snapshot",
      "&q-sign-algorithm=sha1&q-ak=AKID1&q-sign-time=1671765305%3B1671768905"
        + "&q-key-time=1671765305%3B1671768905&q-header-list=host&q-url-param-list="
        + "&q-signature=2100&x-cos-security-token=UQ1",
      "&q-sign-algorithm=sha1&q-ak=AKID2&q-sign-time=1771765305%3B1771768905"
        + "&q-key-time=1771765305%3B1771768905&q-header-list=host&q-url-param-list="
        + "&q-signature=3100&x-cos-security-token=UQ2"
    ),
    // Discord.
    (
      "https://cdn.discordapp.com/attachments/1184/1205/a.mp4?",
      "ex=65d98d0a&is=65c7180a&hm=79027d47&", "ex=66d98d0a&is=66c7180a&hm=89027d47&"
    ),
    (
      "https://media.discordapp.net/attachments/1184/1205/a.png?width=400&format=webp",
      "&ex=65d98d0a&is=65c7180a&hm=79027d47", "&ex=66d98d0a&is=66c7180a&hm=89027d47"
    ),
    // Instagram and Facebook.
    (
      "https://scontent-mrs2-1.cdninstagram.com/v/t51.82787-15/687_n.jpg?stp=dst-jpg_e35_s640x640",
      "&_nc_cat=103&ccb=7-5&_nc_sid=18de74&_nc_ohc=wEOX&_nc_oc=Adr&_nc_zt=23&_nc_gid=W4O"
        + "&_nc_ht=scontent-mrs2-1.cdninstagram.com&_nc_ss=7b6a8&oh=00_Af_1&oe=6A2F427E",
      "&_nc_cat=103&ccb=7-5&_nc_sid=18de74&_nc_ohc=zzzz&_nc_oc=Bdr&_nc_zt=23&_nc_gid=X4O"
        + "&_nc_ht=scontent-fra3-1.cdninstagram.com&_nc_ss=7b6a9&oh=00_Af_2&oe=6B2F427E"
    ),
    (
      "https://scontent.frdp1-2.fna.fbcdn.net/v/t39.30808-6/466_n.jpg?stp=cp6_dst-jpg_tt6",
      "&_nc_cat=102&ccb=1-7&_nc_eui2=AeH1&_nc_ohc=zf9&gid=Aa1&edm=AP1&oh=00_AY1&oe=676B6B20",
      "&_nc_cat=111&ccb=1-7&_nc_eui2=AeH2&_nc_ohc=yf9&gid=Aa2&edm=AP1&oh=00_AY2&oe=686B6B20"
    ),
    // Akamai.
    (
      "https://x.akamaized.net/a.mp4?q=1", "&hdnts=st=1508777863~exp=1508777893~acl=/*~hmac=fde",
      "&hdnts=st=1608777863~exp=1608777893~acl=/*~hmac=ade"
    ),
    (
      "https://x.akamaihd.net/a.mp4?q=1", "&hdnea=exp=1508777893~acl=%2f*~hmac=fde",
      "&hdnea=exp=1608777893~acl=%2f*~hmac=ade"
    ),
    (
      "https://x.example.org/a.mp4?q=1", "&__token__=exp=1508777893~acl=/*~hmac=fde",
      "&__token__=exp=1608777893~acl=/*~hmac=ade"
    ),
    // Bunny, on its own host and on another.
    (
      "https://test.b-cdn.net/my/video.mp4?width=300", "&token=HS256-abc&expires=1598024587",
      "&token=HS256-abd&expires=1698024587"
    ),
    (
      "https://video.example.org/my/video.mp4?width=300",
      "&token=aiDh&token_path=%2Fmy%2F&expires=1598024587&token_countries=DE",
      "&token=biDh&token_path=%2Fmy%2F&expires=1698024587&token_countries=DE"
    ),
    // Google video.
    (
      "https://r2---sn-8pxuuxa-nbozs." + googleVideo,
      "&expire=1601325735&ei=R_Zx&ip=171.232.50.144&mh=NC&mm=31%2C29&mn=sn-8%2Csn-9&ms=au%2Crdu"
        + "&mv=m&mvi=2&pl=21&initcwndbps=1025000&vprv=1&mt=1601304048&fvip=2&fexp=23915654&c=WEB"
        + "&sparams=expire%2Cei&sig=AOq0&lsparams=mh%2Cmm&lsig=AG3C",
      "&expire=1701325735&ei=S_Zx&ip=142.119.12.135&mh=NC&mm=31%2C26&mn=sn-a%2Csn-b&ms=au%2Conr"
        + "&mv=m&mvi=7&pl=22&initcwndbps=1535000&vprv=1&mt=1701304048&fvip=1&c=ANDROID&rms=au"
        + "&spc=UWF9&svpuc=1&ns=q02&rqh=1&n=5Gb&cver=2&redirect_counter=2&cms_redirect=yes"
        + "&sparams=expire%2Cei&sig=BOq0&lsparams=mh%2Cmm&lsig=BG3C"
    ),
    // Firebase, Patreon, Backblaze.
    (
      "https://firebasestorage.googleapis.com/v0/b/x.appspot.com/o/a%2Fb.mp4?alt=media",
      "&token=11111111-2222-3333-4444-555555555555", "&token=66666666-2222-3333-4444-555555555555"
    ),
    (
      "https://c10.patreonusercontent.com/4/patreon-media/p/post/123/abc/eyJ3IjoxfQ%3D%3D/1.mp4?",
      "token-time=1735948800&token-hash=Atom%3D", "token-hash=Btom%3D&token-time=1835948800"
    ),
    (
      "https://f002.backblazeb2.com/file/photos/pets/a.mp4?b2ContentLanguage=de",
      "&Authorization=3_20160803004041_53982a92_acct", "&Authorization=3_20260803004041_63_acct"
    ),
  ]

  @Test(arguments: signed.indices)
  func identity_isTheSameByAnySignature(row: Int) throws {
    let (base, one, other) = SignedAddressTests.signed[row]
    #expect(try identity(base + one) == identity(base + other))
    // Another file, and another way to show the same one, stay others.
    let file = base.replacing("?", with: "x?")
    #expect(try identity(base + one) != identity(file + one))
    let parts = base.split(separator: "?", omittingEmptySubsequences: false)
    if !parts[1].isEmpty {
      let shown = base.replacing(parts[1], with: parts[1] + "9")
      #expect(try identity(base + one) != identity(shown + one))
      #expect(try identity(base + one) != identity(parts[0] + "?" + one.dropFirst()))
    }
    #expect(try identity(base + one) != identity(base + one + "&part=2"))
  }

  /// Any server of these has the same file, and the next visit may be to another.
  @Test(arguments: [
    (
      "https://scontent-mrs2-1.cdninstagram.com/v/t5/6_n.mp4?oh=1&oe=2",
      "https://instagram.fber1-1.fna.fbcdn.net/v/t5/6_n.mp4?oh=3&oe=4"
    ),
    (
      "https://r2---sn-8pxuuxa.googlevideo.com/videoplayback?id=a&itag=18&expire=1&sig=a",
      "https://rr7---sn-cxaaj5o.googlevideo.com/videoplayback?id=a&itag=18&expire=2&sig=b"
    ),
    (
      "https://vz-1.b-cdn.net/bcdn_token=hlp&expires=1680202415&token_path=%2Fee4b%2F/ee4b/a.mp4",
      "https://vz-1.b-cdn.net/bcdn_token=ilp&expires=1780202415&token_path=%2Fee4b%2F/ee4b/a.mp4"
    ),
  ])
  func identity_isTheSameFromAnyServer(one: String, other: String) throws {
    #expect(try identity(one) == identity(other))
  }

  /// The same names elsewhere, and what chooses among several, tell what is meant.
  @Test(arguments: [
    ("https://h/a?token=1&expires=5", "https://h/a?token=2&expires=5"),
    ("https://h/a?ex=1&is=2&hm=3", "https://h/a?ex=2&is=2&hm=3"),
    ("https://h/a?oh=1&oe=2", "https://h/a?oh=2&oe=2"),
    ("https://h/a?Authorization=1", "https://h/a?Authorization=2"),
    ("https://h/videoplayback?expire=1&ip=1", "https://h/videoplayback?expire=1&ip=2"),
    ("https://h/v0/b/x?token=1", "https://h/v0/b/x?token=2"),
    ("https://h/a?token-hash=1", "https://h/a?token-hash=2"),
    ("https://evilb-cdn.net/a?token=1&expires=5", "https://evilb-cdn.net/a?token=2&expires=5"),
    ("https://h/a?x-oss-process=1", "https://h/a?x-oss-process=2"),
    ("https://h/a?q-ak=1", "https://h/a?q-ak=2"),
    ("https://h/bcdn_token=1/a", "https://h/bcdn_token=2/a"),
    (
      "https://r1.googlevideo.com/videoplayback?id=a&itag=18&expire=1&sig=a&range=0-99",
      "https://r1.googlevideo.com/videoplayback?id=a&itag=18&expire=1&sig=a&range=100-199"
    ),
    (
      "https://video.xx.fbcdn.net/v/a.mp4?oh=1&oe=2&bytestart=0&byteend=99",
      "https://video.xx.fbcdn.net/v/a.mp4?oh=1&oe=2&bytestart=100&byteend=199"
    ),
  ])
  func identity_ofWhatIsNotSigned_isKept(one: String, other: String) throws {
    #expect(try identity(one) != identity(other))
  }
}
