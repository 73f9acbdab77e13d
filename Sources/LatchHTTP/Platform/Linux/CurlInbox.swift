// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// What tasks leave for the driver of a loop, and who that is; always reached under the loop's lock.
struct CurlInbox {
    enum Driver { case nobody, caller, loop }

    var driver = Driver.nobody
    var arrivals: [CurlTransfer] = []
    var cancellations: [CurlTransfer] = []
    var isDriverAsleep = false
    var isStopped = false
    /// How many times in a row a leading thread waited in vain.
    var misses = 0
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

    /// Returns whether nobody drives now; otherwise the loop's thread has to be rung.
    mutating func endLeading(isIdle: Bool) -> Bool {
        misses = 0
        if rest(isIdle: isIdle) { return !isStopped }
        driver = .loop
        return false
    }

    enum AfterAccepting { case refused, ringDriver, ringThread, nothing }

    mutating func accept(_ transfer: CurlTransfer, waiter: UnsafeContinuation<Void, Never>) -> AfterAccepting {
        guard !transfer.isCancelled else { return .refused }
        transfer.waiter = waiter
        arrivals.append(transfer)
        guard driver != .nobody else {
            driver = .loop
            return .ringThread
        }
        return takeBell() ? .ringDriver : .nothing
    }

    /// Returns whether the driver has to be woken.
    mutating func cancel(_ transfer: CurlTransfer) -> Bool {
        transfer.isCancelled = true
        guard driver != .nobody else { return false }
        cancellations.append(transfer)
        return takeBell()
    }

    /// Makes the loop's thread the driver, who then has to be rung.
    mutating func handOver() { driver = .loop }

    /// Gives up driving if nothing has come meanwhile.
    mutating func rest(isIdle: Bool = true) -> Bool {
        guard isIdle, arrivals.isEmpty, cancellations.isEmpty else { return false }
        driver = .nobody
        return true
    }

    /// Returns false if something has come that should be taken in first.
    mutating func fallAsleep() -> Bool {
        guard arrivals.isEmpty, cancellations.isEmpty else { return false }
        isDriverAsleep = true
        return true
    }

    /// Returns whether the thread has to be rung to see it; a driver sees it when it rests.
    mutating func stop() -> Bool {
        isStopped = true
        return driver == .nobody
    }

    /// Whether the thread may end.
    var isOver: Bool { isStopped && driver == .nobody }

    /// One ring is enough for each sleep.
    private mutating func takeBell() -> Bool {
        defer { isDriverAsleep = false }
        return isDriverAsleep
    }
}
#endif
