// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

extension ServiceClient {
    /// Performs actions in order, up to the first failure.
    public func process(sequence actions: [ActionType]) async throws {
        let holder = core.newRun()
        for action in actions {
            guard !core.isBeforeReset(holder) else { throw CancellationError() }
            try await process(action)
        }
    }

    /// Performs actions concurrently, and waits for all of them.
    ///
    /// - Throws: The failure of the first action in the list that failed.
    public func process(batch actions: [ActionType]) async throws {
        let holder = core.newRun()
        let failures = await withTaskGroup(of: (Int, (any Error)?).self) { group in
            for (index, action) in actions.enumerated() {
                group.addTask {
                    guard !self.core.isBeforeReset(holder) else { return (index, CancellationError()) }
                    do { try await self.process(action) } catch { return (index, error) }
                    return (index, nil)
                }
            }
            var failures: [Int: any Error] = [:]
            for await (index, failure) in group { failures[index] = failure }
            return failures
        }
        if let first = failures.min(by: { $0.key < $1.key }) { throw first.value }
    }

    /// Performs either all actions in order or none: after a failure, the earlier actions' changes to the state are
    /// undone.
    ///
    /// Changes by other actions in the meantime stay. The service does not take part: its changes are permanent.
    ///
    /// - Throws: The client's error for `incompleteSequence`, with the action's failure as its cause.
    public func processAtomically(_ actions: [ActionType]) async throws {
        let run = core.newRun(isAtomic: true)
        core.content.withLock { $0.log.open(run.id, at: core.store.current) }
        for (index, action) in actions.enumerated() {
            do {
                try await perform(action, in: run)
            } catch {
                if let state = core.content.withLock({ $0.log.undo(run.id) }) { publish(state) }
                guard !(error is CancellationError) else { throw error }
                throw StateType.Failure(.incompleteSequence(done: index, of: actions.count, cause: error))
            }
        }
        core.content.withLock { $0.log.commit(run.id) }
    }
}

/// The updates of a state since the start of a sequence that may be undone.
///
/// Updates are functions of a state. To undo one run, all other updates are applied again to the state at the start, in
/// order. Their changes remain, and everything derived from the run's changes disappears.
struct UpdateLog<State: Sendable>: Sendable {
    private struct Entry: Sendable {
        var run: Int?
        let update: @Sendable (inout State) -> Void
    }

    private var start: State?
    private var entries: [Entry] = []
    private var openRuns: Set<Int> = []

    /// Starts recording updates from the current state.
    mutating func open(_ run: Int, at state: State) {
        if openRuns.isEmpty { start = state }
        openRuns.insert(run)
    }

    /// Records an update while a run is open.
    mutating func record(_ update: @escaping @Sendable (inout State) -> Void, of run: Int) {
        guard !openRuns.isEmpty else { return }
        entries.append(Entry(run: openRuns.contains(run) ? run : nil, update: update))
    }

    /// Makes the updates of a run permanent.
    mutating func commit(_ run: Int) {
        openRuns.remove(run)
        guard openRuns.isEmpty else {
            for index in entries.indices where entries[index].run == run { entries[index].run = nil }
            return
        }
        (start, entries) = (nil, [])
    }

    /// Undoes the updates of a run.
    ///
    /// - Returns: The state without them; nil if there is nothing to undo.
    mutating func undo(_ run: Int) -> State? {
        guard openRuns.contains(run), let start else { return nil }
        var state = start
        entries.removeAll { $0.run == run }
        for entry in entries { entry.update(&state) }
        commit(run)
        return state
    }
}
