// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore

extension ServiceClient {
    /// Does an action that is a call: what generated clients do in `perform`.
    ///
    /// - Parameters:
    ///   - run: The run that it is a part of; nil for one of its own.
    ///   - call: Sends the request.
    ///   - change: Changes the state by the answer. It may be done again to another state, where actions beside this
    ///     one are taken back, and depends on nothing but its arguments.
    /// - Returns: The answer.
    @discardableResult
    public func perform<Request: Message, Answer: Message>(
        _ action: ActionType, _ request: Request, in run: ActionRun? = nil,
        call: @Sendable (Request, CallOptions) async throws -> Answer,
        change: @escaping @Sendable (Answer, inout StateType) -> Void
    ) async throws -> Answer {
        try await perform(
            action, in: run ?? core.newRun(), obtain: { try await answer(to: action, request, call) }, change: change)
    }

    /// Does an action that is a call which answers nothing.
    ///
    /// - Parameters:
    ///   - call: Sends the request.
    ///   - change: Changes the state once the call is done, under the rules of the other `perform`.
    public func perform<Request: Message>(
        _ action: ActionType, _ request: Request, in run: ActionRun? = nil,
        call: @Sendable (Request, CallOptions) async throws -> Void,
        change: @escaping @Sendable (inout StateType) -> Void
    ) async throws {
        try await perform(
            action, in: run ?? core.newRun(), obtain: { (try await send(action, request, call), false) },
            change: { change(&$1) })
    }

    private func perform<Answer: Sendable>(
        _ action: ActionType, in run: ActionRun, obtain: () async throws -> (answer: Answer, isStale: Bool),
        change: @escaping @Sendable (Answer, inout StateType) -> Void
    ) async throws -> Answer {
        let start = core.settings.clock.uptime
        defer { core.noteDuration(core.settings.clock.uptime - start) }
        do {
            try begin(action, in: run)
            let answer: Answer
            let isStale: Bool
            do {
                defer { if action.showsLoadingState { core.endLoading(run) } }
                (answer, isStale) = try await obtain()
            }
            try Task.checkCancellation()
            if core.isAbandoned(run) { throw CancellationError() }
            finish(action, in: run, isStale: isStale) { change(answer, &$0) }
            return answer
        } catch {
            throw fail(action, in: run, error)
        }
    }

    /// Checks an action, and shows that it has begun.
    private func begin(_ action: ActionType, in run: ActionRun) throws {
        core.count {
            $0.lastActionDate = core.settings.clock.now
            $0.lastAction = action.actionName
        }
        guard !core.store.isFinished else { throw ActionError.closed }
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

    /// Tells a failure, and makes it the state's.
    ///
    /// - Returns: What is thrown.
    private func fail(_ action: ActionType, in run: ActionRun, _ error: any Error) -> any Error {
        // A call that was cut off says so in words of its own.
        guard !(error is CancellationError), !Task.isCancelled else {
            publish(core.store.current)
            return CancellationError()
        }
        core.count { $0.failed += 1 }
        let reason = ActionError(error, action: action.actionName)
        let failure = StateType.Failure(reason)
        run.attempt?.end(reason, isRetryable: failure.isRetryable)
        if run.isAtomic || run.attempt?.isRepeated == true {
            publish(core.store.current)
        } else {
            update(run) { $0.error = failure }
        }
        return failure
    }
}

extension ServiceClient {
    /// The answer to a request: from the service, or one that was kept.
    private func answer<Request: Message, Answer: Message>(
        to action: ActionType, _ request: Request, _ call: @Sendable (Request, CallOptions) async throws -> Answer
    ) async throws -> (answer: Answer, isStale: Bool) {
        guard action.keepsAnswers else { return (try await send(action, request, call), false) }
        let key = AnswerKey(action: action.actionName, request: try request.serialized(deterministic: true))
        if action.cacheStrategy == .conditional, let kept: Answer = await keptAnswer(to: key, action, isYoung: true) {
            return (kept, false)
        }
        do {
            let answer = try await send(action, request, call)
            await keep(try answer.serialized(), to: key, action)
            return (answer, false)
        } catch {
            let reason = ActionError(error, action: action.actionName)
            guard action.supportsOffline, reason.isOutOfReach, !Task.isCancelled,
                let kept: Answer = await keptAnswer(to: key, action, isYoung: false)
            else { throw error }
            return (kept, true)
        }
    }

    private func send<Request: Message, Answer: Sendable>(
        _ action: ActionType, _ request: Request, _ call: @Sendable (Request, CallOptions) async throws -> Answer
    ) async throws -> Answer {
        if action.requiresNetworkAccess, !core.settings.network.isReachable {
            throw ActionError.unreachable(action.actionName)
        }
        core.count { $0.calls += 1 }
        return try await call(request, core.settings.callOptions)
    }

    /// The answer of before; nil where there is none, or none that can be read: that is then not what went wrong.
    private func keptAnswer<Answer: Message>(to key: AnswerKey, _ action: ActionType, isYoung: Bool) async -> Answer? {
        do {
            var kept = core.cache.answer(to: key)
            if kept == nil, action.cacheStrategy == .persistent {
                kept = try await core.settings.answers?.answer(to: key)
            }
            guard let kept else { return nil }
            let age = core.settings.clock.now.timeIntervalSince1970 - kept.time
            guard !isYoung || (0..<max(0, core.settings.answerLifetime.inSeconds)).contains(age) else { return nil }
            let answer = try Answer(serialized: kept.bytes)
            core.count { $0.answeredFromCache += 1 }
            return answer
        } catch {
            return nil
        }
    }

    /// Keeps an answer; that it cannot be is no reason for the action to fail.
    private func keep(_ bytes: [UInt8], to key: AnswerKey, _ action: ActionType) async {
        let answer = KeptAnswer(bytes: bytes, time: core.settings.clock.now.timeIntervalSince1970)
        core.cache.keep(answer, to: key)
        guard action.cacheStrategy == .persistent, let store = core.settings.answers else { return }
        do { try await store.keep(answer, to: key) } catch { core.count { $0.unkeptAnswers += 1 } }
    }
}

extension ServiceAction {
    /// Whether an answer could be needed again: what nobody may ever ask for is not kept, tokens least of all.
    fileprivate var keepsAnswers: Bool {
        cacheStrategy == .conditional || supportsOffline && cacheStrategy != .none
    }
}
