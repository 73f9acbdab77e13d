// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A health check that commits a write, and so proves that tokens can be issued.
///
/// A check that only proves that the process runs stays green while every login hangs (dexidp/dex#5017).
final class HealthCheck: Sendable {
    private let store: any IdentityStore
    private let clock: WallClock
    /// The time limit: shorter than a load balancer waits, longer than any commit of a working store.
    private let timeout: Duration
    private let running = Mutex<Task<IdentityError?, Never>?>(nil)

    init(store: any IdentityStore, clock: WallClock, timeout: Duration = .seconds(2)) {
        self.store = store
        self.clock = clock
        self.timeout = timeout
    }

    /// Returns the failure; nil if a commit succeeded in time.
    ///
    /// Callers at the same time share one check, so that a flood of them does not fill the writer's queue.
    func failure() async -> IdentityError? {
        let task = running.withLock { running in
            if let running { return running }
            let task = Task {
                let failure = await check()
                self.running.withLock { $0 = nil }
                return failure
            }
            running = task
            return task
        }
        return await task.value
    }

    /// Commits a write.
    ///
    /// A commit that hangs stays in the writer's bounded queue, and its result is ignored.
    private func check() async -> IdentityError? {
        // The first result counts. Both run in tasks of their own, so that neither delays the response.
        let (results, continuation) = AsyncStream.makeStream(of: IdentityError?.self)
        Task {
            do throws(IdentityError) {
                try await store.checkHealth(at: clock.now)
                continuation.yield(nil)
            } catch {
                continuation.yield(error)
            }
        }
        let timer = Task {
            try await clock.sleep(for: timeout)
            continuation.yield(.storeBusy)
        }
        defer { timer.cancel() }
        for await failure in results { return failure }
        return .storeBusy
    }
}
