// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The requests of tasks to the driver of a loop, and the choice of the driver; always accessed under the loop's lock.
struct CurlInbox {
    /// The thread that may use the multi handle now: libcurl allows one at a time.
    enum Driver { case idle, caller, loop }

    var driver = Driver.idle
    /// The prepared transfers to add to the multi handle, each with its waiter.
    var arrivals: [CurlTransfer] = []
    /// The transfers to abort; a transfer that has already ended is ignored.
    var cancellations: [CurlTransfer] = []
    /// The paused transfers whose stream has made progress.
    var resumptions: [CurlTransfer] = []
    /// Whether the driver waits in epoll, or is about to, and checks this inbox only after a wake-up.
    var isDriverAsleep = false
    /// Whether the transport is released; transfers in progress still finish.
    var isStopped = false
    /// The number of consecutive times that a leading thread waited without a result.
    var misses = 0
    /// The number of callers that were not allowed to lead since then; every 64th one tries again.
    private var skipped = 0
    /// The number of transfers that leading threads have finished.
    private var led = 0

    /// Makes the calling thread the driver, if there is none and if responses were fast enough recently.
    mutating func beginLeading() -> Bool {
        guard driver == .idle, !isStopped else { return false }
        if misses >= 4 {
            // Leading does not help with a distant server. Every 64th caller checks whether that has changed.
            skipped &+= 1
            guard skipped % 64 == 0 else { return false }
        }
        driver = .caller
        return true
    }

    /// Ends the leading of a caller whose transfer is finished.
    ///
    /// Other work that has arrived meanwhile moves to the loop's thread.
    ///
    /// - Returns: Whether the driver's role is free now; otherwise the loop's thread has to be woken.
    mutating func endLeading(isIdle: Bool) -> Bool {
        misses = 0
        if becomeIdle(isIdle: isIdle) { return !isStopped }
        driver = .loop
        return false
    }

    /// Counts a transfer that a leading thread has finished, and returns whether its task should yield.
    ///
    /// That is due after every 32nd transfer. Such a transfer does not suspend its task, so a task that sends one
    /// request after another would block its thread. The process has only as many threads as processors.
    mutating func countLed() -> Bool {
        led &+= 1
        return led % 32 == 0
    }

    /// The action that follows a submission; wake-ups are signaled outside the lock.
    enum SubmissionResult { case cancelled, wakeDriver, wakeThread, none }

    /// Adds a transfer and its waiter, unless it was canceled before.
    ///
    /// If it is refused, the caller resumes the waiter; otherwise the driver does, exactly once.
    mutating func accept(_ transfer: CurlTransfer, waiter: UnsafeContinuation<Void, Never>?) -> SubmissionResult {
        guard !transfer.isCancelled else { return .cancelled }
        transfer.waiter = waiter
        arrivals.append(transfer)
        guard driver != .idle else {
            driver = .loop
            return .wakeThread
        }
        return needsWakeUp() ? .wakeDriver : .none
    }

    /// Marks a transfer as canceled, before, during or after it runs.
    ///
    /// - Returns: Whether the driver has to be woken.
    mutating func cancel(_ transfer: CurlTransfer) -> Bool {
        transfer.isCancelled = true
        guard driver != .idle else { return false }
        cancellations.append(transfer)
        return needsWakeUp()
    }

    /// Resumes a paused transfer; one that has already ended is ignored.
    ///
    /// - Returns: Whether the driver has to be woken.
    mutating func wake(_ transfer: CurlTransfer) -> Bool {
        guard driver != .idle else { return false }
        resumptions.append(transfer)
        return needsWakeUp()
    }

    /// Makes the loop's thread the driver if there is none, to look at the idle connections.
    mutating func takeOver() -> Bool {
        guard driver == .idle else { return false }
        driver = .loop
        return true
    }

    /// Makes the loop's thread the driver; the caller then has to wake it.
    mutating func handOver() { driver = .loop }

    /// Releases the driver's role if no work has arrived.
    mutating func becomeIdle(isIdle: Bool = true) -> Bool {
        guard isIdle, isEmpty else { return false }
        driver = .idle
        return true
    }

    /// Announces that the driver is about to wait; other threads check that under the same lock.
    ///
    /// - Returns: False if work has arrived that should be processed first.
    mutating func fallAsleep() -> Bool {
        guard isEmpty else { return false }
        isDriverAsleep = true
        return true
    }

    /// Lets the loop's thread end as soon as the driver's role is free.
    ///
    /// - Returns: Whether the thread has to be woken; a driver notices the end when it is idle.
    mutating func stop() -> Bool {
        isStopped = true
        return driver == .idle
    }

    private var isEmpty: Bool { arrivals.isEmpty && cancellations.isEmpty && resumptions.isEmpty }

    /// Whether the thread may end.
    var isFinished: Bool { isStopped && driver == .idle }

    /// Returns whether a wake-up is necessary: once for each wait.
    private mutating func needsWakeUp() -> Bool {
        defer { isDriverAsleep = false }
        return isDriverAsleep
    }
}
#endif
