// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// The offset of another machine's clock, measured by the date of one of its responses.
enum ClockOffset {
    /// Returns the difference in seconds; zero if the clocks may agree.
    ///
    /// The response was written between `sent` and `received`, and its date counts whole seconds: a date within two
    /// seconds of that interval proves no offset.
    static func seconds(to date: Date, sent: Date, received: Date) -> Double {
        let ahead = date.timeIntervalSince(received)
        let behind = date.timeIntervalSince(sent)
        return ahead > 2 ? ahead : behind < -2 ? behind : 0
    }
}
