import Synchronization
import System

@testable import Resources

/// A service that answers as its documentation says: a server that is asked for a file, and on
/// another origin one that has the bytes, behind links that live for a time.
final class CloudImitation: Sendable {
  struct State: Sendable {
    /// Who may ask.
    var authorization = "Bearer 1"
    /// Links given so far; the last one works.
    var links = 0
    /// After so many uses of a link it does not work any more.
    var usesPerLink = Int.max
    var uses = 0
    /// What an expired link answers with.
    var expired = ServerReply(status: 403)
    /// How often it says that the file is not ready yet.
    var preparations = 0
    /// Given out instead of a link.
    var link: String?
    /// Said instead of where the bytes are.
    var nonsense: ServerReply?
  }

  let profile: SourceProfile
  let file: ServedFile
  let api: FaultServer
  let storage: FaultServer
  let state: Shared

  /// What both servers know.
  final class Shared: Sendable {
    let mutex = Mutex(State())
  }

  /// - Parameter profile: one whose answers lead to a link.
  init(_ profile: SourceProfile, _ file: ServedFile) throws {
    self.profile = profile
    self.file = file
    let shared = Shared()
    let storage = try FaultServer { request in
      let isGood = shared.mutex.withLock { state in
        guard request.target == "/disk/\(state.links)?uid=1&sign=CANARY" else { return false }
        state.uses += 1
        return state.uses <= state.usesPerLink
      }
      return isGood ? file.reply(to: request) : shared.mutex.withLock { $0.expired }
    }
    self.storage = storage
    let origin = storage.url
    let asked = CloudImitation.asked[profile.name]
    api = try FaultServer { request in
      shared.mutex.withLock { state in
        CloudImitation.answer(request, asked, origin, profile.answer, &state)
      }
    }
    state = shared
  }

  deinit {
    api.close()
    storage.close()
  }

  private static let asked = [
    "yandex": "/v1/disk/resources/download?path=%2FStories%2Fbeach.mp4",
    "box": "/2.0/files/123/content",
    "onedrive": "/v1.0/me/drive/items/123/content",
  ]

  private static func answer(
    _ request: ServerRequest, _ asked: String?, _ storage: String,
    _ kind: SourceProfile.Answer, _ state: inout State
  ) -> ServerReply {
    let json = ("Content-Type", "application/json; charset=utf-8")
    guard request["authorization"] == state.authorization else {
      return ServerReply(
        status: 401, fields: [json], body: Array(#"{"error":"UnauthorizedError"}"#.utf8))
    }
    guard request.target == asked, request.method == "GET" else {
      return ServerReply(
        status: 404, fields: [json], body: Array(#"{"error":"DiskNotFoundError"}"#.utf8))
    }
    if let nonsense = state.nonsense { return nonsense }
    if state.preparations > 0 {
      state.preparations -= 1
      return ServerReply(status: 202, fields: [("Retry-After", "1")])
    }
    state.links += 1
    state.uses = 0
    let link = state.link ?? "\(storage)/disk/\(state.links)?uid=1&sign=CANARY"
    guard case .member(let name) = kind else {
      return ServerReply(status: 302, fields: [("Location", link)])
    }
    let escaped = link.replacing("/", with: "\\/")
    let body = #"{"method":"GET","templated":false,"\#(name)":"\#(escaped)"}"#
    return ServerReply(fields: [json], body: Array(body.utf8))
  }

  func set(_ change: (inout State) -> Void) { state.mutex.withLock { change(&$0) } }

  /// The file's address.
  var url: String {
    api.url + (profile.name == "yandex" ? "/Stories/beach.mp4" : "/123/beach.mp4")
  }

  /// The section of the configuration for it.
  func rule(_ authorization: Secret = .literal("Bearer 1")) -> HostRule {
    HostRule(
      host: "127.0.0.1:\(api.port)", profile: profile,
      fields: [("Authorization", authorization), ("X-Canary", .literal("CANARY"))])
  }

  /// Whether the storage was ever told what only the service may know.
  var leaks: Bool {
    storage.requests.contains { request in
      request["authorization"] != nil || request["cookie"] != nil || request["x-canary"] != nil
        || request["referer"] != nil || request.fields.values.contains { $0.contains("CANARY") }
    }
  }
}
