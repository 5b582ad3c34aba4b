import CRlottie

/// Owns an animation of rlottie's. Binding file: unsafe pointers.
package final class LottieAnimation {
  private let animation: OpaquePointer

  /// - Parameters:
  ///   - text: must have been checked by `LottieOutline`.
  ///   - key: rlottie caches animations by key, and ignores the text for a key that it has.
  package init?(text: [UInt8], key: String) {
    // rlottie needs a NUL after the text. It looks for external pictures below this path, which cannot
    // contain anything.
    let loaded = (text + [0]).withUnsafeBytes { memory in
      lottie_animation_from_data(
        memory.bindMemory(to: CChar.self).baseAddress, key, "/dev/null/")
    }
    guard let loaded else { return nil }
    animation = loaded
  }

  /// Called once a process, before the first frame: rlottie starts a thread for each processor, and
  /// with many of them the usual stacks and heaps would exceed the memory limit.
  static func keepThreadsSmall() { rl_keep_threads_small() }

  deinit { lottie_animation_destroy(animation) }

  /// Draws a frame, counted from 0, into so many pixels: premultiplied 0xAARRGGBB.
  package func render(frame: Int, width: Int, height: Int) -> [UInt32] {
    var pixels = [UInt32](repeating: 0, count: width * height)
    lottie_animation_render(animation, frame, &pixels, width, height, width * 4)
    return pixels
  }

  /// Called once a process, before the sandbox closes: rlottie loads the library that decodes embedded
  /// pictures when it first meets one.
  static func warmUp() {
    let pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
    let text = """
      {"v":"5.4.2","fr":30,"ip":0,"op":1,"w":1,"h":1,"layers":[],"assets":[{"id":"a","w":1,"h":1,\
      "e":1,"u":"","p":"data:image/png;base64,\(pixel)"}]}
      """
    _ = LottieAnimation(text: Array(text.utf8), key: "warm-up")
  }
}
