// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// What tasks leave for the driver of a loop, and who that is; always reached under the loop's lock.
struct CurlInbox {
    /// Who may touch the multi handle now: libcurl takes one thread at a time.
    enum Driver { case nobody, caller, loop }

    var driver = Driver.nobody
    /// Prepared transfers that wait to be added to the multi handle, each with its waiter.
    var arrivals: [CurlTransfer] = []
    /// Transfers to abort.
    ///
    /// One of them may have ended by itself meanwhile, and is then left alone.
    var cancellations: [CurlTransfer] = []
    /// Transfers whose stream has gone on, so that libcurl can.
    var wakings: [CurlTransfer] = []
    /// Whether the driver waits in epoll, or is about to, and sees this inbox only after its bell.
    var isDriverAsleep = false
    /// Whether the transport is gone; nothing new comes, and what is under way runs to its end.
    var isStopped = false
    /// How many times in a row a leading thread waited in vain.
    var misses = 0
    /// How many callers were sent to the loop's thread since, to let every 64th try again.
    private var skipped = 0

    /// Makes the calling thread the driver, if nobody is and if answers have been quick enough lately for it to pay.
    mutating func beginLeading() -> Bool {
        guard driver == .nobody, !isStopped else { return false }
        if misses >= 4 {
            // A far server answers no sooner for being waited for; now and then it is tried whether that has changed.
            skipped &+= 1
            guard skipped % 64 == 0 else { return false }
        }
        driver = .caller
        return true
    }

    /// Ends the turn of a leader whose own transfer is finished.
    ///
    /// Other work may have come to the handle meanwhile, and goes to the loop's thread with it.
    ///
    /// - Returns: Whether nobody drives now; otherwise the loop's thread has to be rung.
    mutating func endLeading(isIdle: Bool) -> Bool {
        misses = 0
        if rest(isIdle: isIdle) { return !isStopped }
        driver = .loop
        return false
    }

    /// What the task that brought a transfer has to do; bells are rung outside the lock.
    enum AfterAccepting { case refused, ringDriver, ringThread, nothing }

    /// Takes in a transfer and who waits for it, unless it was cancelled before it came.
    ///
    /// Where it is refused, the waiter is still the caller's to resume; otherwise it is the driver's, exactly once.
    mutating func accept(_ transfer: CurlTransfer, waiter: UnsafeContinuation<Void, Never>?) -> AfterAccepting {
        guard !transfer.isCancelled else { return .refused }
        transfer.waiter = waiter
        arrivals.append(transfer)
        guard driver != .nobody else {
            driver = .loop
            return .ringThread
        }
        return takeBell() ? .ringDriver : .nothing
    }

    /// Marks a transfer as cancelled, whether it is under way, on its way here or finished.
    ///
    /// - Returns: Whether the driver has to be woken.
    mutating func cancel(_ transfer: CurlTransfer) -> Bool {
        transfer.isCancelled = true
        guard driver != .nobody else { return false }
        cancellations.append(transfer)
        return takeBell()
    }

    /// Lets libcurl go on with a transfer that is paused; one that has ended meanwhile is left alone.
    ///
    /// - Returns: Whether the driver has to be woken.
    mutating func wake(_ transfer: CurlTransfer) -> Bool {
        guard driver != .nobody else { return false }
        wakings.append(transfer)
        return takeBell()
    }

    /// Makes the loop's thread the driver, who then has to be rung.
    mutating func handOver() { driver = .loop }

    /// Gives up driving if nothing has come meanwhile.
    mutating func rest(isIdle: Bool = true) -> Bool {
        guard isIdle, isEmpty else { return false }
        driver = .nobody
        return true
    }

    /// Announces that the driver is about to wait, under the same lock under which others look whether it does.
    ///
    /// - Returns: False if something has come that should be taken in first.
    mutating func fallAsleep() -> Bool {
        guard isEmpty else { return false }
        isDriverAsleep = true
        return true
    }

    /// Lets the loop's thread end as soon as nobody drives.
    ///
    /// - Returns: Whether the thread has to be rung to see it; a driver sees it when it rests.
    mutating func stop() -> Bool {
        isStopped = true
        return driver == .nobody
    }

    private var isEmpty: Bool { arrivals.isEmpty && cancellations.isEmpty && wakings.isEmpty }

    /// Whether the thread may end.
    var isOver: Bool { isStopped && driver == .nobody }

    /// One ring is enough for each sleep.
    private mutating func takeBell() -> Bool {
        defer { isDriverAsleep = false }
        return isDriverAsleep
    }
}
#endif
