// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
package import LatchFoundation

/// A program or code that is told of events.
package struct EventListener: Sendable {
    package let name: String
    private let isTold: @Sendable (String) -> Bool

    /// Creates a listener.
    ///
    /// - Parameter isTold: A function that returns whether the listener is told of an event of this name.
    package init(_ name: String, isTold: @escaping @Sendable (String) -> Bool) {
        self.name = name
        self.isTold = isTold
    }

    /// Returns whether the listener is told of an event.
    ///
    /// A listener is not told that it, or another one, was not told: that would follow from itself forever.
    package func isTold(of event: String) -> Bool { event != EventDelivery.undelivered && isTold(event) }
}

/// An event that a listener has not accepted yet.
package struct EventDelivery: Sendable, Hashable {
    /// The audit log's entry about an event that a listener never got.
    package static let undelivered = "event.undelivered"

    package let listener: String
    /// The entry of the audit log.
    package let record: AuditRecord
    /// The time from which the event waits.
    package let addedAt: Date
    /// The end of the lease; nil for an event that another event of its account leads.
    package let leasedUntil: Date?
    /// The failed attempts.
    package let attempts: Int
    /// Those of them that the listener has answered with a refusal.
    package let refusals: Int
    /// Whether later events of the account wait.
    package let hasFollower: Bool
}

/// The result of an attempt to tell a listener of an event.
package enum EventOutcome: Sendable, Hashable {
    case accepted
    case failed(isRefusal: Bool, nextAttempt: Date)
    /// The event was not sent, so the attempt does not count.
    case unsent
    /// The event is given up.
    case abandoned
}

/// The receiver of the names of listeners for which a durable write has stored events.
struct EventReport: Sendable {
    let added: @Sendable (Set<String>) -> Void
}

/// The number of events that wait, and the time from which the oldest one waits.
package struct EventBacklog: Sendable, Hashable {
    package let count: Int
    package let oldest: Date?
}

extension AuditRecord {
    /// The identifier of the event for listeners, the same in every repetition and for every listener.
    ///
    /// IDs repeat in a store that was restored from a backup, so the time is a part of it.
    package var eventID: String {
        let text = "latch event \(id) \(at.storedMilliseconds) \(event)"
        return "evt_" + Hex.encode(Array(SHA256.hash(data: Array(text.utf8)).prefix(16)))
    }
}
