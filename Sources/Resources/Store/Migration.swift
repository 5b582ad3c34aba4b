extension Database {
  /// Makes the newest version of whatever version the file has (`user_version`).
  ///
  /// - Parameter steps: the statements that made each version from the one before.
  /// - Returns: false where a newer program made it.
  func migrate(_ steps: [[String]]) throws(DatabaseError) -> Bool {
    let newest = Int64(steps.count)
    // A newer program may keep its journal in another way: nothing of that is touched.
    guard try version() <= newest else { return false }
    // A journal that is cut off needs no directory to be synced, and works on any file system.
    try run("PRAGMA journal_mode = TRUNCATE")
    try run("PRAGMA synchronous = FULL")
    try run("PRAGMA trusted_schema = OFF")
    try run("PRAGMA cell_size_check = ON")
    if try version() == newest { return true }
    return try transaction { () throws(DatabaseError) in
      // Read again: another process may have done it meanwhile.
      let found = try version()
      guard (0...newest).contains(found) else { return false }
      for step in steps[Int(found)...] {
        for statement in step { try run(statement) }
      }
      try run("PRAGMA user_version = \(newest)")
      return true
    }
  }

  /// The version of what is there.
  func version() throws(DatabaseError) -> Int64 {
    try run("PRAGMA user_version").first?.first?.number ?? 0
  }
}
