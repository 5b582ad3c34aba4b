import CArchive
import CFFmpeg
import CHeif
import CSeccomp
import CWebP
import CZlib
import System

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
    if let heif = HeifStill.library?.heif_get_version_number() {
      lines.append("libheif \(packed(heif, shifts: [24, 16, 8]))")
    }
    lines.append("rlottie \(mapped("librlottie.so.") ?? "of unknown version")")
    lines.append(String(cString: archive_version_string()))
    lines.append("zlib \(String(cString: zlibVersion()))")
    if let version = seccomp_version()?.pointee {
      lines.append("libseccomp \(version.major).\(version.minor).\(version.micro)")
    }
    return lines
  }

  /// What follows `name` in the path of a file that is mapped into this process: the version of a
  /// library that offers no other way to read it.
  private static func mapped(_ name: String) -> String? {
    var text: [UInt8] = []
    guard let maps = try? Descriptor.open(reading: "/proc/self/maps") else { return nil }
    while case .bytes? = try? maps.read(upTo: 64 << 10, into: &text) {}
    let all = String(decoding: text, as: UTF8.self)
    return all.firstRange(of: name).map { String(all[$0.upperBound...].prefix { $0 != "\n" }) }
  }

  /// A version whose parts are the bytes of one number.
  private static func packed(_ number: UInt32, shifts: [UInt32]) -> String {
    shifts.map { String((number >> $0) & 0xff) }.joined(separator: ".")
  }
}
