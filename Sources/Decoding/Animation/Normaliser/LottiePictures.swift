import JSONText

/// Pictures in an animation's text or beside it in a zip: rlottie reads only PNG and JPEG, and only
/// within the text.
extension LottieNormaliser {
  mutating func writePicture(_ name: [UInt8], _ members: LottieMembers) throws(DecodingError) {
    guard let node = members[.p], index.kind(of: node) == .string,
      let url = index.text(of: node)
    else { return }
    let isNamed = members[.e] != nil && !isTrue(members[.e])
    let isWithin = url.hasPrefix("data:") && !isNamed
    guard
      let bytes = isWithin
        ? EmbeddedPicture.bytes(of: url)
        : try packedPicture(url, folder: members[.u].flatMap(index.text(of:)) ?? "")
    else {
      lacks.insert(isWithin ? .pictureKinds : .pictures)
      return
    }
    guard let picture = try drawable(bytes) else {
      lacks.insert(.pictureKinds)
      return
    }
    separate()
    writeRaw("{\"id\":\"")
    out += name
    writeRaw("\",\"w\":\(integer(of: members[.w]) ?? picture.width)")
    writeRaw(",\"h\":\(integer(of: members[.h]) ?? picture.height),\"e\":1,\"u\":\"\",\"p\":")
    let start = out.count
    if isWithin, picture.isUnchanged, isPlain(node) {
      copy(node)
    } else {
      writeRaw("\"data:;base64,")
      EmbeddedPicture.append(picture.bytes, to: &out)
      writeRaw("\"")
    }
    pictureBytes += out.count - start
    writeRaw("}")
    guard pictureBytes <= Limit.pictureBytes, picturePixels <= LottieOutline.Limit.pixels else {
      throw .tooLargePictures
    }
  }

  /// A picture of the archive: by its path, or in the folders that dotLottie uses for pictures.
  private mutating func packedPicture(_ name: String, folder: String) throws(DecodingError)
    -> [UInt8]?
  {
    guard let archive else { return nil }
    let pictures =
      if let packedPictures { packedPictures } else {
        try archive.members(
          endingIn: [".png", ".jpg", ".jpeg", ".webp"], limit: Limit.pictureBytes)
      }
    packedPictures = pictures
    let folder = folder.split(separator: "/").joined(separator: "/")
    let paths = [folder, "images", "i"].map { $0.isEmpty ? name : "\($0)/\(name)" }
    return paths.lazy.compactMap { pictures[$0] }.first
  }

  private struct Picture {
    let bytes: [UInt8]
    let width: Int
    let height: Int
    var isUnchanged = true
  }

  /// The picture in a format that rlottie reads.
  private mutating func drawable(_ bytes: [UInt8]) throws(DecodingError) -> Picture? {
    if let size = WebPPicture.size(of: bytes) {
      picturePixels += size.width * size.height
      guard picturePixels <= LottieOutline.Limit.pixels else { throw .tooLargePictures }
      guard let png = WebPPicture.png(bytes, width: size.width, height: size.height) else {
        return nil
      }
      return Picture(bytes: png, width: size.width, height: size.height, isUnchanged: false)
    }
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) || bytes.starts(with: [0xFF, 0xD8, 0xFF])
    else { return nil }
    let size = DeclaredSize.find(in: bytes)
    return Picture(bytes: bytes, width: size?.width ?? 0, height: size?.height ?? 0)
  }
}
