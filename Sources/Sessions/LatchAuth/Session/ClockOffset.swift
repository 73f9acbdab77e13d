// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import PortableFoundation
import Synchronization

/// The offset of another machine's clock, measured by the date of one of its responses.
package enum ClockOffset {
    /// Returns the difference in seconds; zero if the clocks may agree.
    ///
    /// The response was written between `sent` and `received`, and its date counts whole seconds: a date within two
    /// seconds of that interval proves no offset.
    package static func seconds(to date: Date, sent: Date, received: Date) -> Double {
        let ahead = date.timeIntervalSince(received)
        let behind = date.timeIntervalSince(sent)
        return ahead > 2 ? ahead : behind < -2 ? behind : 0
    }
}

extension Session {
    /// The issuer's date, as far as its responses have revealed it.
    package nonisolated var issuerDate: Date { clock.now.addingTimeInterval(view.withLock { $0.clockOffset }) }

    /// Corrects the clock by the `Date` of a response of the issuer, to a request sent at `sent` by this session's clock.
    ///
    /// A sign-in that follows is judged by the corrected clock.
    package func learnClock(from date: Date, ofRequestSentAt sent: Date) {
        send(.clockMeasured(ClockOffset.seconds(to: date, sent: sent, received: clock.now)))
    }
}
