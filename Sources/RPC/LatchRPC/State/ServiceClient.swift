// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import Synchronization

/// A client of a service: it performs actions and keeps the resulting state.
///
/// Generated clients conform; they provide the core and map each action to a call.
public protocol ServiceClient<StateType, ActionType>: Actor {
    /// The state of the client.
    associatedtype StateType: ServiceState
    /// The actions of the client.
    associatedtype ActionType: ServiceAction

    /// The core of the client: its state, settings and cached responses.
    nonisolated var core: ClientCore<StateType> { get }

    /// Performs an action as part of a run.
    ///
    /// - Throws: The state's `Failure`, or `CancellationError` if the task was canceled.
    func perform(_ action: ActionType, in run: ActionRun) async throws

    /// Notifies the client that the state is about to change; called on the actor, in one step with the change.
    ///
    /// Changes made here would be overwritten; make them in `stateDidUpdate`.
    func stateWillUpdate(from old: StateType, to new: StateType)

    /// Notifies the client that the state has changed; called on the actor.
    func stateDidUpdate(from old: StateType, to new: StateType)
}

extension ServiceClient {
    /// Does nothing by default.
    public func stateWillUpdate(from old: StateType, to new: StateType) {}

    /// Does nothing by default.
    public func stateDidUpdate(from old: StateType, to new: StateType) {}

    /// A stream of the current state, and then of each different state, until the client is shut down or released.
    ///
    /// It can have any number of readers; a slow reader misses intermediate states but never the newest one. When
    /// `process` returns to a caller on the main actor, readers on the main actor have already received the states of
    /// the action.
    public nonisolated var stateStream: StateStream<StateType> { core.store.stream() }

    /// Returns the state after the last change, without waiting.
    public func getCurrentState() -> StateType { core.store.current }

    /// Performs an action: validates it, calls the service, and updates the state with the response.
    ///
    /// The update applies to the state at the time of the response, so concurrent actions do not lose each other's
    /// changes.
    ///
    /// - Throws: The state's `Failure`, which also becomes the state's `error`; `CancellationError` if the task was
    ///   canceled, which does not.
    public func process(_ action: ActionType) async throws { try await perform(action, in: core.newRun()) }

    /// Makes an earlier state the current one.
    ///
    /// Running actions still update it when their responses arrive.
    public func rollbackToState(_ state: StateType) { update(core.newRun()) { $0 = state } }

    /// Forgets the user: abandons the running actions, removes the cached responses, and makes `state` the current one.
    ///
    /// Call it when the user signs out, even while offline. A running action then fails, with `CancellationError` or
    /// with its own error. Its response neither changes the state nor is cached.
    ///
    /// - Throws: The error of the response store, after all other data was forgotten.
    public func reset(to state: StateType) async throws {
        core.abandonAll()
        update(core.newRun()) { $0 = state }
        try await removeCachedResponses()
        await core.store.waitForDeliveries()
    }

    /// Ends all streams; the state can still be read, and further actions fail.
    public func shutDown() { core.store.finish() }

    /// Removes the cached responses from memory and from the store; `reset(to:)` does this when the user signs out.
    ///
    /// - Throws: The error of the store.
    public func removeCachedResponses() async throws {
        core.cache.removeAll()
        try await core.settings.responseStore?.removeAll()
    }

    /// Returns the activity counters of the client.
    public func getStatistics() -> ClientStatistics { core.statistics }

    /// Returns the runtime statistics of the client.
    public func getPerformanceMetrics() -> ClientPerformance { core.performance }
}

extension ServiceClient {
    /// Updates the state, and notifies observers if it has changed.
    ///
    /// The function does not suspend between reading the state and publishing it, so no other change comes between.
    func update(_ run: ActionRun, _ change: @escaping @Sendable (inout StateType) -> Void) {
        core.content.withLock { $0.log.record(change, of: run.id) }
        var state = core.store.current
        change(&state)
        publish(state)
    }

