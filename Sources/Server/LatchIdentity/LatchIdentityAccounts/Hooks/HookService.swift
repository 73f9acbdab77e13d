// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage

/// The administration of hooks: what waits for them, tests, and replays.
package struct HookService: Sendable {
    /// A hook as administrators see it.
    package struct Summary: Sendable {
        package let name: String
        package let point: Hook.Point
        /// The URL without its query, which may have a secret; nil for code.
        package let url: String?
        package let fallback: Hook.Fallback
        /// The events that wait; nil for a hook that is not told of events.
        package let backlog: EventBacklog?
    }

    private let hooks: Hooks
    private let events: EventQueue
    private let store: IdentityStore
    private let clock: WallClock
    private let random: RandomSource

    package init(hooks: Hooks, events: EventQueue, store: IdentityStore, clock: WallClock, random: RandomSource) {
        self.hooks = hooks
        self.events = events
        self.store = store
        self.clock = clock
        self.random = random
    }

    /// Returns the hooks of the configuration, and the code that is told of events.
    package func list() async throws(IdentityError) -> [Summary] {
        var found: [Summary] = []
        for hook in hooks.all.map(\.hook) {
            let backlog = hook.point == .events ? try await store.eventBacklog(of: hook.name) : nil
            let url = hook.url.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1).first.map {
                String(Substring($0))
            }
            found.append(
                Summary(name: hook.name, point: hook.point, url: url, fallback: hook.fallback, backlog: backlog))
        }
        if events.listener(EventQueue.codeName) != nil {
            let backlog = try await store.eventBacklog(of: EventQueue.codeName)
            found.append(
                Summary(name: EventQueue.codeName, point: .events, url: nil, fallback: .refuse, backlog: backlog))
        }
        return found
    }

    /// Sends a message of the type `test` to a program.
    ///
    /// - Returns: The reason why the program has not accepted it; nil if it has.
    /// - Throws: `IdentityError.noSuchHook`.
    package func test(_ name: String) async throws(IdentityError) -> HookClient.Failure? {
        guard let client = hooks.all.first(where: { $0.hook.name == name }) else { throw .noSuchHook }
        do throws(HookClient.Failure) {
            try await client.tell("test", [:], id: "msg_\(random.identifier())", at: clock.now)
            return nil
        } catch {
            return error
        }
    }

    /// Tells a listener again what the audit log has, with the same identifiers, and returns the number of events.
    ///
    /// - Parameters:
    ///   - date: The time of the earliest event.
    ///   - pattern: A name of an event, or the beginning of several with `*` at its end; nil for all.
    ///   - actor: The administrator, for the audit log.
    /// - Throws: `IdentityError.noSuchHook`, `.invalidInput`, or a store's error.
    package func replay(
        to name: String, since date: Date, event pattern: String?, by actor: String
    ) async throws(IdentityError) -> Int {
        guard let listener = events.listener(name) else { throw .noSuchHook }
        var selected: EventPattern?
        if let pattern {
            guard let parsed = EventPattern(pattern) else {
                throw .invalid("event", "is not the name of an event, such as account.*")
            }
            selected = parsed
        }
        let last = try await store.lastAuditEntry()
        var (count, position): (Int, Int64?) = (0, 0)
        while let start = position {
            let part = try await store.replayEvents(
                to: listener, since: date, after: start, through: last, at: clock.now,
                where: { [selected] event in selected?.matches(event) ?? true })
            (count, position) = (count + part.count, part.position)
        }
        try await store.audit(
            "event.replayed", account: nil,
            detail: "\(count) to \(name) since \(date.formatted(.iso8601)) by \(actor)".sanitized(200), at: clock.now)
        return count
    }
}

extension HookService.Summary {
    /// The hook as administrators see it.
    package var administrationJSON: JSONValue {
        [
            "name": .string(name), "on": .string(point.rawValue), "url": .optional(url),
            "if_down": point == .events ? .null : .string(fallback.rawValue),
            "waiting": backlog.map { .integer(Int64($0.count)) } ?? .null, "oldest": .date(backlog?.oldest),
        ]
    }
}
