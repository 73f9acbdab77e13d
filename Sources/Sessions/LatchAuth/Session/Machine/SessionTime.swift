// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

// The actions that the session starts itself: at dates and time limits, and around a suspension.

extension SessionMachine {
    /// Whether the issuer would refuse `value` because of its age.
    package func isExpired(_ value: Value, _ now: SessionMoment) -> Bool {
        guard let expiry = value.expiry else { return false }
        return expiry <= issuerDate(now)
    }

    func isFresh(_ value: Value, _ now: SessionMoment) -> Bool { issuerDate(now) < dueDate(of: value, now) }

    /// Returns the date from which a refresh of `value` is due.
    package func dueDate(of value: Value, _ now: SessionMoment) -> Date {
        guard let expiry = value.expiry else { return .distantFuture }
        // Without a refresh token, an early request could only end the session early.
        guard mayRefresh(value) else { return expiry }
        let life = expiry.timeIntervalSince(value.issued ?? facts.issued ?? issuerDate(now))
        return expiry.addingTimeInterval(-policy.secondsAhead(ofLife: life, jitter: jitter))
    }

    /// Returns the time until the session acts next without an event; nil if it will not.
    package func wait(_ now: SessionMoment) -> Duration? {
        guard suspension != .frozen else { return nil }
        var waits: [Duration] = []
        if let refresh, lock != .leaving {
            waits.append(refresh.deadline - now.uptime)
            if !refresh.callers.isEmpty, now.uptime < refresh.patienceEnd {
                waits.append(refresh.patienceEnd - now.uptime)
            }
        }
        if let unstored, !operations.contains(where: \.isCommit) {
            waits.append((unstored.retry?.time ?? .zero) - now.uptime)
        }
        if suspension == .none {
            if let staleness, !operations.contains(where: \.readsOnly) { waits.append(staleness.time - now.uptime) }
            if let value = state.credential { waits += self.waits(for: value, now) }
        }
        return waits.min().map { max($0, .zero) }
    }

    /// Returns the times until the credential's expiry and its refresh.
    private func waits(for value: Value, _ now: SessionMoment) -> [Duration] {
        var waits: [Duration] = []
        if let expiry = value.expiry, !isExpired(value, now) { waits.append(time(until: expiry, now)) }
        guard mayBegin(now), mayRefresh(value), value.expiry != nil || mustRepeat(now) else { return waits }
        let due = mustRepeat(now) ? .distantPast : dueDate(of: value, now)
        let pause = max((pauses[nil]?.end ?? .zero) - now.uptime, .seconds(1))
        waits.append(issuerDate(now) < due ? time(until: due, now) : min(pause, .seconds(86_400)))
        return waits
    }

    /// Returns the time until a date by the issuer's clock, but at most a day, after which the session checks the clock
    /// again.
    ///
    /// An extreme expiry, such as the year 10^20, would overflow `Duration` and crash the program.
    private func time(until date: Date, _ now: SessionMoment) -> Duration {
        // A little late is better than a little early, after which the session would have to wait again.
        .seconds(min(max(date.timeIntervalSince(issuerDate(now)), 0) + 0.001, 86_400))
    }

    mutating func timePassed(_ now: SessionMoment) {
        if let value = state.credential { publishExpiry(of: value, now) }
        guard suspension != .frozen else { return }
        if let refresh, now.uptime >= refresh.patienceEnd { releaseUnhurriedCallers(now) }
        if let refresh, now.uptime >= refresh.deadline { endTime(of: refresh, now) }
        if let unstored, now.uptime >= unstored.retry?.time ?? .zero { commitAgain() }
        guard suspension == .none else { return }
        if let staleness, now.uptime >= staleness.time, !state.isUnread { readRecord() }
        guard mayBegin(now), let value = state.credential, mustRepeat(now) || !isFresh(value, now) else { return }
        if !isPaused(nil, now) { refreshInBackground(value, now) }
    }

    /// Whether the session may begin a refresh itself.
    private func mayBegin(_ now: SessionMoment) -> Bool {
        refresh == nil && exchange?.flight == nil && (policy.refreshesInBackground || mustRepeat(now))
    }

