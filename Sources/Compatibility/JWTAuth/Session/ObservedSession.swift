// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import Observation
import Synchronization

/// The state of a session as views and tests read it, and are told of.
final class ObservedSession: Observable, Sendable {
    private let registrar = ObservationRegistrar()
    private let session: Session<AuthTokens>
    /// What is seen before the store has been read.
    private let initial: AuthSession?
    private let watch = Mutex<Task<Void, Never>?>(nil)

    init(_ session: Session<AuthTokens>, initially initial: AuthSession?) {
        self.session = session
        self.initial = initial
        let changes = changes
        // Detached, as the next one: a task's local values may hold this very session.
        let task = Task.detached { [weak self] in
            // The first element is the present state, which is no change.
            for await _ in changes.dropFirst() { self?.notify() }
        }
        watch.withLock { $0 = task }
    }

    deinit { watch.withLock { $0 }?.cancel() }

    /// The state at this moment; who reads it under observation is told of the next change.
    var value: AuthSession? {
        registrar.access(self, keyPath: \.value)
        return AuthSession(session.currentState) ?? initial
    }

    /// The state from now on: first the present one, then each change once.
    var changes: AsyncStream<AuthSession?> {
        let states = session.states
        let initial = initial
        let (stream, continuation) = AsyncStream.makeStream(of: AuthSession?.self)
        let task = Task.detached {
            var last: AuthSession??
            for await state in states {
                let next = AuthSession(state) ?? initial
                guard last != .some(next) else { continue }
                last = .some(next)
                continuation.yield(next)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func notify() { registrar.withMutation(of: self, keyPath: \.value) {} }
}
