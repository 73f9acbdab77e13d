// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import Synchronization

/// The work that a process must finish before it ends for any reason.
package final class ExitTasks: Sendable {
    private struct Work: Sendable {
        let finish: @Sendable (_ limit: Duration) async -> Bool
    }

    private let works = Mutex<[Work]>([])
    private let clock: WallClock

    /// Creates an empty list.
    package init(clock: WallClock = .system) { self.clock = clock }

    /// Adds work that gets a time limit and returns whether it finished.
    package func add(_ finish: @escaping @Sendable (_ limit: Duration) async -> Bool) {
        works.withLock { $0.append(Work(finish: finish)) }
    }

    /// Finishes all work concurrently.
    ///
    /// - Parameters:
    ///   - limit: The longest wait.
    ///   - patience: The time after which `onWait` is called to inform the user.
    /// - Returns: Whether all work was finished.
    package func finish(
        within limit: Duration, after patience: Duration = .seconds(1), onWait: @escaping @Sendable () -> Void
    ) async -> Bool {
        let works = works.withLock { $0 }
        guard !works.isEmpty else { return true }
        let notice = Task { [clock] in
            do { try await clock.sleep(for: patience) } catch { return }
            onWait()
        }
        defer { notice.cancel() }
        return await withTaskGroup(of: Bool.self) { group in
            for work in works { group.addTask { await work.finish(limit) } }
            var isFinished = true
            for await result in group { isFinished = isFinished && result }
            return isFinished
        }
    }
}
