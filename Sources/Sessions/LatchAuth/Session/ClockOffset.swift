// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation
import Synchronization

/// The offset of another machine's clock, measured by the date of its response.
package enum ClockOffset {
    /// Returns the difference in seconds; zero if the clocks may agree.
    ///
    /// The response was written between `sent` and `received`, and its date counts whole seconds. A date within two
    /// seconds of that interval therefore proves no offset.
    package static func seconds(to date: Date, sent: Date, received: Date) -> Double {
        let ahead = date.timeIntervalSince(received)
        let behind = date.timeIntervalSince(sent)
        return ahead > 2 ? ahead : behind < -2 ? behind : 0
    }
}

extension Session {
    /// The issuer's date, as far as it is known from its responses.
    package nonisolated var issuerDate: Date { clock.now.addingTimeInterval(view.withLock { $0.clockOffset }) }

    /// Corrects the clock by the `Date` of the issuer's response to a request that was sent at `sent`.
    ///
    /// `sent` is a time of this session's clock.
    ///
    /// The corrected clock applies to a following sign-in.
    package func learnClock(from date: Date, ofRequestSentAt sent: Date) {
        send(.clockMeasured(ClockOffset.seconds(to: date, sent: sent, received: clock.now)))
    }
}
