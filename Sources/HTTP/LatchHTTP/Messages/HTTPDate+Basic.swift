// SPDX-License-Identifier: Apache-2.0

internal import PortableFoundation

extension HTTPDate {
    /// The date in the basic format of ISO 8601, to the second and in UTC: `19941106T084937Z`.
    package var basicText: String {
        let total = Int(date.timeIntervalSince1970)
        let days = Int((Double(total) / 86_400).rounded(.down))
        let inDay = total - days * 86_400
        let (year, month, day) = Self.civil(daysSinceEpoch: days)
        let digits = ((year * 100 + month) * 100 + day, (inDay / 3_600 * 100 + inDay / 60 % 60) * 100 + inDay % 60)
        return "\(Self.padded(digits.0, to: 8))T\(Self.padded(digits.1, to: 6))Z"
    }

    private static func padded(_ number: Int, to count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
