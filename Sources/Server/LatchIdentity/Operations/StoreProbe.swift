// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Finds out whether tokens can be issued, by a commit that really happens.
///
/// A health check that only says that the process runs stays green while every login hangs (dexidp/dex#5017).
struct StoreProbe: Sendable {
    let store: any IdentityStore
    let clock: WallClock
    /// Shorter than a balancer waits, longer than any commit of a store that works.
    var patience: Duration = .seconds(2)

    /// What is wrong; nil when a commit came through in time.
    ///
    /// A commit that hangs is left to itself: it stands in the writer's bounded line and reports to nobody.
    func finding() async -> IdentityError? {
        await withTaskGroup(of: Finding.self) { group in
            // A commit that hangs must not hold up the answer, so it runs on its own and only reports.
            let (outcomes, report) = AsyncStream.makeStream(of: Finding.self)
            Task {
                report.yield(await beat())
                report.finish()
            }
            group.addTask {
                for await outcome in outcomes { return outcome }
                return .late
            }
            group.addTask {
                do {
                    try await clock.sleep(for: patience)
                } catch {
                    return .late  // The commit came first and ended the wait.
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

    /// What came first: the commit, its failure, or the end of the patience.
    private enum Finding: Sendable {
        case healthy, late
        case failed(IdentityError)
    }

    /// One write, as an outcome instead of an error.
    private func beat() async -> Finding {
        do throws(IdentityError) {
            try await store.beat(at: clock.now)
            return .healthy
        } catch {
            return .failed(error)
        }
    }
}
