// SPDX-License-Identifier: Apache-2.0

/// How far away a moment is, in the unit that a person would choose.
enum Span {
    private static let units: [(name: String, seconds: Double)] = [
        ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
    ]

    /// `in 14 minutes`, `2 days ago`, `now`.
    ///
    /// Rounded towards now, so that it promises no more time than there is.
    static func text(_ seconds: Double) -> String {
        let distance = abs(seconds)
        guard let unit = units.first(where: { distance >= $0.seconds }) else { return "now" }
        let number = (distance / unit.seconds).rounded(.down)
        guard number < 1e15 else { return seconds > 0 ? "never" : "long ago" }
        let amount = "\(Int(number)) \(unit.name)\(number == 1 ? "" : "s")"
        return seconds > 0 ? "in \(amount)" : "\(amount) ago"
    }
}