    /// Publishes a state with the current value of `isLoading`.
    func publish(_ state: StateType) {
        guard !core.store.isFinished else { return }
        var state = state
        state.isLoading = core.isLoading
        let old = core.store.current
        guard old != state else { return core.store.publish(state) }
        stateWillUpdate(from: old, to: state)
        core.store.publish(state)
        stateDidUpdate(from: old, to: state)
    }
}

extension ServiceClient {
    /// Performs an action with a call; generated clients use it in `perform`.
    ///
    /// - Parameters:
    ///   - action: The action, which is validated before the call.
    ///   - request: The request message of the call.
    ///   - run: The run to which the action belongs; nil for a new run.
    ///   - call: The function that sends the request.
    ///   - change: The function that updates the state with the response. It may be applied again to another state
    ///     after concurrent actions were undone, so it must depend only on its arguments.
    /// - Returns: The response.
    @discardableResult
    public func perform<Request: Message, Response: Message>(
        _ action: ActionType, _ request: Request, in run: ActionRun? = nil,
        call: @Sendable (Request, CallOptions) async throws -> Response,
        change: @escaping @Sendable (Response, inout StateType) -> Void
    ) async throws -> Response {
        let run = run ?? core.newRun()
        return try await perform(
            action, in: run, obtain: { try await response(to: action, request, in: run, call) }, change: change)
    }

    /// Performs an action with a call that has no response message.
    ///
    /// - Parameters:
    ///   - action: The action, which is validated before the call.
    ///   - request: The request message of the call.
    ///   - run: The run to which the action belongs; nil for a new run.
    ///   - call: The function that sends the request.
    ///   - change: The function that updates the state after the call, with the rules of the other `perform`.
    public func perform<Request: Message>(
        _ action: ActionType, _ request: Request, in run: ActionRun? = nil,
        call: @Sendable (Request, CallOptions) async throws -> Void,
        change: @escaping @Sendable (inout StateType) -> Void
    ) async throws {
        try await perform(
            action, in: run ?? core.newRun(), obtain: { (try await send(action, request, call), false) },
            change: { change(&$1) })
    }

    private func perform<Response: Sendable>(
        _ action: ActionType, in run: ActionRun, obtain: () async throws -> (response: Response, isStale: Bool),
        change: @escaping @Sendable (Response, inout StateType) -> Void
    ) async throws -> Response {
        let start = core.settings.clock.uptime
        defer { core.recordDuration(core.settings.clock.uptime - start) }
        do {
            try begin(action, in: run)
            let response: Response
            let isStale: Bool
            do {
                defer { if action.showsLoadingState { core.endLoading(run) } }
                (response, isStale) = try await obtain()
            }
            try Task.checkCancellation()
            if core.isAbandoned(run) { throw CancellationError() }
            finish(action, in: run, isStale: isStale) { change(response, &$0) }
            if run.awaitsDeliveries { await core.store.waitForDeliveries() }
            return response
        } catch {
            let failure = fail(action, in: run, core.isTimedOut(run) ? CancellationError() : error)
            if run.awaitsDeliveries { await core.store.waitForDeliveries() }
            throw failure
        }
    }

    /// Validates an action, and marks the state as loading.
    private func begin(_ action: ActionType, in run: ActionRun) throws {
        core.count {
            $0.lastActionDate = core.settings.clock.now
            $0.lastAction = action.actionName
        }
        guard !core.store.isFinished else { throw ActionError.closed }
        // An action that a signed-out user requested must not be sent for the next user.
        guard !core.isAbandoned(run) else { throw CancellationError() }
        let reasons = action.validationErrors
        guard reasons.isEmpty else { throw ActionError.invalidAction(reasons) }
        try Task.checkCancellation()
        guard action.showsLoadingState else { return }
        core.beginLoading(run)
        update(run) { $0.error = nil }
    }

    private func finish(
        _ action: ActionType, in run: ActionRun, isStale: Bool, _ change: @escaping @Sendable (inout StateType) -> Void
    ) {
        core.count { $0.succeeded += 1 }
        let (modifies, now) = (action.modifiesState, core.settings.clock.now)
        update(run) { state in
            state.error = nil
            guard modifies else { return }
            state.isStale = isStale
            let before = state
            change(&state)
            if state != before { state.lastUpdated = now }
        }
    }

