// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import PortableFoundation

// What the session does by itself: at its dates and time limits, and around a suspension.

extension SessionMachine {
    /// Whether the issuer would refuse `value` because of its age.
    package func isExpired(_ value: Value, _ now: SessionMoment) -> Bool {
        guard let expiry = value.expiry else { return false }
        return expiry <= now.issuerDate
    }

    func isFresh(_ value: Value, _ now: SessionMoment) -> Bool { now.issuerDate < dueDate(of: value, now) }

    func isPaused(_ now: SessionMoment) -> Bool { pause.map { now.uptime < $0.end } ?? false }

    /// Returns the date from which a refresh of `value` is due.
    package func dueDate(of value: Value, _ now: SessionMoment) -> Date {
        guard let expiry = value.expiry else { return .distantFuture }
        let policy = configuration.policy
        // Without a refresh token an early request could only end the session early.
        guard value.isRefreshable || !policy.needsRefreshToken else { return expiry }
        let life = expiry.timeIntervalSince(value.issued ?? recordedIssueDate ?? now.issuerDate)
        // A negative lead would make an expired credential look fresh, a negative jitter a fresh one due.
        let share = max(0, min(policy.greatestShare, 0.5))
        let lead = max(0, min(policy.lead.inSeconds, max(0, life) * share))
        let jitter = max(0, min(policy.jitter.inSeconds, lead / 2)) * jitter
        return expiry.addingTimeInterval(jitter - lead)
    }

    /// Returns the time until the session has something to do by itself; nil if that is never.
    package func wait(_ now: SessionMoment) -> Duration? {
        guard !isFrozen else { return nil }
        var waits: [Duration] = []
        if let refresh, refresh.stage != .leaving {
            waits.append(refresh.deadline - now.uptime)
            if !refresh.callers.isEmpty, now.uptime < refresh.patienceEnd {
                waits.append(refresh.patienceEnd - now.uptime)
            }
        }
        if let unstored, !operations.contains(where: \.isCommit) { waits.append(unstored.retry - now.uptime) }
        guard !isSuspended else { return waits.min().map { max($0, .zero) } }
        if let staleness, !operations.contains(where: \.readsOnly) { waits.append(staleness.retry - now.uptime) }
        guard let value = state.credential else { return waits.min().map { max($0, .zero) } }
        if let expiry = value.expiry, !isExpired(value, now) { waits.append(Self.time(until: expiry, now)) }
        if refreshesByItself(now), refresh == nil, mayRefresh(value), value.expiry != nil || mustRepeat(now) {
            let due = mustRepeat(now) ? .distantPast : dueDate(of: value, now)
            let pause = max((pause?.end ?? .zero) - now.uptime, .seconds(1))
            waits.append(now.issuerDate < due ? Self.time(until: due, now) : min(pause, .seconds(86_400)))
        }
        return waits.min().map { max($0, .zero) }
    }

    /// Returns the time until a date by the issuer's clock, at most a day.
    ///
    /// The session looks at the clock again afterwards, so it may wait longer. An extreme expiry, such as the year 10^20,
    /// would overflow `Duration` and crash the program.
    private static func time(until date: Date, _ now: SessionMoment) -> Duration {
        // A little late rather than a little early: waking early would only mean to wait again.
        .seconds(min(max(date.timeIntervalSince(now.issuerDate), 0) + 0.001, 86_400))
    }

    mutating func timePassed(_ now: SessionMoment) {
        if let value = state.credential { publishExpiry(of: value, now) }
        guard !isFrozen else { return }
        if let refresh, now.uptime >= refresh.patienceEnd { releaseUnhurriedCallers(now) }
        if let refresh, now.uptime >= refresh.deadline { endTime(of: refresh, now) }
        if let unstored, now.uptime >= unstored.retry { commitAgain() }
        guard !isSuspended else { return }
        if let staleness, now.uptime >= staleness.retry, !isUnread { readRecord() }
        guard refreshesByItself(now), refresh == nil, let value = state.credential,
            mustRepeat(now) || !isFresh(value, now), !isPaused(now)
        else { return }
        refreshInBackground(value, now)
    }

