import Glibc
import Support
import Synchronization

/// What a figure is to keep.
enum Budget {
  case atMost(Double)
  case atLeast(Double)

  func isMet(by value: Double) -> Bool {
    switch self {
    case .atMost(let limit): value <= limit
    case .atLeast(let limit): value >= limit
    }
  }

  /// "<=" or ">=", and the number.
  fileprivate var sign: String { if case .atMost = self { "<=" } else { ">=" } }
  fileprivate var limit: Double {
    switch self {
    case .atMost(let limit), .atLeast(let limit): limit
    }
  }
}

/// Notes a figure in the file that STORYTTY_BENCH_JSON names, a line of JSON each, so that two runs
/// can be compared; a first line tells the machine.
///
/// - Parameters:
///   - name: stays the same from run to run, such as "cpu.excess".
///   - subject: what was measured, such as a clip's name.
///   - lowerIsBetter: for figures without a budget.
/// - Returns: for the table: "<= 0.50 met", "<= 0.50 MISSED", or a dash without a budget.
@discardableResult
func note(
  _ name: String, of subject: String, _ value: Double?, _ unit: String, _ budget: Budget? = nil,
  lowerIsBetter: Bool = true
) -> String {
  guard let value, value.isFinite else { return "-" }
  var better = lowerIsBetter ? "lower" : "higher"
  if let budget, case .atLeast = budget { better = "higher" }
  let limit = budget.map { "\($0.limit)" } ?? "null"
  FigureFile.shared?.add(
    "{\"figure\":\"\(name)\",\"of\":\"\(subject)\",\"value\":\(fixed(value, 4)),"
      + "\"unit\":\"\(unit)\",\"budget\":\(limit),\"better\":\"\(better)\"}")
  guard let budget else { return "-" }
  return "\(budget.sign) \(budget.limit) \(budget.isMet(by: value) ? "met" : "MISSED")"
}

/// The file that figures are noted in.
private final class FigureFile: Sendable {
  static let shared = variable("STORYTTY_BENCH_JSON").flatMap(FigureFile.init)
  private let lines: Mutex<[String]>
  private let path: String

  private init?(_ path: String) {
    self.path = path
    let cpu =
      ((try? readText("/proc/cpuinfo")) ?? "").split(separator: "\n")
      .first { $0.hasPrefix("model name") }?.split(separator: ":").last ?? " unknown"
    let head =
      "{\"machine\":\"\(cpu.dropFirst())\",\"cores\":\(sysconf(Int32(_SC_NPROCESSORS_ONLN))),"
      + "\"pairs\":\(Effort.pairs)}"
    lines = Mutex([head])
    save([head])
  }

  func add(_ line: String) {
    lines.withLock { lines in
      lines.append(line)
      save(lines)
    }
  }

  private func save(_ lines: [String]) {
    do {
      try writeFile(Array((lines.joined(separator: "\n") + "\n").utf8), to: path)
    } catch {
      say("cannot write \(path): \(error)")
    }
  }
}
