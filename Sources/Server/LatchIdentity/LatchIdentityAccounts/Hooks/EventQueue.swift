// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchIdentityStorage

/// The events that programs and code are told of.
///
/// Each entry of the audit log is an event. The transaction that writes it also stores it for each listener.
package final class EventQueue: Sendable {
    /// The name of the code of a program that embeds the server.
    package static let codeName = "program"
    /// The interval between two checks, for the events of other servers and for further attempts.
    private static let pollInterval = Duration.seconds(5)
    /// The interval between two checks for too many waiting events.
    private static let trimInterval = Duration.seconds(60)
    /// The maximum number of events that wait for one listener.
    private static let maximumWaiting = 1_000_000

    private let queues: [ListenerQueue]
    private let store: IdentityStore
    private let clock: WallClock

    /// Creates a queue, which tells nothing before `run` or `flush`.
    ///
    /// - Throws: `IdentityError.invalidSetting` for a hook with the name of the code.
    package init(
        _ hooks: Hooks, code: IdentityHooks, store: IdentityStore, clock: WallClock, random: RandomSource
    ) throws(IdentityError) {
        var receivers: [EventReceiver] = hooks.listeners.map { .program($0) }
        if let event = code.event {
            guard !hooks.all.contains(where: { $0.hook.name == Self.codeName }) else {
                throw .invalidSetting(
                    "hooks", "another name than '\(Self.codeName)', which the code of this program has")
            }
            receivers.append(.code(event))
        }
        queues = receivers.map {
            ListenerQueue(Self.listener($0.client?.hook), $0, store: store, clock: clock, random: random)
        }
        (self.store, self.clock) = (store, clock)
    }

    /// Returns the listeners of a configuration, whose events later writes store.
    package static func listeners(
        _ configuration: IdentityConfiguration, code: IdentityHooks
    ) -> [EventListener] {
        configuration.hooks.filter { $0.point == .events }.map(listener) + (code.event == nil ? [] : [listener(nil)])
    }

    /// Returns a hook as listener; nil is the code, which is told of everything.
    private static func listener(_ hook: Hook?) -> EventListener {
        guard let hook else { return EventListener(codeName) { _ in true } }
        return EventListener(hook.name) { hook.tells($0) }
    }

    /// The listeners, in the order of the configuration.
    package var listeners: [EventListener] { queues.map(\.listener) }

    /// Returns the listener with a name; nil if there is none.
    package func listener(_ name: String) -> EventListener? { listeners.first { $0.name == name } }

    /// Tells the events that are due, regularly, until the task is canceled.
    ///
    /// It first removes the events for listeners that the configuration no longer has.
    package func run() async {
        store.onEvents { [weak self] names in self?.wake(names) }
        await removeOthers()
        guard !queues.isEmpty else { return }
        await withTaskGroup(of: Void.self) { group in
            for queue in queues { group.addTask { await queue.run(every: Self.pollInterval) } }
            group.addTask { await self.trim() }
        }
    }

    /// Tells the events of some listeners in the background.
    private func wake(_ names: Set<String>) {
        for queue in queues where names.contains(queue.listener.name) { queue.wake() }
    }

    /// Returns when every due event has been told or postponed, for tests.
    package func flush() async {
        for queue in queues { await queue.flush() }
    }

    /// Lets another queue, with the listeners of a later configuration, begin all further attempts.
    package func stop() {
        for queue in queues { queue.workers.stop() }
    }

    /// Returns when the attempts in progress have ended; no further ones begin.
    package func close() async {
        for queue in queues { await queue.workers.close() }
    }

    /// Removes the events for listeners that no longer exist.
    package func removeOthers() async {
        do throws(IdentityError) {
            try await store.removeEvents(ofAllBut: Set(queues.map(\.listener.name)), at: clock.now)
        } catch {
            // The store has counted its failure. The next start removes them.
        }
    }

    /// Gives up the oldest events of listeners with too many, regularly.
    private func trim() async {
        while !Task.isCancelled {
            for queue in queues {
                do throws(IdentityError) {
                    try await store.abandonOldest(
                        of: queue.listener.name, keeping: Self.maximumWaiting, because: "too many wait", at: clock.now)
                } catch {
                    // The store has counted its failure, and the next round tries again.
                }
            }
            do { try await clock.sleep(for: Self.trimInterval) } catch { return }
        }
    }
}
