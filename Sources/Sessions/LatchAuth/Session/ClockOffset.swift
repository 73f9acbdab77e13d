// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// How far another machine's clock is ahead of ours, by the date of one of its answers.
enum ClockOffset {
    /// The difference in seconds; zero where the clocks may agree.
    ///
    /// The answer was written at some moment between `sent` and `received`, and its date counts whole seconds: what fits
    /// into that time, or misses it by two seconds, says nothing about the clocks.
    static func seconds(to date: Date, sent: Date, received: Date) -> Double {
        let ahead = date.timeIntervalSince(received)
        let behind = date.timeIntervalSince(sent)
        return ahead > 2 ? ahead : behind < -2 ? behind : 0
    }
}
