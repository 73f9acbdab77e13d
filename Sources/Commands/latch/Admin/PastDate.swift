// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchFoundation

/// The date of an option, absolute or relative to the current time.
enum PastDate {
    private static let units: [UInt8: Double] = [
        UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3600, UInt8(ascii: "d"): 86_400,
    ]

    /// Parses a date, such as `2026-11-23`, `2026-11-23T07:00:00Z` (RFC 3339 §5.6), or `24h` for a day ago.
    ///
    /// - Throws: `CommandError.usage`.
    static func parsed(_ text: String, now: Date) throws(CommandError) -> Date {
        if let unit = text.utf8.last.flatMap({ units[$0] }), let count = UInt32(text.dropLast()) {
            return now.addingTimeInterval(-Double(count) * unit)
        }
        do {
            return try Date(text.utf8.count == 10 ? "\(text)T00:00:00Z" : text, strategy: .iso8601)
        } catch {
            throw .usage(
                "'\(text)' is not a time.", hint: "Write 2026-11-23, 2026-11-23T07:00:00Z, or 30m, 24h or 7d.")
        }
    }
}