    /// Whether a request must be repeated although no caller waits for it.
    ///
    /// The issuer repeats its response only for a while.
    private func mustRepeat(_ now: SessionMoment) -> Bool {
        guard policy.repeatsUnanswered, let exchange, exchange.mayHaveArrived,
            let current = state.credential, isSame(current, exchange.credential, for: exchange.target)
        else { return false }
        return now.uptime < exchange.begun + Self.longestPause
    }

    /// Refreshes although no caller waits, unless something prevents it.
    mutating func refreshInBackground(_ value: Value, for target: TokenTarget? = nil, _ now: SessionMoment) {
        guard refresh == nil, obstacle(to: nil, of: value, now) == nil else { return }
        beginRefresh(of: value, for: target, now)
    }

    /// Pauses background refreshes if a newly issued credential has already expired.
    ///
    /// This device's clock is then wrong, and the issuer's responses do not show it. The next credential would not be
    /// better.
    mutating func pauseIfExpired(_ value: Value, _ now: SessionMoment) {
        guard isExpired(value, now) else { return }
        let end = now.uptime + Self.longestPause
        pauses[nil] = Pause(end: end, bindingEnd: now.uptime, error: SessionFailure(AuthError.refreshFailed))
    }

    /// Releases the callers of a refresh that takes too long; requests in flight continue.
    private mutating func endTime(of refresh: Refresh, _ now: SessionMoment) {
        switch lock {
        case .waiting, .entering: leaveQueue()
        case .leaving: return
        case .none, .held:
            // The process was stopped in the meantime, so the answer may already be there.
            if exchange?.flight != nil, now.uptime > refresh.deadline + Self.wakeGrace {
                self.refresh?.deadline = now.uptime + Self.wakeGrace
            } else {
                finishRefresh(.failure(AuthError.refreshTimedOut), now)
            }
        }
    }

    /// The time in which a program that was stopped reads data that arrived in the meantime.
    private static var wakeGrace: Duration { .seconds(2) }
}

// MARK: - Rest and suspension

extension SessionMachine {
    /// The progress of a suspension by the system.
    package enum Suspension: Sendable, Hashable {
        case none
        /// The suspension is near: nothing new begins, and running work ends.
        case begun
        /// The time for running work is over: no lock is held, and nothing changes.
        case frozen
    }

    /// Whether the end of the process would lose no running work.
    var isAtRest: Bool {
        lock == .none && exchange?.flight == nil && strays.isEmpty && unstored == nil && operations.isEmpty
            && (refresh == nil || suspension != .none)
    }

    /// Whether the program may be suspended; an operation in the store's section is about to leave it.
    var maySuspend: Bool { isAtRest || suspension == .frozen && lock == .none && operations.first?.isQueued ?? true }

    /// Lets a caller wait for rest, and optionally begins a suspension.
    mutating func rest(_ waiter: Waiter, suspends: Bool) {
        awaitingRest[waiter] = suspends
        guard suspends else { return }
        if suspension == .none { suspension = .begun }
        if lock == .waiting || lock == .entering { leaveQueue() }
    }

    /// Releases the locks, for which the system would end the program, and waits for the store again later.
    mutating func freeze() {
        suspension = .frozen
        if lock == .held {
            lock = .none
            effect(.leave(.refresh))
        }
        if case .entering? = operations.first?.phase { effect(.leaveQueue(.store)) }
    }

    mutating func resume(_ now: SessionMoment) {
        suspension = .none
        for waiter in awaitingRest.keys.sorted() where awaitingRest[waiter] == true {
            awaitingRest[waiter] = nil
            succeed(waiter)
        }
        if refresh != nil { continueRefresh(now) }
        commitAgain()
        timePassed(now)
    }

    /// Continues a refresh whose next step a suspension has prevented, unless another session has refreshed in the
    /// meantime.
    mutating func continueRefresh(_ now: SessionMoment) {
        guard let parked = refresh.take() else { return }
        for caller in parked.callers { use(caller, now) }
        // A refresh without callers also continues.
        guard let value = state.credential, value.hasSameAccessToken(as: parked.value) else { return }
        refreshInBackground(value, for: parked.target, now)
    }

    mutating func storeUnlocked() {
        commitAgain()
        if case .unavailable = state { readRecord() } else if staleness != nil { readRecord() }
    }
}
