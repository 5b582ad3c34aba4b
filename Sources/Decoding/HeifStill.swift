import CHeif
import DecoderLink
import Synchronization

/// A HEIF or AVIF still, decoded by libheif, which supports grids, rotation, mirroring and alpha. Owns
/// the decoded picture and the file's bytes, to which libheif refers. Binding file of libheif: unsafe
/// pointers.
final class HeifStill {
  private let library: ch_library
  private let file: PinnedBytes
  private let context: OpaquePointer
  private var handle: OpaquePointer?
  private var image: OpaquePointer?
  private let codecName: String

  static func open(_ stream: ResourceStream) throws(DecodingError) -> StillStory {
    let still = try HeifStill(PinnedBytes(stream))
    let frame = try FFmpegFrame()
    try still.lend(to: frame)
    // AVIF has the same container.
    return StillStory(
      frame, owner: still, container: "heif", codec: still.codecName,
      size: (frame.width, frame.height))
  }

  /// The library; nil if it is missing. Loaded at its first use, which must be before the sandbox
  /// closes: it and its decoders are files.
  static let library: ch_library? = {
    wasLoaded.store(true, ordering: .relaxed)
    var library = ch_library()
    return ch_load(&library) == 1 ? library : nil
  }()

  private static let wasLoaded = Atomic(false)

  /// Loads the library.
  static func prepare() { _ = library }

  /// Whether it need not be loaded any more.
  static var isPrepared: Bool { wasLoaded.load(ordering: .relaxed) }

  private init(_ file: PinnedBytes) throws(DecodingError) {
    guard HeifStill.isPrepared, let library = HeifStill.library else {
      throw DecodingError("libheif is not installed")
    }
    self.library = library
    self.file = file
    let head = file.bytes.prefix(64)
    // The brands of AVIF are `avif` and `avis`.
    codecName = String(decoding: head, as: UTF8.self).contains("avi") ? "av1" : "hevc"
    guard let context = library.heif_context_alloc() else { throw .outOfMemory }
    self.context = context
    // 0: it decodes on this thread.
    library.heif_context_set_max_decoding_threads(context, 0)
    try check(
      library.heif_context_read_from_memory_without_copy(
        context, file.bytes.baseAddress, file.bytes.count, nil))
    try check(library.heif_context_get_primary_image_handle(context, &handle))
    // The size after rotation, as the decoded image has it.
    let width = Int(library.heif_image_handle_get_width(handle))
    let height = Int(library.heif_image_handle_get_height(handle))
    guard width > 0, height > 0, width <= PictureLimits.wholePixels / height else {
      throw .tooLarge(width: width, height: height)
    }
    let hasAlpha = library.heif_image_handle_has_alpha_channel(handle) != 0
    try check(
      library.heif_decode_image(
        handle, &image, heif_colorspace_RGB,
        hasAlpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB, nil))
  }

  deinit {
    if let image { library.heif_image_release(image) }
    if let handle { library.heif_image_handle_release(handle) }
    library.heif_context_free(context)
  }

  private static let unsupported = DecodingError("this kind of HEIF picture is not supported")

  private func check(_ error: heif_error) throws(DecodingError) {
    switch error.code {
    case heif_error_Ok: return
    case heif_error_Memory_allocation_error: throw .outOfMemory
    case heif_error_Unsupported_filetype, heif_error_Unsupported_feature: throw Self.unsupported
    case heif_error_Decoder_plugin_error where error.subcode == heif_suberror_Unsupported_codec:
      throw Self.unsupported
    default: throw .damaged(codec: codecName)
    }
  }

  /// Makes a frame point to the pixels, which are valid while this object lives.
  private func lend(to frame: FFmpegFrame) throws(DecodingError) {
    var stride: Int32 = 0
    guard let plane = library.heif_image_get_plane(image, heif_channel_interleaved, &stride) else {
      throw .damaged(codec: codecName)
    }
    // The layout of the bytes that there are, not the one that was asked for.
    let hasAlpha = library.heif_image_get_chroma_format(image) == heif_chroma_interleaved_RGBA
    // Premultiplied colours are already blended with black.
    let isPremultiplied = hasAlpha && library.heif_image_is_premultiplied_alpha(image) != 0
    frame.lend(
      plane, strideBytes: Int(stride),
      width: Int(library.heif_image_get_width(image, heif_channel_interleaved)),
      height: Int(library.heif_image_get_height(image, heif_channel_interleaved)),
      pixels: hasAlpha
        ? (isPremultiplied ? .redGreenBlueUnused : .redGreenBlueAlpha) : .redGreenBlue)
  }
}
