// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

// The callers that wait for a successor, and the lock between processes.

extension SessionMachine {
    /// The callers that wait for one successor, with their time limit.
    ///
    /// Their next step depends on what is in flight; see `advance`.
    package struct Refresh: Sendable {
        package var value: Value
        /// The target of the new access token; nil for the session's own.
        package var target: TokenTarget?
        package var callers: [Caller]
        /// Whether a caller cannot use the current credential; otherwise no caller waits for another process.
        package var isNeeded: Bool
        /// The monotonic time at which the callers get an error.
        package var deadline: Duration
        /// The monotonic time after which callers that can use the current credential no longer wait.
        package var patienceEnd: Duration
        /// Whether the request was repeated because no response came.
        package var isRepeated = false
        /// Whether the issuer was asked, instead of only reading the record.
        package var hasRequested = false
    }

    package enum LockState: Sendable, Hashable {
        case none, entering, waiting, leaving, held
    }

    /// The pause after a failed request, before the next one may begin.
    package struct Pause: Sendable {
        /// The end for callers whose credential is still accepted.
        package var end: Duration
        /// The end for all callers of the target.
        package var bindingEnd: Duration
        package var error: SessionFailure
    }

    /// Lets a caller wait for the running refresh or for a new one.
    mutating func join(_ caller: Caller, of value: Value, _ now: SessionMoment) {
        let isNeeded = needsSuccessor(caller.use, of: value, now)
        let current = value.credential(for: caller.use.target)
        if !isNeeded, let current, suspension != .none || isSlow(now) { return succeed(caller.waiter, current) }
        if refresh != nil {
            refresh?.callers.append(caller)
            if isNeeded { refresh?.isNeeded = true }
            return
        }
        if let error = obstacle(to: caller.use, of: value, now) {
            guard !isNeeded, let current else { return fail(caller.waiter, error) }
            return succeed(caller.waiter, current)
        }
        beginRefresh(of: value, for: caller.use.target, callers: [caller], isNeeded: isNeeded, now)
    }

    /// Whether a refresh may have to wait long.
    private func isSlow(_ now: SessionMoment) -> Bool {
        if let exchange, exchange.flight != nil, exchange.sent + policy.patience <= now.uptime { return true }
        return refresh.map { lock == .waiting || $0.patienceEnd <= now.uptime } ?? false
    }

    /// Returns the error that prevents a refresh from beginning now.
    func obstacle(to use: Use?, of value: Value, _ now: SessionMoment) -> (any Error)? {
        // No new request begins, because the refresh waits for the existing one.
        guard unstored == nil, exchange?.flight == nil else { return nil }
        guard mayRefresh(value) else {
            // A resource's refusal does not end the session: only the issuer or the user does.
            if case .replacing = use?.need, !isExpired(value, now) { return AuthError.notRefreshable }
            return AuthError.reauthenticationRequired
        }
        for target in Set([nil, use?.target]) {
            if let pause = pauses[target], now.uptime < pause.bindingEnd { return pause.error.error }
        }
        guard !mayRequest(for: use?.target, now) else { return nil }
        return pauses[nil].map { AuthError.tooManyRefreshes.caused(by: $0.error.error) } ?? AuthError.tooManyRefreshes
    }

    /// Whether the credential contains what a refresh needs.
    func mayRefresh(_ value: Value) -> Bool { value.isRefreshable || !policy.needsRefreshToken }

    /// Begins a refresh; without callers, the session itself has requested it.
    mutating func beginRefresh(
        of value: Value, for target: TokenTarget? = nil, callers: [Caller] = [], isNeeded: Bool = false,
        _ now: SessionMoment
    ) {
        refresh = Refresh(
            value: value, target: target, callers: callers, isNeeded: isNeeded,
            deadline: now.uptime + policy.timeLimit, patienceEnd: now.uptime + policy.patience)
    }

    /// Takes the next step of the refresh unless it waits for an event; returns whether that step is an operation.
    mutating func advance(_ now: SessionMoment) -> Bool {
        guard refresh != nil, suspension == .none, exchange?.flight == nil,
            !operations.contains(where: \.isPartOfExchange)
        else { return false }
        if unstored != nil {
            commitAgain()
            return true
        }
        if lock == .held || !isShared {
            enqueue(.prepare)
            return true
        }
        if lock == .none {
            lock = .entering
            effect(.enter(.refresh, waits: false))
        }
        return false
    }

    // MARK: Lock

    /// Whether other processes must not refresh now.
    var needsLock: Bool {
        unstored != nil || exchange?.flight != nil || operations.contains(where: \.isPartOfExchange)
            || refresh != nil && suspension == .none
    }

