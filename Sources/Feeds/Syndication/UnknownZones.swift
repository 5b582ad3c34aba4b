/// Unknown time zones in a feed's dates.
struct UnknownZones {
  private var first = ""
  private var count = 0

  mutating func add(_ name: String) {
    if count == 0 { first = name }
    count += 1
  }

  /// The note about them; nil where there are none.
  var words: String? {
    guard count > 0 else { return nil }
    let dates = count == 1 ? "a date is" : "\(count) dates are"
    return
      "\(dates) in a zone that is not known (\(count == 1 ? "" : "the first is ")'\(first)'): taken as UTC"
  }
}
