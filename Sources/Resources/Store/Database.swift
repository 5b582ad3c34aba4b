import CSQLite
import System

/// A failed step of SQLite, with its extended result code.
struct DatabaseError: Error, Equatable {
  let step: String
  let code: Int32

  /// Whether the file is no database, or a damaged one; a row that breaks its own rules counts too.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT].contains(code & 0xff) }
  /// Whether another process holds it for longer than the time limit.
  var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xff) }
  var isFull: Bool { code & 0xff == SQLITE_FULL }

  var reason: String { String(cString: sqlite3_errstr(code)) }
}

/// A value in a row.
enum DatabaseValue: Equatable, Sendable {
  case null
  case number(Int64)
  case text(String)
  case bytes([UInt8])

  init(_ number: Int64?) { self = number.map(Self.number) ?? .null }
  init(_ text: String?) { self = text.map(Self.text) ?? .null }
  /// Two's complement: SQLite has no unsigned numbers.
  init(bits: UInt64) { self = .number(Int64(bitPattern: bits)) }

  var number: Int64? { if case .number(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
}

typealias DatabaseRow = [DatabaseValue]

/// One connection, for one thread. It owns its statements, each of which is prepared once.
final class Database {
  private let raw: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a database file, or makes it if it is missing. The file itself must not be a symbolic
  /// link.
  ///
  /// - Parameters:
  ///   - patience: how long to wait for another process, in milliseconds.
  ///   - isReadOnly: nothing is made or written, not even a journal.
  init(path: String, patience: Int32, isReadOnly: Bool = false) throws(DatabaseError) {
    var opened: OpaquePointer?
    let flags =
      (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    // SQLITE_OPEN_NOFOLLOW refuses links anywhere in a path, but the path of the folder may have
    // some.
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let folder = Paths.canonical(String(path[..<slash])) ?? String(path[..<slash])
    let code = sqlite3_open_v2(folder + path[slash...], &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      // A connection has to be closed even if it failed to open.
      sqlite3_close_v2(opened)
      throw DatabaseError(step: "open the index", code: code)
    }
    raw = opened
    sqlite3_busy_timeout(opened, patience)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(raw)
  }

  /// Runs one statement to its end and returns all its rows.
  @discardableResult
  func run(_ sql: String, _ values: DatabaseValue...) throws(DatabaseError) -> [DatabaseRow] {
    var rows: [DatabaseRow] = []
    try step(sql, values) { statement in
      rows.append((0..<sqlite3_column_count(statement)).map { column(statement, $0) })
    }
    return rows
  }

  /// Runs one statement that gives integers, without memory for each row; any other value is 0.
  ///
  /// - Parameter row: gets the columns of each row, in one array that is used again for the next.
  func numbers(
    _ sql: String, _ values: DatabaseValue..., row: ([Int64]) -> Void
  ) throws(DatabaseError) {
    var columns: [Int64] = []
    try step(sql, values) { statement in
      let count = Int(sqlite3_column_count(statement))
      if columns.count != count { columns = Array(repeating: 0, count: count) }
      for index in columns.indices {
        columns[index] = sqlite3_column_int64(statement, Int32(index))
      }
      row(columns)
    }
  }

  /// Runs one statement to its end; `row` is called for each of its rows.
  private func step(
    _ sql: String, _ values: [DatabaseValue], row: (OpaquePointer) -> Void
  ) throws(DatabaseError) {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      try check(bind(value, to: statement, at: Int32(index + 1)), "bind a value")
    }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw DatabaseError(step: "use the index", code: code) }
      row(statement)
    }
  }

  /// Runs statements in one transaction that has the write lock from its start; all of them take
  /// effect or none.
  func transaction<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // After some errors SQLite has already rolled back.
      if sqlite3_get_autocommit(raw) == 0 { _ = try? run("ROLLBACK") }
      throw error
    }
  }

  /// The number of the row that was inserted last.
  var lastInserted: Int64 { sqlite3_last_insert_rowid(raw) }

  private func prepared(_ sql: String) throws(DatabaseError) -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(raw, sql, -1, &statement, nil), "read the index")
    guard let statement else { throw DatabaseError(step: "read the index", code: SQLITE_MISUSE) }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: DatabaseValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .number(let number): sqlite3_bind_int64(statement, index, number)
    case .text(let text): cs_bind_text(statement, index, text, Int32(text.utf8.count))
    case .bytes(let bytes):
      bytes.withUnsafeBytes { cs_bind_blob(statement, index, $0.baseAddress, Int32($0.count)) }
    }
  }

  private func column(_ statement: OpaquePointer, _ index: Int32) -> DatabaseValue {
    let count = Int(sqlite3_column_bytes(statement, index))
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .number(sqlite3_column_int64(statement, index))
    case SQLITE_TEXT, SQLITE_BLOB:
      // Valid until the next step, so it is copied here.
      let isText = sqlite3_column_type(statement, index) == SQLITE_TEXT
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(statement, index), count: count)
      return isText ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(Array(bytes))
    default: return .null
    }
  }

  private func check(_ code: Int32, _ step: String) throws(DatabaseError) {
    guard code == SQLITE_OK else { throw DatabaseError(step: step, code: code) }
  }
}
