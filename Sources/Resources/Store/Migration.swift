extension Database {
  /// Migrates a file of any version to the newest one (`user_version`).
  ///
  /// - Parameter steps: the statements from each version to the next.
  /// - Returns: false if a newer program made the file.
  func migrate(_ steps: [[String]]) throws(DatabaseError) -> Bool {
    let newest = Int64(steps.count)
    // A newer program may use its journal in another way, so nothing is touched.
    guard try version() <= newest else { return false }
    // A journal that is truncated needs no directory sync, and works on any file system.
    try run("PRAGMA journal_mode = TRUNCATE")
    try run("PRAGMA synchronous = FULL")
    try run("PRAGMA trusted_schema = OFF")
    try run("PRAGMA cell_size_check = ON")
    if try version() == newest { return true }
    return try transaction { () throws(DatabaseError) in
      // Read again: another process may have migrated it meanwhile.
      let found = try version()
      guard (0...newest).contains(found) else { return false }
      for step in steps[Int(found)...] {
        for statement in step { try run(statement) }
      }
      try run("PRAGMA user_version = \(newest)")
      return true
    }
  }

  /// The version of the file.
  func version() throws(DatabaseError) -> Int64 {
    try run("PRAGMA user_version").first?.first?.number ?? 0
  }
}
