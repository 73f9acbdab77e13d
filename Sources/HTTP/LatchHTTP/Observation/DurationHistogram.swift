// SPDX-License-Identifier: Apache-2.0

/// How many durations lie up to which bound.
public struct DurationHistogram: Sendable, Hashable {
    /// From a millisecond to half a minute, in steps of about two and a half.
    public static let usualBounds: [Duration] = [
        .milliseconds(1), .milliseconds(2), .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50),
        .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .milliseconds(2_500), .seconds(5),
        .seconds(10), .seconds(30),
    ]

    /// Up to where each part reaches, in rising order; what is longer lies in one part more.
    public let bounds: [Duration]
    /// How many lie in each part: above the bound before, and not above its own.
    public private(set) var counts: [Int]
    /// All together.
    public private(set) var sum = Duration.zero

    /// A histogram with nothing in it.
    public init(bounds: [Duration]) {
        self.bounds = bounds.sorted()
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// How many there are.
    public var count: Int { counts.reduce(0, +) }

    /// Adds a duration.
    public mutating func add(_ duration: Duration) {
        counts[bounds.firstIndex { duration <= $0 } ?? bounds.count] += 1
        sum += duration
    }
}
