// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The client of a service: does actions one after another or at once, and keeps the state that comes of them.
///
/// Generated clients conform; they give the core, and say which call an action is.
public protocol ServiceClient<StateType, ActionType>: Actor {
    /// What the client knows.
    associatedtype StateType: ServiceState
    /// What it can be asked to do.
    associatedtype ActionType: ServiceAction

    /// What stands behind the client: its state, its settings, and the answers that it keeps.
    nonisolated var core: ClientCore<StateType> { get }

    /// Does an action, as a part of a run.
    ///
    /// - Throws: The state's `Failure`, or `CancellationError` where the task was cancelled.
    func perform(_ action: ActionType, in run: ActionRun) async throws

    /// Called before each change of the state, on the actor; nothing can come between it and the change.
    ///
    /// What it changes itself would be overwritten: that is for `stateDidUpdate`.
    func stateWillUpdate(from old: StateType, to new: StateType)

    /// Called after each change of the state, on the actor.
    func stateDidUpdate(from old: StateType, to new: StateType)
}

extension ServiceClient {
    /// Does nothing.
    public func stateWillUpdate(from old: StateType, to new: StateType) {}

    /// Does nothing.
    public func stateDidUpdate(from old: StateType, to new: StateType) {}

    /// The current state, then each that differs from the one before, until the client is shut down or gone.
    ///
    /// Any number may read; who reads slowly misses states in between and never the newest.
    public nonisolated var stateStream: AsyncStream<StateType> { core.store.stream() }

    /// The current state.
    public func getCurrentState() -> StateType { core.store.current }

    /// Does an action: checks it, calls the service, and changes the state by the answer.
    ///
    /// The change is made to the state as it is when the answer is there, so that actions that run at once never lose
    /// each other's changes.
    ///
    /// - Throws: The state's `Failure`, which is the state's `error` from then on; `CancellationError` where the task
    ///   was cancelled, which is none.
    public func process(_ action: ActionType) async throws { try await perform(action, in: core.newRun()) }

    /// Makes an earlier state the current one.
    ///
    /// Actions that are under way change it when their answers are there.
    public func rollbackToState(_ state: StateType) { update(core.newRun()) { $0 = state } }

    /// Ends all streams; the state stays readable, and no action is done any more.
    public func shutDown() { core.store.finish() }

    /// Forgets the answers that were kept, in memory and in the store: for when an account signs out.
    ///
    /// - Throws: What the store throws.
    public func forgetAnswers() async throws {
        core.cache.removeAll()
        try await core.settings.answers?.removeAll()
    }

    /// What the client has done so far.
    public func getStatistics() -> ClientStatistics { core.statistics }

    /// How the client fares.
    public func getPerformanceMetrics() -> ClientPerformance { core.performance }
}

extension ServiceClient {
    /// Changes the state, and tells those who follow it where that makes a difference.
    ///
    /// From the reading of the state to its sending nothing is awaited: no other change comes between.
    func update(_ run: ActionRun, _ change: @escaping @Sendable (inout StateType) -> Void) {
        core.content.withLock { $0.log.note(change, of: run.id) }
        var state = core.store.current
        change(&state)
        publish(state)
    }

    /// Makes a state current, as far as it is for actions to say.
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
