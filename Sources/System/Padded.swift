extension BinaryInteger {
  /// The digits of a number that is not negative, with lower-case letters above 9, padded with
  /// zeros to a width.
  public func padded(_ width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
