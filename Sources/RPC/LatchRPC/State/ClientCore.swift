// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import Synchronization

/// What stands behind the client of a service: its state, what was done to it, and the answers that it keeps.
///
/// A client makes one and hands it out by `core`; everything else happens in the extensions of `ServiceClient`.
public final class ClientCore<State: ServiceState>: Sendable {
    /// What actions change beside the state.
    struct Content {
        var log = UpdateLog<State>()
        var nextRun = 0
        /// The runs that the state says are loading, each with how many of its actions do.
        var loading: [Int: Int] = [:]
        /// Runs whose caller was told that they have failed: whatever they still do is not seen.
        var abandoned: Set<Int> = []
        var statistics = ClientStatistics()
        var lastActionTime: Duration = .zero
        var totalActionTime: Duration = .zero
    }

    /// What the client takes from the world.
    public let settings: ClientSettings
    let store: StateStore<State>
    let cache: AnswerCache
    let content = Mutex(Content())

    /// The core of a client whose state is `state`.
    public init(_ state: State, settings: ClientSettings = ClientSettings()) {
        self.settings = settings
        store = StateStore(state, depth: settings.bufferedStates)
        cache = AnswerCache(limit: settings.answerLimit)
    }

    /// A run that no other has the number of.
    func newRun(isAtomic: Bool = false, attempt: ActionAttempt? = nil) -> ActionRun {
        content.withLock { content in
            content.nextRun += 1
            return ActionRun(id: content.nextRun, isAtomic: isAtomic, attempt: attempt)
        }
    }

    /// Whether anything that shows it is under way.
    var isLoading: Bool { content.withLock { !$0.loading.isEmpty } }

    func beginLoading(_ run: ActionRun) {
        content.withLock { content in
            guard !content.abandoned.contains(run.id) else { return }
            content.loading[run.id, default: 0] += 1
        }
    }

    func endLoading(_ run: ActionRun) {
        content.withLock { content in
            guard let count = content.loading[run.id] else { return }
            content.loading[run.id] = count > 1 ? count - 1 : nil
        }
    }

    /// Gives a run up: it no longer loads, and changes nothing any more.
    func abandon(_ run: ActionRun) {
        content.withLock { content in
            content.abandoned.insert(run.id)
            content.loading[run.id] = nil
        }
    }

    /// Forgets that a run was given up, once it has ended.
    func forget(_ run: ActionRun) { content.withLock { _ = $0.abandoned.remove(run.id) } }

    func isAbandoned(_ run: ActionRun) -> Bool { content.withLock { $0.abandoned.contains(run.id) } }

    /// Counts something that happened.
    func count(_ change: (inout ClientStatistics) -> Void) { content.withLock { change(&$0.statistics) } }

    /// Notes how long an action took.
    func noteDuration(_ duration: Duration) {
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
