// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation

// The refresh: one for all callers, under a lock, with a time limit.

extension SessionMachine {
    /// A running refresh.
    package struct Refresh: Sendable {
        /// A caller and its request.
        package struct Caller: Sendable {
            package var waiter: Waiter
            package var use: Use
        }

        /// The step that the refresh has reached.
        package enum Stage: Sendable, Hashable {
            /// The program is suspended; the refresh begins when that ends.
            case parked
            /// It waits for the lock among processes.
            case locking
            /// Its time is over while it waited for the lock; the name of the holder is still to come.
            case leaving
            /// The record is read, and the key of the request stored.
            case preparing
            case requesting(id: Int)
            /// The response is stored.
            case committing
            /// The issuer has refused, and the end of the session is stored.
            case ending
        }

        /// The credential whose successor is wanted.
        package var value: Value
        /// The resource that the new access token is for; nil for the session's own.
        package var target: TokenTarget?
        package var callers: [Caller]
        /// Whether a caller cannot use the current credential; otherwise none waits for another process.
        package var isNeeded: Bool
        package var stage: Stage
        /// The monotonic time at which the callers get an error.
        package var deadline: Duration
        /// The monotonic time from which no caller waits that can use the current credential.
        package var patienceEnd: Duration
        /// Whether the request has been repeated because no response came.
        package var isRepeated = false
        /// Whether the issuer was asked, and not only the record read.
        package var hasRequested = false

        var isParked: Bool { stage == .parked }
    }

    /// The lock among the processes that refresh.
    package enum LockState: Sendable, Hashable {
        case none, entering, waiting, leaving, held
    }

    /// A request whose outcome is not known, or not stored yet.
    package struct PendingRequest: Sendable {
        package var credential: Value
        package var key: String
        package var target: TokenTarget?
        /// The numbers of the requests that were sent under the key.
        package var ids: [Int] = []
        /// Whether the issuer may have acted on an earlier request under the key, by this process or another.
        package var mayHaveArrived = false
        /// The number of failures of a request for a resource of its own, which others wait for.
        package var failures = 0
        /// The monotonic time of the first request.
        package var begun = Duration.zero
        /// The credential of a step-up without a refresh token, which keeps its access token.
        package var stepUp: Value?
    }

    /// A successor that is issued and not stored.
    package struct Unstored: Sendable {
        package var value: Value
        /// The credential that the store is known to hold.
        package var predecessor: Value
        /// Whether a response has rotated the credential: the session uses it already, since the server refuses the
        /// predecessor.
        package var isRotation = false
        /// The number of failed attempts to store it.
        package var failures = 0
        /// The monotonic time of the next attempt.
        package var retry = Duration.zero
    }

    /// The time after a failed refresh in which the next one does not begin.
    package struct Pause: Sendable {
        /// The end for a caller whose credential is still accepted.
        package var end: Duration
        /// The end for all callers: the issuer has requested the pause.
        package var bindingEnd: Duration
        /// The failure.
        package var error: SessionFailure
    }

