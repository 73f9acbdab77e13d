// SPDX-License-Identifier: Apache-2.0

/// The rate at which a client must accept a response or send content, and the maximum pause.
///
/// If any progress were enough, a client that reads one byte a minute could hold its connection, and the response's
/// memory, forever. So each byte extends the deadline by the time that it may cost, up to the maximum pause.
struct MinimumRate: Sendable {
    /// The maximum time without progress, and the maximum delay of a client, in nanoseconds.
    let maximumPause: UInt64
    /// The time that each byte may cost, in nanoseconds; nil if any progress is enough.
    let timePerByte: UInt64?

    /// A rate; zero or less requires only progress.
    init(bytesPerSecond rate: Int, maximumPause: UInt64) {
        self.maximumPause = maximumPause
        timePerByte = rate > 0 ? 1_000_000_000 / UInt64(rate) : nil
    }

    /// Returns the deadline after `count` bytes were accepted or sent.
    ///
    /// - Parameter deadline: The previous deadline; the first is `maximumPause` after the beginning.
    func deadline(_ deadline: UInt64, after count: Int, now: UInt64) -> UInt64 {
        let latest = now &+ maximumPause
        guard let timePerByte else { return latest }
        let (earned, earnedOverflows) = timePerByte.multipliedReportingOverflow(by: UInt64(max(0, count)))
        let (extended, extendedOverflows) = deadline.addingReportingOverflow(earned)
        return earnedOverflows || extendedOverflows ? latest : min(extended, latest)
    }
}
