// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
import LatchCore
import Synchronization

/// What every task may read of a session without waiting for its actor.
struct SessionView<Value: SessionCredential>: Sendable {
    /// The credential that is current, fresh or not.
    var current: Value?
    /// The generation it belongs to.
    var generation = 0
    /// From when on a renewal is due, by the issuer's clock.
    var due = Date.distantFuture
    /// The issuer's clock minus ours, in seconds.
    var clockOffset = 0.0
    /// When the offset was last measured, by our clock.
    var offsetMeasured = Date.distantPast
}

/// A credential and the generation of the session that it belongs to.
///
/// What was begun for one person must not be repeated with the credential of the next one.
package struct Lease<Value: Sendable>: Sendable {
    /// What is sent with the request.
    package let credential: Value
    /// The one in which the credential was current; a repetition is allowed only within it.
    package let generation: Int
}

extension Session {
    /// The issuer's time, as far as its answers let us know it.
    nonisolated var issuerNow: Date {
        let now = clock.now
        return now.addingTimeInterval(view.withLock { $0.clockOffset })
    }

    /// The credential when it needs no renewal: the path of nearly every request, without the actor.
    nonisolated func freshLease() -> Lease<Value>? {
        let now = clock.now
        return view.withLock { view in
            guard let current = view.current, now.addingTimeInterval(view.clockOffset) < view.due else { return nil }
            return Lease(credential: current, generation: view.generation)
        }
    }

    /// Whether the issuer would refuse `value` for its age.
    nonisolated func isExpired(_ value: Value) -> Bool {
        guard let expiry = value.expiry else { return false }
        return expiry <= issuerNow
    }

    /// Corrects the clock by the `Date` of an answer of the issuer; where that makes the credential expired, or fresh
    /// again, the state follows.
    ///
    /// - Parameter sent: When the request was sent, by this session's clock.
    public nonisolated func observe(issuerDate: Date, ofRequestSentAt sent: Date) {
        let now = clock.now
        let offset = ClockOffset.seconds(to: issuerDate, sent: sent, received: now)
        let hasMoved = view.withLock { view in
            defer { view.clockOffset = offset }
            view.offsetMeasured = now
            return view.clockOffset != offset
        }
        guard hasMoved else { return }
        Task(executorPreference: executor) { await self.timeHasMoved() }
    }

    /// Whether another look at the issuer's clock is worth its cost.
    nonisolated var wantsIssuerDate: Bool {
        let now = clock.now
        return view.withLock { abs(now.timeIntervalSince($0.offsetMeasured)) > 60 }
    }

    /// From when on a renewal of `value` is due.
    func dueDate(of value: Value) -> Date {
        guard let expiry = value.expiry else { return .distantFuture }
        // To ask early for what nobody will give would only end the session early.
        guard value.isRenewable || !policy.needsRefreshToken else { return expiry }
        let life = expiry.timeIntervalSince(value.issued ?? handedOut ?? issuerNow)
        // A negative lead would make an expired credential look fresh, a negative jitter a fresh one due.
        let share = max(0, min(policy.greatestShare, 0.5))
        let lead = max(0, min(policy.lead.inSeconds, max(0, life) * share))
        let jitter = max(0, min(policy.jitter.inSeconds, lead / 2)) * random.unit()
        return expiry.addingTimeInterval(jitter - lead)
    }
}
