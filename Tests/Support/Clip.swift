import Glibc
import Synchronization

/// A video made by FFmpeg's generators; the same description always gives the same video.
public struct Clip: Hashable, Sendable {
  public enum Picture: Hashable, Sendable {
    /// FFmpeg's moving test pattern.
    case pattern
    /// One colour by its FFmpeg name or as 0xRRGGBB.
    case color(String)
    /// One colour for a second, then another, by their FFmpeg names.
    case change(String, String)
    /// Black with one white picture at the start of each second.
    case flash
    /// Motion, detail, gradients and soft noise at about 8 Mbit/s, to cost what real footage does.
    case footage
    /// A video file, cropped to the shape, scaled, and repeated until it is long
    /// enough.
    case film(String)
  }

  public var picture: Picture
  public var width: Int
  public var height: Int
  public var rate: Int
  public var seconds: Double
  /// A beep at the start of each second.
  public var sound: Bool

  public init(
    _ picture: Picture = .pattern, width: Int = 180, height: Int = 320, rate: Int = 25,
    seconds: Double = 2, sound: Bool = false
  ) {
    self.picture = picture
    self.width = width
    self.height = height
    self.rate = rate
    self.seconds = seconds
    self.sound = sound
  }

  /// The file; made if it is missing, once for all runs that share a build directory.
  public func file() throws -> String {
    let directory = try Self.directory.get()
    let path = "\(directory)/\(name).mp4"
    return try Self.making.withLock { _ in
      if fileExists(path) { return path }
      let ffmpeg = Programs.installed("ffmpeg") ?? "ffmpeg"
      let unfinished = "\(path).\(getpid()).part.mp4"
      let result = try run(
        ffmpeg, arguments + [unfinished], within: .seconds(300))
      guard result.status == 0, rename(unfinished, path) == 0 else {
        throw SupportError("ffmpeg cannot make \(path): \(result.errorText)")
      }
      return path
    }
  }

  private static let making = Mutex(())

  private static let directory: Result<String, SupportError> = {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let path = "\(root)/.build/test-clips"
    mkdir("\(root)/.build", 0o755)
    mkdir(path, 0o755)
    return fileExists(path) ? .success(path) : .failure(SupportError("cannot make \(path)"))
  }()

  private var name: String {
    let described = arguments.joined(separator: " ").utf8
    let hash = described.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return "\(width)x\(height)-\(String(hash, radix: 16))"
  }

  private var arguments: [String] {
    var arguments = ["-v", "error", "-nostdin", "-y"]
    if case .film(let path) = picture {
      arguments += ["-stream_loop", "-1", "-i", path, "-an", "-vf", source]
    } else {
      arguments += ["-f", "lavfi", "-i", source]
    }
    if sound {
      arguments += [
        "-f", "lavfi", "-i",
        "aevalsrc='if(lt(mod(t,1),0.05),0.5*sin(2*PI*1000*t),0)':s=48000:d=\(seconds)",
        "-c:a", "aac", "-b:a", "96k",
      ]
    }
    arguments += ["-t", "\(seconds)", "-c:v", "libx264", "-pix_fmt", "yuv420p"]
    switch picture {
    case .footage:
      arguments += [
        "-preset", "medium", "-b:v", "8M", "-maxrate", "10M", "-bufsize", "8M", "-g", "60",
      ]
    case .film: arguments += ["-profile:v", "high", "-preset", "fast", "-crf", "20"]
    default: arguments += ["-preset", "veryfast", "-crf", "20"]
    }
    return arguments + ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
  }

  private var source: String {
    let size = "s=\(width)x\(height):r=\(rate)"
    let matrix = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"
    switch picture {
    case .pattern: return "testsrc2=\(size),\(matrix)"
    case .color(let name): return "color=c=\(name):\(size),format=rgb24,\(matrix)"
    case .change(let first, let second):
      return "color=c=\(first):\(size),drawbox=c=\(second):t=fill:enable='gte(t,1)',\(matrix)"
    case .flash:
      return "color=c=black:\(size),drawbox=c=white:t=fill:enable='lt(mod(n,\(rate)),1)',\(matrix)"
    case .film:
      return "fps=\(rate),scale=\(width):\(height):force_original_aspect_ratio=increase,"
        + "crop=\(width):\(height)"
    case .footage:
      return "mandelbrot=\(size):start_scale=0.5:end_scale=0.02:end_pts=400,format=yuv420p[a];"
        + "gradients=\(size):c0=0x203050:c1=0xE0A060:speed=0.02,format=yuv420p[b];"
        + "testsrc2=\(size),format=yuv420p,gblur=3[c];"
        + "[a][b]blend=all_mode=softlight[ab];[ab][c]blend=all_opacity=0.25:all_mode=normal,"
        + "noise=alls=9:allf=t,gblur=1,\(matrix)"
    }
  }
}
