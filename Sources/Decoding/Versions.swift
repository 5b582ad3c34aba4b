import CFFmpeg
import CHeif
import CSeccomp
import CWebP

/// The libraries that this program runs with, as they name their own versions.
enum Versions {
  /// "libavcodec 59.37.100", a line each.
  static var lines: [String] {
    var lines = av_version_info().map { ["FFmpeg \(String(cString: $0))"] } ?? []
    lines += [
      ("libavformat", avformat_version()), ("libavcodec", avcodec_version()),
      ("libswscale", swscale_version()),
    ].map { "\($0) \(packed($1, shifts: [16, 8, 0]))" }
    lines.append("libwebpdemux \(packed(UInt32(WebPGetDemuxVersion()), shifts: [16, 8, 0]))")
    lines.append("libheif \(packed(heif_get_version_number(), shifts: [24, 16, 8]))")
    if let version = seccomp_version()?.pointee {
      lines.append("libseccomp \(version.major).\(version.minor).\(version.micro)")
    }
    return lines
  }

  /// Versions that stand byte by byte in one number.
  private static func packed(_ number: UInt32, shifts: [UInt32]) -> String {
    shifts.map { String((number >> $0) & 0xff) }.joined(separator: ".")
  }
}
