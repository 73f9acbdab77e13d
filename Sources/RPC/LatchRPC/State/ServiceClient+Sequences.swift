// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

extension ServiceClient {
    /// Does actions one after another, up to the first that fails.
    public func process(sequence actions: [ActionType]) async throws {
        for action in actions { try await process(action) }
    }

    /// Does actions at once, and waits for all of them.
    ///
    /// - Throws: The failure of the first in the list that failed.
    public func process(batch actions: [ActionType]) async throws {
        let failures = await withTaskGroup(of: (Int, (any Error)?).self) { group in
            for (index, action) in actions.enumerated() {
                group.addTask {
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

    /// Does actions one after another, all of them or none: where one fails, what those before it have changed in the
    /// state is taken back.
    ///
    /// What other actions have changed meanwhile stays. The service is not told: what it has done is done.
    ///
    /// - Throws: The failure `incompleteSequence` in the client's words, with that of the action as its cause.
    public func processAtomically(_ actions: [ActionType]) async throws {
        let run = core.newRun(isAtomic: true)
        core.content.withLock { $0.log.open(run.id, at: core.store.current) }
        for (index, action) in actions.enumerated() {
            do {
                try await perform(action, in: run)
            } catch {
                if let state = core.content.withLock({ $0.log.takeBack(run.id) }) { publish(state) }
                guard !(error is CancellationError) else { throw error }
                throw StateType.Failure(.incompleteSequence(done: index, of: actions.count, cause: error))
            }
        }
        core.content.withLock { $0.log.keep(run.id) }
    }
}
