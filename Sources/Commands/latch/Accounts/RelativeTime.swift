// SPDX-License-Identifier: Apache-2.0

/// The distance of a point in time from now, in the largest suitable unit.
enum RelativeTime {
    private static let units: [(name: String, seconds: Double)] = [
        ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
    ]

    /// Returns `in 14 minutes`, `2 days ago` or `now`, rounded toward now.
    static func text(_ seconds: Double) -> String {
        guard abs(seconds) >= 1 else { return "now" }
        guard let amount = amount(abs(seconds)) else { return seconds > 0 ? "never" : "long ago" }
        return seconds > 0 ? "in \(amount)" : "\(amount) ago"
    }

    /// Returns `14 minutes`, rounded down; nil for less than a second and for more than 10¹⁵ days.
    static func amount(_ seconds: Double) -> String? {
        guard let unit = units.first(where: { seconds >= $0.seconds }) else { return nil }
        let number = (seconds / unit.seconds).rounded(.down)
        guard number < 1e15 else { return nil }
        return "\(Int(number)) \(unit.name)\(number == 1 ? "" : "s")"
    }
}
