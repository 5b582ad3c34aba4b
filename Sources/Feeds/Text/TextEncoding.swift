/// A character encoding.
enum TextEncoding: Equatable {
  case utf8
  /// Any other, by iconv's name.
  case other(String)

  /// The encoding that browsers use for a label (WHATWG Encoding Standard, section 4.2). For many
  /// labels that is a larger encoding: `iso-8859-1` is windows-1252, `gb2312` is GBK. A few
  /// encodings that browsers dropped are known too. Nil for an unknown label.
  init?(label: String) {
    let key = TextEncoding.key(label)
    guard !key.isEmpty, key.utf8.count <= 40, let name = TextEncoding.names[key] else { return nil }
    self = name == "UTF-8" ? .utf8 : .other(name)
  }

  /// Whether every character takes at least two bytes.
  var isWide: Bool {
    if case .other(let name) = self {
      name.hasPrefix("UTF-16") || name.hasPrefix("UTF-32")
    } else {
      false
    }
  }

  /// How many bytes are skipped at an invalid place.
  var unitBytes: Int {
    guard isWide, case .other(let name) = self else { return 1 }
    return name.hasPrefix("UTF-16") ? 2 : 4
  }

  /// The encoding that a text's first bytes prove, and how many of them are a byte order mark: by
  /// that mark, or by the places of NULs, where each character takes two or four bytes and the
  /// first ones are ASCII, as in all feeds and lists.
  static func marked(by head: [UInt8]) -> (encoding: TextEncoding, markBytes: Int)? {
    let marks: [([UInt8], TextEncoding)] = [
      ([0xEF, 0xBB, 0xBF], .utf8),
      ([0xFF, 0xFE, 0, 0], .other("UTF-32LE")), ([0, 0, 0xFE, 0xFF], .other("UTF-32BE")),
      ([0xFF, 0xFE], .other("UTF-16LE")), ([0xFE, 0xFF], .other("UTF-16BE")),
    ]
    for (mark, encoding) in marks where head.starts(with: mark) { return (encoding, mark.count) }
    let patterns: [([Bool], String)] = [
      ([true, false, false, false], "UTF-32LE"), ([false, false, false, true], "UTF-32BE"),
      ([true, false], "UTF-16LE"), ([false, true], "UTF-16BE"),
    ]
    for (pattern, name) in patterns where head.count >= 8 {
      let fits = head.prefix(8).enumerated().allSatisfy { place, byte in
        pattern[place % pattern.count] ? isPrintable(byte) : byte == 0
      }
      if fits { return (.other(name), 0) }
    }
    return nil
  }

  /// The label, as written, of the encoding that an XML declaration names (XML 1.0, section 4.3.3).
  static func declared(in head: [UInt8]) -> String? {
    let text = String(decoding: head.prefix(1024).map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
    guard
      let start = text.firstRange(of: "<?xml")?.upperBound
        ?? text.firstRange(of: "<?XML")?.upperBound
    else { return nil }
    let declaration = text[start...].prefix { $0 != ">" }
    guard let name = declaration.firstRange(of: "encoding")?.upperBound else { return nil }
    let value = declaration[name...].drop { $0 == " " || $0 == "=" || $0.isNewline || $0 == "\t" }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
    return String(value.dropFirst().prefix { $0 != quote })
  }

  private static func isPrintable(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) || (0x09...0x0D).contains(byte)
  }

  /// A label in lower case, without punctuation, which is written in many ways.
  private static func key(_ label: String) -> String {
    String(
      decoding: label.utf8.filter { $0 >= 0x80 || $0 == UInt8(ascii: "+") || isPlain($0) }
        .map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  /// In each row: iconv's name, then the labels in lower case and without punctuation. The first
  /// rows are those of the standard, the last are not in it.
  private static let table = """
    UTF-8 unicode11utf8 unicode20utf8 utf8 xunicode20utf8
    CP866 866 cp866 csibm866 ibm866
    ISO-8859-2 csisolatin2 iso88592 isoir101 iso885921987 l2 latin2
    ISO-8859-3 csisolatin3 iso88593 isoir109 iso885931988 l3 latin3
    ISO-8859-4 csisolatin4 iso88594 isoir110 iso885941988 l4 latin4
    ISO-8859-5 csisolatincyrillic cyrillic iso88595 isoir144 iso885951988
    ISO-8859-6 arabic asmo708 csiso88596e csiso88596i csisolatinarabic ecma114 iso88596 iso88596e \
    iso88596i isoir127 iso885961987
    ISO-8859-7 csisolatingreek ecma118 elot928 greek greek8 iso88597 isoir126 iso885971987 suneugreek
    ISO-8859-8 csiso88598e csisolatinhebrew hebrew iso88598 iso88598e isoir138 iso885981988 visual \
    csiso88598i iso88598i logical
    ISO-8859-10 csisolatin6 iso885910 isoir157 l6 latin6
    ISO-8859-13 iso885913
    ISO-8859-14 iso885914
    ISO-8859-15 csisolatin9 iso885915 l9
    ISO-8859-16 iso885916
    KOI8-R cskoi8r koi koi8 koi8r
    KOI8-U koi8ru koi8u
    MACINTOSH csmacintosh mac macintosh xmacroman macroman
    CP874 dos874 iso885911 tis620 windows874
    CP1250 cp1250 windows1250 xcp1250
    CP1251 cp1251 windows1251 xcp1251
    CP1252 ansix341968 ascii cp1252 cp819 csisolatin1 ibm819 iso88591 isoir100 iso885911987 l1 latin1 \
    usascii windows1252 xcp1252
    CP1253 cp1253 windows1253 xcp1253
    CP1254 cp1254 csisolatin5 iso88599 isoir148 iso885991989 l5 latin5 windows1254 xcp1254
    CP1255 cp1255 windows1255 xcp1255
    CP1256 cp1256 windows1256 xcp1256
    CP1257 cp1257 windows1257 xcp1257
    CP1258 cp1258 windows1258 xcp1258
    MAC-CYRILLIC xmaccyrillic xmacukrainian
    GB18030 gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb231280 gbk isoir58 xgbk
    BIG5-HKSCS big5 big5hkscs cnbig5 csbig5 xxbig5
    EUC-JP-MS cseucpkdfmtjapanese eucjp xeucjp
    ISO-2022-JP csiso2022jp iso2022jp
    CP932 csshiftjis ms932 mskanji shiftjis sjis windows31j xsjis cp932
    CP949 cseuckr csksc56011987 euckr isoir149 korean ksc56011987 ksc56011989 ksc5601 windows949 cp949
    UTF-16BE unicodefffe utf16be
    UTF-16LE csunicode iso10646ucs2 ucs2 unicode unicodefeff utf16 utf16le
    UTF-32LE utf32 utf32le ucs4
    UTF-32BE utf32be
    UTF-7 utf7
    ISO-2022-KR csiso2022kr iso2022kr
    CP437 437 cp437 ibm437
    CP850 850 cp850 ibm850
    CP852 852 cp852 ibm852
    """

  private static let names: [String: String] = {
    var names: [String: String] = [:]
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      for label in words.dropFirst() { names[label] = words[0] }
    }
    return names
  }()
}
