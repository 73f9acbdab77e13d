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

    private enum Result: Sendable {
        case healthy, late
        case failed(IdentityError)
    }

    /// Returns the failure; nil if a commit succeeded in time.
    ///
    /// A commit that hangs stays in the writer's bounded queue, and its result is ignored.
    func failure() async -> IdentityError? {
        await withTaskGroup(of: Result.self) { group in
            // A commit that hangs must not delay the response, so it runs in a task of its own.
            let (results, continuation) = AsyncStream.makeStream(of: Result.self)
            Task {
                continuation.yield(await commit())
                continuation.finish()
            }
            group.addTask {
                for await result in results { return result }
                return .late
            }
            group.addTask {
                do {
                    try await clock.sleep(for: timeout)
                } catch {
                    return .late  // The commit came first and cancelled the wait.
                }
                return .late
            }
            defer { group.cancelAll() }
            switch await group.next() {
            case .healthy: return nil
            case .failed(let error): return error
            case .late, nil: return .storeBusy
            }
        }
    }

    private func commit() async -> Result {
        do throws(IdentityError) {
            try await store.checkHealth(at: clock.now)
            return .healthy
        } catch {
            return .failed(error)
        }
    }
}
