// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A health check that commits a write, and so proves that tokens can be issued.
///
/// A check that only proves that the process runs stays green while every login hangs (dexidp/dex#5017).
struct HealthCheck: Sendable {
    let store: any IdentityStore
    let clock: WallClock
    /// The time limit: shorter than a load balancer waits, longer than any commit of a working store.
    var timeout: Duration = .seconds(2)

    /// Returns the failure; nil if a commit succeeded in time.
    ///
    /// A commit that hangs stays in the writer's bounded queue, and its result is ignored.
    func failure() async -> IdentityError? {
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
