// SPDX-License-Identifier: Apache-2.0

/// How long a client may take to read an answer: what it takes earns time, and drips do not earn enough.
///
/// With progress alone as the measure, a client that reads one byte a minute holds its connection, and the memory of
/// the answer, for ever. So each byte moves the deadline by the time that it may cost, and never further than a pause
/// may be long.
struct AnswerPace: Sendable {
    /// How long a client may pause, and how far it may fall behind, in nanoseconds.
    let patience: UInt64
    /// What each byte may cost, in nanoseconds; nil where any progress is enough.
    let timePerByte: UInt64?

    /// A pace; a rate of nothing or less asks for nothing but progress.
    init(patience: UInt64, bytesPerSecond rate: Int) {
        self.patience = patience
        timePerByte = rate > 0 ? 1_000_000_000 / UInt64(rate) : nil
    }

    /// The deadline after `count` bytes were taken.
    ///
    /// - Parameter deadline: The one before; for the first bytes it is `patience` from the beginning of the answer.
    func deadline(_ deadline: UInt64, afterWriting count: Int, now: UInt64) -> UInt64 {
        let latest = now &+ patience
        guard let timePerByte else { return latest }
        let (earned, isHuge) = timePerByte.multipliedReportingOverflow(by: UInt64(max(0, count)))
        let (moved, isBeyond) = deadline.addingReportingOverflow(earned)
        return isHuge || isBeyond ? latest : min(moved, latest)
    }
}