    private func refreshesByItself(_ now: SessionMoment) -> Bool {
        configuration.policy.refreshesInBackground || mustRepeat(now)
    }

    /// Whether a request is to be repeated though nobody waits for it.
    ///
    /// The issuer may have used up the refresh token, and repeats its response only for a while.
    private func mustRepeat(_ now: SessionMoment) -> Bool {
        guard configuration.policy.repeatsUnanswered, let pendingRequest, pendingRequest.mayHaveArrived,
            let current = state.credential, isSame(current, pendingRequest.credential, for: pendingRequest.target)
        else { return false }
        return now.uptime < pendingRequest.begun + Self.longestPause
    }

    /// Refreshes although no caller waits, where nothing prevents it.
    mutating func refreshInBackground(_ value: Value, _ now: SessionMoment) {
        guard refresh == nil, obstacle(to: nil, of: value, now) == nil else { return }
        beginRefresh(of: value, now)
    }

    /// Ends a refresh that takes too long; an operation on the store, and what it stores, is not abandoned.
    private mutating func endTime(of refresh: Refresh, _ now: SessionMoment) {
        switch refresh.stage {
        case .leaving: return
        case .locking where lock == .waiting || lock == .entering:
            self.refresh?.stage = .leaving
            lock = .leaving
            return effect(.leaveQueue(.refresh))
        case .requesting:
            pauseRefresh(after: IssuerFailure(.unanswered, AuthError.refreshTimedOut), now)
        case .parked, .locking, .preparing, .committing, .ending: break
        }
        leave(refresh)
        finishRefresh(.failure(AuthError.refreshTimedOut), now)
    }
}

// MARK: - Suspension

extension SessionMachine {
    /// Begins nothing more, and lets the waiter wait for what is under way.
    mutating func suspend(_ waiter: Waiter) {
        isSuspended = true
        awaitingRest.append(waiter)
        guard let refresh, refresh.stage == .locking else { return }
        leave(refresh)
        self.refresh?.stage = .parked
    }

    /// Lets go of the locks, which the system would end the program for, and of the running request.
    ///
    /// A request is repeated under its key afterwards, and a successor that is not stored stays in memory. An operation
    /// inside of the store ends first, since it takes a moment; one that waits for the store waits again afterwards.
    mutating func freeze() {
        isFrozen = true
        if let refresh, !refresh.isParked {
            leave(refresh)
            self.refresh?.stage = .parked
        }
        if lock == .held {
            lock = .none
            effect(.leave(.refresh))
        }
        if case .entering? = operations.first?.phase { effect(.leaveQueue(.store)) }
    }

    mutating func resume(_ now: SessionMoment) {
        (isSuspended, isFrozen) = (false, false)
        for waiter in awaitingRest { succeed(waiter) }
        awaitingRest = []
        if let parked = refresh, parked.isParked { unpark(parked, now) }
        commitAgain()
        timePassed(now)
    }

    /// Begins a refresh again that a suspension has kept from beginning, or interrupted.
    ///
    /// Another session may have refreshed meanwhile: a caller that can use the result waits for nothing.
    private mutating func unpark(_ parked: Refresh, _ now: SessionMoment) {
        refresh = nil
        for caller in parked.callers { use(caller.use, caller.waiter, now) }
        // The issuer may have acted on a request that was interrupted, though nobody waits for it any longer.
        guard refresh == nil, let value = state.credential, value.hasSameAccessToken(as: parked.value),
            obstacle(to: nil, of: value, now) == nil
        else { return }
        beginRefresh(of: value, for: parked.target, now)
    }

    mutating func storeUnlocked() {
        commitAgain()
        if case .unavailable = state { readRecord() } else if staleness != nil { readRecord() }
    }
}