    /// Records a failure, and makes it the state's error.
    ///
    /// - Returns: The error to throw.
    private func fail(_ action: ActionType, in run: ActionRun, _ error: any Error) -> any Error {
        // A canceled call reports its own error.
        guard !(error is CancellationError), !Task.isCancelled else {
            publish(core.store.current)
            return CancellationError()
        }
        core.count { $0.failed += 1 }
        let reason = ActionError(error, action: action.actionName)
        let failure = StateType.Failure(reason)
        run.attempt?.end(reason, isRetryable: failure.isRetryable)
        // A call sent before the reset reports its own error, such as the end of the session that caused the reset.
        if run.isAtomic || run.attempt?.isRepeated == true || core.isBeforeReset(run) {
            publish(core.store.current)
        } else {
            update(run) { $0.error = failure }
        }
        return failure
    }
}

extension ServiceClient {
    /// Returns the response to a request, from the service or from the cache.
    private func response<Request: Message, Response: Message>(
        to action: ActionType, _ request: Request, in run: ActionRun,
        _ call: @Sendable (Request, CallOptions) async throws -> Response
    ) async throws -> (response: Response, isStale: Bool) {
        guard action.cachesResponses else { return (try await send(action, request, call), false) }
        let key = ResponseCacheKey(action: action.actionName, request: try request.serialized(deterministic: true))
        if action.cacheStrategy == .conditional,
            let cached: Response = await cachedResponse(for: key, action, mustBeFresh: true)
        {
            return (cached, false)
        }
        do {
            let response = try await send(action, request, call)
            await cache(try response.serialized(), for: key, action, in: run)
            return (response, false)
        } catch {
            let reason = ActionError(error, action: action.actionName)
            guard action.supportsOffline, reason.isUnreachable, !Task.isCancelled,
                let cached: Response = await cachedResponse(for: key, action, mustBeFresh: false)
            else { throw error }
            return (cached, true)
        }
    }

    private func send<Request: Message, Response: Sendable>(
        _ action: ActionType, _ request: Request, _ call: @Sendable (Request, CallOptions) async throws -> Response
    ) async throws -> Response {
        if action.requiresNetworkAccess, !core.settings.network.isReachable {
            throw ActionError.unreachable(action.actionName)
        }
        core.count { $0.calls += 1 }
        return try await call(request, core.settings.callOptions)
    }

    /// Returns the cached response; nil if none can be read, which is not an error.
    private func cachedResponse<Response: Message>(for key: ResponseCacheKey, _ action: ActionType, mustBeFresh: Bool)
        async -> Response?
    {
        do {
            var cached = core.cache.response(for: key)
            if cached == nil, action.cacheStrategy == .persistent {
                cached = try await core.settings.responseStore?.response(for: key)
            }
            guard let cached else { return nil }
            let age = core.settings.clock.now.timeIntervalSince1970 - cached.time
            guard !mustBeFresh || (0..<max(0, core.settings.cachedResponseLifetime.inSeconds)).contains(age) else {
                return nil
            }
            let response = try Response(serialized: cached.bytes)
            core.count { $0.cacheHits += 1 }
            return response
        } catch {
            return nil
        }
    }

    /// Caches a response; if the store fails, the action does not.
    private func cache(_ bytes: [UInt8], for key: ResponseCacheKey, _ action: ActionType, in run: ActionRun) async {
        guard !core.isBeforeReset(run) else { return }
        let response = CachedResponse(bytes: bytes, time: core.settings.clock.now.timeIntervalSince1970)
        core.cache.store(response, for: key)
        guard action.cacheStrategy == .persistent, let store = core.settings.responseStore else { return }
        do {
            try await store.store(response, for: key)
            // The user may have signed out during the write.
            if core.isBeforeReset(run) { try await store.removeAll() }
        } catch {
            core.count { $0.failedCacheWrites += 1 }
        }
    }
}

extension ServiceAction {
    /// Whether a response may be needed again; others, such as those with tokens, are never cached.
    fileprivate var cachesResponses: Bool {
        cacheStrategy == .conditional || supportsOffline && cacheStrategy != .none
    }
}
