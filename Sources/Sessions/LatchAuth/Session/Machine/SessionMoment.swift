// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import PortableFoundation

/// The time and the randomness at an event.
package struct SessionMoment: Sendable {
    /// This device's date, which may be wrong.
    package var date: Date
    /// The monotonic time, by which pauses and time limits are measured.
    package var uptime: Duration
    /// The source of jitter and idempotency keys.
    package var random: RandomSource

    package init(date: Date, uptime: Duration, random: RandomSource) {
        (self.date, self.uptime, self.random) = (date, uptime, random)
    }
}

/// An error of something that a session uses, comparable by its code.
package struct SessionFailure: Error, Hashable {
    package let error: any Error

    package init(_ error: any Error) { self.error = error }

    package static func == (one: SessionFailure, other: SessionFailure) -> Bool {
        one.error.codeOrType == other.error.codeOrType
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(error.codeOrType) }
}
