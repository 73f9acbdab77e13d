// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchIdentityStorage
import Synchronization

/// A check of the store, by default a committed write, which proves that tokens can be issued.
///
/// A check that only proves that the process runs stays green while every login hangs (dexidp/dex#5017).
final class HealthCheck: Sendable {
    /// The time from the beginning of a check for which its result is used.
    private let lifetime: Duration

    /// A check that is running or has ended.
    private struct Latest {
        let task: Task<IdentityError?, Never>
        let start: Duration
        var isRunning = true
    }

    /// A use of the store.
    typealias Probe = @Sendable () async throws(IdentityError) -> Void

    private let probe: Probe
    private let clock: WallClock
    /// The time limit: shorter than a load balancer waits, longer than any commit of a working store.
    private let timeout: Duration
    /// The known reason why the probe takes too long.
    private let outage: @Sendable () -> IdentityError?
    private let latest = Mutex<Latest?>(nil)

    /// Creates a check that commits a write.
    convenience init(store: IdentityStore, clock: WallClock) {
        self.init(clock: clock, outage: { store.outage }) { () throws(IdentityError) in
            try await store.checkHealth(at: clock.now)
        }
    }

    /// Creates a check of any use.
    init(
        clock: WallClock, timeout: Duration = .seconds(2), lifetime: Duration = .seconds(1),
        outage: @escaping @Sendable () -> IdentityError? = { nil }, probe: @escaping Probe
    ) {
        (self.outage, self.lifetime) = (outage, lifetime)
        self.probe = probe
        self.clock = clock
        self.timeout = timeout
    }

    /// Returns the failure; nil if the probe succeeded in time.
    ///
    /// Callers share a running check, and one that began less than its lifetime ago. So a flood of them does not fill
    /// the writer's queue or make it commit all the time.
    func failure() async -> IdentityError? {
        let now = clock.uptime
        let task = latest.withLock { latest in
            if let latest, latest.isRunning || now - latest.start < lifetime { return latest.task }
            let task = Task {
                let failure = await check()
                self.latest.withLock { $0?.isRunning = false }
                return failure
            }
            latest = Latest(task: task, start: now)
            return task
        }
        return await task.value
    }

    /// Runs the probe.
    ///
    /// A commit that hangs stays in the writer's bounded queue, and its result is ignored.
    private func check() async -> IdentityError? {
        await clock.result(within: timeout) { [probe] in
            do throws(IdentityError) {
                try await probe()
                return nil
            } catch { return error }
        } orLate: { [outage] in
            outage() ?? .storeBusy
        }
    }
}