    mutating func lockEntered(_ entry: Entry, _ now: SessionMoment) {
        let earlier = lock
        lock = entry == .entered ? .held : .none
        // A refresh that has begun since the wait was ended enters the section again.
        guard let refresh, suspension == .none, earlier != .leaving || now.uptime >= refresh.deadline else { return }
        switch entry {
        case .entered: if earlier == .leaving { finishRefresh(.failure(AuthError.lockHeld(by: nil)), now) }
        case .occupied where earlier == .entering:
            // The other session may take long, so only a caller that needs a successor waits for it.
            guard refresh.isNeeded || isExpired(refresh.value, now) else {
                return finishRefresh(.failure(AuthError.refreshElsewhere), now)
            }
            lock = .waiting
            effect(.enter(.refresh, waits: true))
            releaseUnhurriedCallers(now)
        case .occupied(let holder): finishRefresh(.failure(AuthError.lockHeld(by: holder)), now)
        case .failed(let failure): finishRefresh(.failure(AuthError.fromStore(failure.error)), now)
        }
    }

    /// Ends the wait for the lock; an event with the name of the holder still follows.
    mutating func leaveQueue() {
        lock = .leaving
        effect(.leaveQueue(.refresh))
    }

    /// Lets callers continue that can use the current credential, because the refresh may take long.
    mutating func releaseUnhurriedCallers(_ now: SessionMoment) {
        guard let refresh, let value = state.credential, !isContradicted else { return }
        let unhurried = refresh.callers.filter { !needsSuccessor($0.use, of: value, now) }
        self.refresh?.callers.removeAll { caller in unhurried.contains { $0.waiter == caller.waiter } }
        for caller in unhurried { succeed(caller.waiter, value.credential(for: caller.use.target)) }
    }

    func isPaused(_ target: TokenTarget?, _ now: SessionMoment) -> Bool {
        Set([nil, target]).contains { pauses[$0].map { now.uptime < $0.end } ?? false }
    }

    /// The longest pause that an issuer may request; after a longer pause, the session would be effectively lost.
    static var longestPause: Duration { .seconds(600) }

    /// Delays the next attempt by the policy's pause or the issuer's `Retry-After`, plus up to a quarter.
    ///
    /// The additional quarter spreads the requests of devices that an outage has synchronized.
    ///
    /// - Parameter isBinding: Whether the policy's pause also applies to all callers, like the issuer's.
    mutating func pauseRefresh(
        of target: TokenTarget? = nil, after failure: IssuerFailure, isBinding: Bool = false, _ now: SessionMoment
    ) {
        let requested = min(failure.retryAfter ?? .zero, Self.longestPause)
        let share = 1 + now.random.unit() / 4
        let end = now.uptime + max(policy.pauseAfterFailure, requested) * share
        let bindingEnd = isBinding ? end : now.uptime + requested * share
        pauses[target] = Pause(end: end, bindingEnd: bindingEnd, error: SessionFailure(failure.error))
    }

    /// Ends the refresh, and lets its callers continue; only the callers of a resource get its failure.
    mutating func finishRefresh(
        _ result: Result<Void, any Error>, for target: TokenTarget? = nil, _ now: SessionMoment
    ) {
        guard let refresh = refresh.take() else { return }
        if case .failure(let error) = result, target == nil, !isPaused(nil, now) {
            pauseRefresh(after: IssuerFailure(.failed, error), now)
        }
        for caller in refresh.callers {
            let current = state.credential?.credential(for: caller.use.target)
            switch result {
            case .success where current != nil && refresh.hasRequested && caller.use.target == refresh.target:
                succeed(caller.waiter, current)
            case .failure(let error) where target == nil || caller.use.target == target:
                refreshFailed(for: caller, error, now)
            // Another session has refreshed, or this one has refreshed another access token.
            case .success, .failure: use(caller, now)
            }
        }
    }

    /// Hides a failure as long as the old credential is accepted.
    mutating func refreshFailed(for caller: Caller, _ error: any Error, _ now: SessionMoment) {
        let current = state.credential?.credential(for: caller.use.target)
        guard case .fresh = caller.use.need, let current else { return fail(caller.waiter, error) }
        if !isContradicted, !isExpired(current, now) { return succeed(caller.waiter, current) }
        // It expired while the session found out that another session is refreshing.
        if isContradicted || error as? AuthError == .refreshElsewhere { return use(caller, now) }
        fail(caller.waiter, error)
    }
}

extension SessionMachine.Refresh: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.Pause: Equatable, Hashable {}
