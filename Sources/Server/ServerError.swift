import System

/// Why nothing is served or exported, as one sentence for the user.
public enum ServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The directory cannot be read.
  case directory(path: String, reason: String)
  /// The token file cannot be used.
  case token(path: String, reason: String)
  /// The address cannot be listened on.
  case address(String, reason: String)
  /// libmicrohttpd is missing or does not start.
  case library(reason: String)
  /// The target of an export cannot be written.
  case export(path: String, reason: String)

  public var description: String {
    switch self {
    case .directory(let path, let reason): "cannot serve \(path): \(reason)"
    case .token(let path, let reason): "cannot use the token file \(path): \(reason)"
    case .address(let address, let reason): "cannot listen on \(address): \(reason)"
    case .library(let reason): "cannot serve: \(reason); is libmicrohttpd12 installed?"
    case .export(let path, let reason): "cannot export to \(path): \(reason)"
    }
  }
}

extension SystemError {
  /// The kernel's reason, for the middle of a sentence.
  var inWords: String { reason.prefix(1).lowercased() + reason.dropFirst() }
}