    /// Lets a caller wait for the running refresh, or for a new one.
    mutating func join(_ caller: Refresh.Caller, of value: Value, _ now: SessionMoment) {
        let isNeeded = needsSuccessor(caller.use, of: value, now)
        let current = value.credential(for: caller.use.target)
        // The credential is accepted, and the refresh may take long.
        let isSlow = refresh.map { $0.stage == .locking && lock == .waiting || $0.patienceEnd <= now.uptime } ?? false
        if !isNeeded, let current, isSuspended || isSlow { return succeed(caller.waiter, current) }
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

    /// Returns the error of a refresh that must not begin now.
    func obstacle(to use: Use?, of value: Value, _ now: SessionMoment) -> (any Error)? {
        guard unstored == nil else { return nil }
        guard mayRefresh(value) else {
            // The refusal of a resource ends nothing: only the issuer or the user ends a session.
            if case .replacing = use?.need, !isExpired(value, now) { return AuthError.notRefreshable }
            return AuthError.reauthenticationRequired
        }
        if let pause, now.uptime < pause.bindingEnd { return pause.error.error }
        guard !mayRequest(now) else { return nil }
        return pause.map { AuthError.tooManyRefreshes.caused(by: $0.error.error) } ?? AuthError.tooManyRefreshes
    }

    /// Whether the credential holds what a refresh needs.
    func mayRefresh(_ value: Value) -> Bool {
        value.isRefreshable || !configuration.policy.needsRefreshToken
    }

    /// Whether a request stays within the rate of the policy.
    private func mayRequest(_ now: SessionMoment) -> Bool {
        let start = now.uptime - configuration.policy.requestWindow
        return requestTimes.reduce(0) { $0 + ($1 > start ? 1 : 0) } < configuration.policy.requestLimit
    }

    /// Begins a refresh; without callers it is the session's own.
    mutating func beginRefresh(
        of value: Value, for target: TokenTarget? = nil, callers: [Refresh.Caller] = [], isNeeded: Bool = false,
        _ now: SessionMoment
    ) {
        let stage = isSuspended ? Refresh.Stage.parked : unstored != nil ? .committing : .locking
        refresh = Refresh(
            value: value, target: target, callers: callers, isNeeded: isNeeded, stage: stage,
            deadline: now.uptime + configuration.policy.timeLimit,
            patienceEnd: now.uptime + configuration.policy.patience)
        switch stage {
        case .committing: commitAgain()
        case .locking: takeLock()
        default: break
        }
    }

    // MARK: Lock

    private mutating func takeLock() {
        guard configuration.isShared else { return prepare() }
        switch lock {
        case .held: prepare()
        case .entering, .waiting, .leaving: break
        case .none:
            lock = .entering
            effect(.enter(.refresh, waits: false))
        }
    }

    private mutating func prepare() {
        refresh?.stage = .preparing
        // One that an earlier refresh has left behind serves this one.
        if !operations.contains(where: \.isPreparation) { enqueue(.prepare) }
    }

    mutating func lockEntered(_ entry: Entry, _ now: SessionMoment) {
        let wasLeaving = lock == .leaving
        lock = entry == .entered ? .held : .none
        guard let refresh else { return }
        switch (refresh.stage, entry) {
        case (.locking, .entered): prepare()
        case (.locking, .busy):
            // The other session may take long: only a caller that cannot do without a successor waits for it.
            guard refresh.isNeeded || isExpired(refresh.value, now) else {
                return finishRefresh(.failure(AuthError.refreshElsewhere), now)
            }
            lock = .waiting
            effect(.enter(.refresh, waits: true))
            releaseUnhurriedCallers(now)
        // The refresh that left is over, and this one has begun since.
        case (.locking, .abandoned) where wasLeaving: takeLock()
        case (.locking, .abandoned(let holder)), (.leaving, .abandoned(let holder)), (.leaving, .busy(let holder)):
            finishRefresh(.failure(AuthError.lockHeld(by: holder)), now)
        case (.leaving, .entered): finishRefresh(.failure(AuthError.lockHeld(by: nil)), now)
        case (.locking, .failed(let failure)), (.leaving, .failed(let failure)):
            finishRefresh(.failure(AuthError.fromStore(failure.error)), now)
        default: break
        }
    }

    /// Lets the callers continue that can use the current credential, since the refresh may take long.
    mutating func releaseUnhurriedCallers(_ now: SessionMoment) {
        guard let refresh, let value = state.credential, !isContradicted else { return }
        let unhurried = refresh.callers.filter { !needsSuccessor($0.use, of: value, now) }
        self.refresh?.callers.removeAll { caller in unhurried.contains { $0.waiter == caller.waiter } }
        for caller in unhurried { succeed(caller.waiter, value.credential(for: caller.use.target)) }
    }

    // MARK: Request

    /// Sends the request whose key is stored.
    mutating func sendRequest(_ now: SessionMoment) {
        guard let pending = pendingRequest, refresh != nil else { return }
        requestCount += 1
        pendingRequest?.ids.append(requestCount)
        refresh?.stage = .requesting(id: requestCount)
        refresh?.target = pending.target
        refresh?.hasRequested = true
        let start = now.uptime - configuration.policy.requestWindow
        requestTimes = requestTimes.filter { $0 > start } + [now.uptime]
        let request = RefreshRequest(
            credential: pending.credential, idempotencyKey: pending.key, target: pending.target)
        effect(.request(id: requestCount, request))
    }

    mutating func issuerResponded(to id: Int, _ result: Result<Value, IssuerFailure>, _ now: SessionMoment) {
        guard let pending = pendingRequest, pending.ids.contains(id) else {
            if case .success(let value) = result { drop(value) }
            return
        }
        switch result {
        case .success(let value):
            guard unstored?.isRotation ?? true, refresh?.stage != .ending else { return }
            let fresh = pending.stepUp?.succeeding(value) ?? value.succeeding(pending.credential, for: pending.target)
            unstored = Unstored(value: fresh, predecessor: unstored?.predecessor ?? pending.credential)
            // The response may be to a request whose time was over, while this refresh was about to repeat it.
            if let refresh, !refresh.isParked {
                if refresh.stage != .requesting(id: id) { leave(refresh) }
                self.refresh?.stage = .committing
            }
            commitAgain()
        case .failure(let failure):
            guard refresh?.stage == .requesting(id: id) else { return }
            requestFailed(failure, now)
        }
    }

    private mutating func requestFailed(_ failure: IssuerFailure, _ now: SessionMoment) {
        if !configuration.policy.countsFailedRequests { _ = requestTimes.popLast() }
        var (kind, others) = (failure.kind, [Refresh.Caller]())
        if let target = pendingRequest?.target, kind == .failed || kind == .rejected {
            // One resource that the issuer knows nothing of must not keep the others from their tokens.
            pendingRequest?.failures += 1
            if kind == .failed, pendingRequest?.failures ?? 0 >= 3 {
                kind = .rejected
                pendingRequest?.mayHaveArrived = false
            }
            others = refresh?.callers.filter { $0.use.target != target } ?? []
            refresh?.callers.removeAll { $0.use.target != target }
        }
        switch kind {
        case .ended:
            refresh?.stage = .ending
            return enqueue(.end(SessionFailure(failure.error)))
        case .userRequired(let requirement):
            // A new authentication begins a generation, and ends the pause. A policy of the issuer may change meanwhile.
            let end = now.uptime + Self.longestPause
            pause = Pause(end: end, bindingEnd: end, error: SessionFailure(failure.error))
            publish(stepUp: requirement)
        case .unanswered where mayRepeat(now):
            pendingRequest?.mayHaveArrived = true
            // The issuer may have acted. A repetition within its replay window gets the same response.
            refresh?.isRepeated = true
            return sendRequest(now)
        case .rejected:
            // An earlier request under the key may have used up the refresh token; once more shows whether it is the key
            // that the issuer rejects.
            if pendingRequest?.mayHaveArrived == true {
                pendingRequest?.mayHaveArrived = false
            } else {
                (rejectedKey, pendingRequest) = (pendingRequest?.key, nil)
            }
            pauseRefresh(after: failure, now)
        case .unanswered:
            pendingRequest?.mayHaveArrived = true
            pauseRefresh(after: failure, now)
        case .failed: pauseRefresh(after: failure, now)
        }
        finishRefresh(.failure(failure.error), now)
        for caller in others { use(caller.use, caller.waiter, now) }
    }

    private func mayRepeat(_ now: SessionMoment) -> Bool {
        configuration.policy.repeatsUnanswered && refresh?.isRepeated == false && !isSuspended && mayRequest(now)
    }

    /// The longest pause that an issuer may request; a session that refreshes later than this is effectively lost.
    static var longestPause: Duration { .seconds(600) }

    /// Delays the next attempt by the policy's pause or by the issuer's `Retry-After`, and up to a quarter more.
    ///
    /// The quarter spreads the devices that one outage has synchronised.
    mutating func pauseRefresh(after failure: IssuerFailure, _ now: SessionMoment) {
        let requested = min(failure.retryAfter ?? .zero, Self.longestPause)
        let share = 1 + now.random.unit() / 4
        pause = Pause(
            end: now.uptime + max(configuration.policy.pauseAfterFailure, requested) * share,
            bindingEnd: now.uptime + requested * share, error: SessionFailure(failure.error))
    }

    /// Lets the session not refresh by itself for a while, since a credential that was issued just now has expired.
    ///
    /// This device's clock is wrong, and the issuer's responses do not show it: the next credential would be no better.
    mutating func pauseBackgroundRefreshes(_ now: SessionMoment) {
        pause = Pause(
            end: now.uptime + Self.longestPause, bindingEnd: now.uptime, error: SessionFailure(AuthError.refreshFailed))
    }

    // MARK: End

    /// Ends the refresh, and lets its callers continue.
    mutating func finishRefresh(_ result: Result<Void, any Error>, _ now: SessionMoment) {
        guard let refresh else { return }
        self.refresh = nil
        if case .failure(let error) = result, !isPaused(now) {
            pauseRefresh(after: IssuerFailure(.failed, error), now)
        }
        for caller in refresh.callers {
            let current = state.credential?.credential(for: caller.use.target)
            switch result {
            case .success where current != nil && refresh.hasRequested && caller.use.target == refresh.target:
                succeed(caller.waiter, current)
            // Another session has refreshed, or this one has refreshed another access token.
            case .success: use(caller.use, caller.waiter, now)
            case .failure(let error): refreshFailed(for: caller, current, error, now)
            }
        }
    }

    /// Hides a failure as long as the old credential is accepted.
    private mutating func refreshFailed(
        for caller: Refresh.Caller, _ current: Value?, _ error: any Error, _ now: SessionMoment
    ) {
        guard case .fresh = caller.use.need, let current else { return fail(caller.waiter, error) }
        if isContradicted { return use(caller.use, caller.waiter, now) }
        if !isExpired(current, now) { return succeed(caller.waiter, current) }
        // It expired while the session found out that another one refreshes.
        guard case AuthError.refreshElsewhere = error else { return fail(caller.waiter, error) }
        use(caller.use, caller.waiter, now)
    }

    /// Ends the refresh because its generation ends.
    mutating func abandonRefresh(failing error: any Error) {
        guard let refresh else { return }
        leave(refresh)
        self.refresh = nil
        for caller in refresh.callers { fail(caller.waiter, error) }
    }

    /// Cancels what the refresh waits for, except for a running operation on the store.
    mutating func leave(_ refresh: Refresh) {
        if case .requesting(let id) = refresh.stage {
            pendingRequest?.mayHaveArrived = true
            effect(.cancelRequest(id: id))
        }
        if lock == .waiting {
            lock = .leaving
            effect(.leaveQueue(.refresh))
        }
    }
}

extension SessionMachine.Refresh: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.Refresh.Caller: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.PendingRequest: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.Unstored: Equatable, Hashable where Value: Hashable {}
extension SessionMachine.Pause: Equatable, Hashable {}
