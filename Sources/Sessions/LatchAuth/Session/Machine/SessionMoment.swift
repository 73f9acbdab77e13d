// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation

/// The time and the randomness at an event.
package struct SessionMoment: Sendable {
    /// This device's date, which may be wrong.
    package var date: Date
    /// The monotonic time, which pauses and time limits use.
    package var uptime: Duration
    /// The source of jitter and idempotency keys.
    package var random: RandomSource

    package init(date: Date, uptime: Duration, random: RandomSource) {
        (self.date, self.uptime, self.random) = (date, uptime, random)
    }
}

/// The difference between a date and a monotonic time, which shows when the date is set back.
package struct ClockAnchor: Sendable, Hashable {
    /// The difference in whole seconds, because the two clocks are read one after the other, and one may be slewed.
    private let seconds: Int

    package init(_ moment: SessionMoment) { seconds = Self.seconds(moment) }

    /// Returns the seconds by which the date was set back since then; zero below three.
    package func secondsSetBack(_ now: SessionMoment) -> Double {
        let back = seconds - Self.seconds(now)
        return back > 2 ? Double(back) : 0
    }

    private static func seconds(_ moment: SessionMoment) -> Int {
        // Saturated, so that an extreme date does not crash the process.
        Int(max(-1e15, min(1e15, moment.date.timeIntervalSinceReferenceDate - moment.uptime.inSeconds)).rounded())
    }
}

/// An error that occurred in a part of the session, comparable by its code.
package struct SessionFailure: Error, Hashable {
    package let error: any Error

    package init(_ error: any Error) { self.error = error }

    package static func == (one: SessionFailure, other: SessionFailure) -> Bool {
        one.error.codeOrType == other.error.codeOrType
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(error.codeOrType) }
}
