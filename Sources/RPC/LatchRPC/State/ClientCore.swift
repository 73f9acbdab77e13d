// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import Synchronization

/// The core of a service client: its state, running actions and cached responses.
///
/// A client creates one and exposes it as `core`; the extensions of `ServiceClient` do the rest.
public final class ClientCore<State: ServiceState>: Sendable {
    /// The data about running actions.
    struct Content {
        var log = UpdateLog<State>()
        var nextRun = 0
        /// The runs that the state shows as loading, with the number of their loading actions.
        var loading: [Int: Int] = [:]
        /// The runs that have already failed for their callers; their later results are ignored.
        var abandoned: Set<Int> = []
        /// The newest run that started before the last reset, for the previous user.
        var lastRunBeforeReset = 0
        var statistics = ClientStatistics()
        var lastActionTime: Duration = .zero
        var totalActionTime: Duration = .zero
    }

    /// The settings that the client was created with.
    public let settings: ClientSettings
    let store: StateStore<State>
    let cache: ResponseCache
    let content = Mutex(Content())

    /// Creates the core of a client with an initial state.
    public init(_ state: State, settings: ClientSettings = ClientSettings()) {
        self.settings = settings
        store = StateStore(state, depth: settings.bufferedStates)
        cache = ResponseCache(limit: settings.cachedResponseLimit)
    }

    /// Creates a run with a unique number.
    func newRun(isAtomic: Bool = false, attempt: ActionAttempt? = nil) -> ActionRun {
        content.withLock { content in
            content.nextRun += 1
            return ActionRun(id: content.nextRun, isAtomic: isAtomic, attempt: attempt)
        }
    }

    /// Whether an action that shows the loading state is running.
    var isLoading: Bool { content.withLock { !$0.loading.isEmpty } }

    func beginLoading(_ run: ActionRun) {
        content.withLock { content in
            guard !content.abandoned.contains(run.id), run.id > content.lastRunBeforeReset else { return }
            content.loading[run.id, default: 0] += 1
        }
    }

    func endLoading(_ run: ActionRun) {
        content.withLock { content in
            guard let count = content.loading[run.id] else { return }
            content.loading[run.id] = count > 1 ? count - 1 : nil
        }
    }

    /// Abandons a run: it no longer loads, and its results are ignored.
    func abandon(_ run: ActionRun) {
        content.withLock { content in
            content.abandoned.insert(run.id)
            content.loading[run.id] = nil
        }
    }

    /// Removes the record of an abandoned run once it has ended.
    func forget(_ run: ActionRun) { content.withLock { _ = $0.abandoned.remove(run.id) } }

    /// Whether the caller of a run has already received its error.
    func isTimedOut(_ run: ActionRun) -> Bool { content.withLock { $0.abandoned.contains(run.id) } }

    func isAbandoned(_ run: ActionRun) -> Bool {
        content.withLock { $0.abandoned.contains(run.id) || run.id <= $0.lastRunBeforeReset }
    }

    /// Abandons all runs, for a client whose user has signed out.
    func abandonAll() {
        content.withLock { content in
            content.lastRunBeforeReset = content.nextRun
            content.loading = [:]
        }
    }

    /// Whether a run started before the last reset, for the previous user; its response is not cached.
    func isBeforeReset(_ run: ActionRun) -> Bool { content.withLock { run.id <= $0.lastRunBeforeReset } }

    /// Updates the statistics.
    func count(_ change: (inout ClientStatistics) -> Void) { content.withLock { change(&$0.statistics) } }

    /// Records the duration of an action.
    func recordDuration(_ duration: Duration) {
        content.withLock { content in
            content.lastActionTime = duration
            content.totalActionTime += duration
        }
    }

    var statistics: ClientStatistics {
        var statistics = content.withLock { $0.statistics }
        statistics.publishedStates = store.publishedCount
        return statistics
    }

    var performance: ClientPerformance {
        var performance = ClientPerformance()
        content.withLock { content in
            performance.lastActionTime = content.lastActionTime
            let actions = content.statistics.succeeded + content.statistics.failed
            performance.averageActionTime = actions > 0 ? content.totalActionTime / actions : .zero
        }
        performance.stateStreamSubscribers = store.subscriberCount
        return performance
    }
}
