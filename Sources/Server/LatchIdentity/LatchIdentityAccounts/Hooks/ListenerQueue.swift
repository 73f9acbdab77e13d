// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
import LatchHTTP
package import LatchIdentityStorage

/// The worker that tells one listener what has happened.
///
/// An event leaves the store only after its listener has accepted it. Servers share the events, and each takes the
/// oldest of an account with a lease. A crash in between tells it again, with the same identifier.
package final class ListenerQueue: DueWork {
    /// Events that a worker has taken: the oldest of each account.
    package struct Batch: Sendable {
        let events: [EventDelivery]
        let takenAt: Date
        let leaseEnd: Date
    }

    /// The events that a worker takes at once, each of another account.
    private static let size = 32
    /// The lease of a worker, longer than the attempts that it makes within it.
    private static let lease: TimeInterval = 30
    /// The time for which a worker continues with later events of its accounts.
    private static let patience: TimeInterval = 5
    /// The pause after the first failed attempt, in seconds, which doubles with each further one.
    private static let firstPause: TimeInterval = 5
    /// The longest pause between two attempts, unless the listener asks for a longer one.
    private static let longestPause: TimeInterval = 300
    /// The longest pause that a listener can ask for.
    private static let longestRetryAfter: TimeInterval = 3600
    /// The refusals after which an event is given up, and the time that must have passed.
    ///
    /// A proxy or a deployment can refuse everything for minutes.
    package static let maximumRefusals = 5
    private static let refusalPatience: TimeInterval = 3600
    /// The age at which an event without an answer is given up.
    package static let maximumAge: TimeInterval = 3 * 86_400

    package let listener: EventListener
    private let receiver: EventReceiver
    private let store: IdentityStore
    package let clock: WallClock
    private let random: RandomSource
    package let workers = DueWorkers(atMost: 4)

    init(
        _ listener: EventListener, _ receiver: EventReceiver, store: IdentityStore, clock: WallClock,
        random: RandomSource
    ) {
        self.listener = listener
        self.receiver = receiver
        self.store = store
        self.clock = clock
        self.random = random
    }

    /// Takes events; nil if none is due, if the listener is not asked for a while, or if the store fails.
    package func take() async -> Batch? {
        let now = clock.now
        // Events of an unreachable listener wait without an attempt. One event tries whether it is back.
        guard let client = receiver.client else { return await take(Self.size, at: now) }
        return client.isPaused(at: now) ? nil : await take(client.isFailing ? 1 : Self.size, at: now)
    }

    private func take(_ count: Int, at now: Date) async -> Batch? {
        let end = Date(storedMilliseconds: now.addingTimeInterval(Self.lease).storedMilliseconds)
        do throws(IdentityError) {
            let events = try await store.claimEvents(of: listener.name, at: now, until: end, atMost: count)
            return events.isEmpty ? nil : Batch(events: events, takenAt: now, leaseEnd: end)
        } catch {
            // The store has counted its failure.
            return nil
        }
    }

    /// Tells the events; after a failure of the store they are told again when the lease ends.
    package func process(_ batch: Batch) async {
        let outcomes = await withTaskGroup(of: [(event: EventDelivery, outcome: EventOutcome)].self) { group in
            for event in batch.events { group.addTask { await self.tell(from: event, in: batch) } }
            var outcomes: [(event: EventDelivery, outcome: EventOutcome)] = []
            for await part in group { outcomes += part }
            return outcomes
        }
        do throws(IdentityError) {
            try await store.settle(outcomes, leasedUntil: batch.leaseEnd, at: clock.now)
        } catch {
            // The store has counted its failure.
        }
    }

    /// Tells an event, and then those of the account that follow it, until one fails or others have waited enough.
    private func tell(
        from first: EventDelivery, in batch: Batch
    ) async -> [(event: EventDelivery, outcome: EventOutcome)] {
        var outcomes: [(event: EventDelivery, outcome: EventOutcome)] = []
        var waiting = [first]
        while !waiting.isEmpty {
            let event = waiting.removeFirst()
            let outcome = await outcome(of: event)
            outcomes.append((event, outcome))
            guard outcome == .accepted, event.hasFollower, !workers.isClosed,
                (0..<Self.patience).contains(clock.now.timeIntervalSince(batch.takenAt))
            else { break }
            guard waiting.isEmpty else { continue }
            do throws(IdentityError) {
                waiting = try await store.events(after: event, at: clock.now, atMost: Self.size)
            } catch {
                // The store has counted its failure, and the later events are told after these.
            }
        }
        return outcomes
    }

    /// Makes one attempt.
    private func outcome(of delivery: EventDelivery) async -> EventOutcome {
        let failure: HookClient.Failure
        do throws(HookClient.Failure) {
            try await receiver.tell(IdentityEvent(delivery.record))
            return .accepted
        } catch {
            failure = error
        }
        guard !failure.isUnsent else { return .unsent }
        let now = clock.now
        let isRefusal = failure.isRefusal
        let age = now.timeIntervalSince(delivery.addedAt)
        let isHopeless =
            isRefusal && delivery.refusals + 1 >= Self.maximumRefusals && age >= Self.refusalPatience
        // An administrator learns of it before the first event is given up.
        store.failures.note(.hookFailed(listener.name, failure.description), in: "hook events")
        guard !isHopeless, age < Self.maximumAge else { return .abandoned }
        let pause = min(Self.firstPause * Double(1 << min(delivery.attempts, 10)), Self.longestPause)
        let asked = min(failure.retryAfter?.inSeconds ?? 0, Self.longestRetryAfter)
        return .failed(
            isRefusal: isRefusal,
            nextAttempt: now.addingTimeInterval(max(pause * (1 - random.unit() / 2), asked)))
    }
}

/// The receiver of events: a program of the operator, or code of the program that embeds the server.
enum EventReceiver: Sendable {
    case program(HookClient)
    case code(@Sendable (IdentityEvent) async throws -> Void)

    /// The client of the program; nil for code.
    var client: HookClient? {
        guard case .program(let client) = self else { return nil }
        return client
    }

    /// Tells an event.
    ///
    /// - Throws: `HookClient.Failure`, without a status for code.
    func tell(_ event: IdentityEvent) async throws(HookClient.Failure) {
        switch self {
        case .program(let client): try await client.tell(event.type, event.json, id: event.id, at: event.date)
        case .code(let body):
            do { try await body(event) } catch {
                throw HookClient.Failure(description: "its code has thrown an error")
            }
        }
    }
}

extension IdentityEvent {
    /// Creates the event of an entry of the audit log.
    package init(_ record: AuditRecord) {
        self.init(
            id: record.eventID, type: record.event, userID: record.accountID, date: record.at, detail: record.detail)
    }

    /// The member `data` of the message.
    var json: JSONObject {
        ["id": .string(id), "user_id": .optional(userID), "detail": .optional(detail)]
    }
}
