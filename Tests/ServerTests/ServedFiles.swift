import Glibc

/// Gives a file the date 2023-11-14T22:13:20Z.
func date(_ path: String, seconds: Int = 1_700_000_000) {
  var times = [timeval(tv_sec: seconds, tv_usec: 0), timeval(tv_sec: seconds, tv_usec: 0)]
  utimes(path, &times)
}

/// Pseudo-random bytes with the head of an MP4.
func movie(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var bytes: [UInt8] = [0, 0, 0, 0x18] + Array("ftypisom".utf8)
  var state = seed
  bytes.reserveCapacity(count)
  while bytes.count < count {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    bytes.append(UInt8(truncatingIfNeeded: state >> 56))
  }
  return Array(bytes.prefix(count))
}

let lottie = #"{"v":"5.5.7","fr":30,"ip":0,"op":60,"w":100,"h":50,"nm":"A heart","layers":[]}"#
