// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// One request of a caller's through all its attempts: what its interceptors must remember between them.
///
/// `adapt` and `retry` only get a request, and a request does not say with which credential it was made. It travels with
/// the task.
final class Exchange: Sendable {
    /// The exchange that the current task is part of.
    @TaskLocal static var current: Exchange?

    /// What one authenticator knows.
    private struct Participation {
        /// With what the last attempt was authorised: a `Lease`.
        var lease: any Sendable
        /// The session's generation at the first attempt; another person's credential is never used for this request.
        var generation: Int
        /// Whether a refusal of an older credential than the present one has been answered by a repeat.
        var wasLate = false
        var hasRenewed = false
    }

    /// Where the configuration sends the request: a credential goes nowhere else.
    let origin: HTTPOrigin
    /// Whether plain http is allowed to any host.
    let allowsInsecureHTTP: Bool

    private let participations = Mutex<[ObjectIdentifier: Participation]>([:])
    private let addedSteps = Mutex<[any WireStep]>([])

    init(origin: HTTPOrigin, allowsInsecureHTTP: Bool) {
        self.origin = origin
        self.allowsInsecureHTTP = allowsInsecureHTTP
    }

    /// Notes with which credential the attempt is authorised.
    ///
    /// - Throws: `AuthError.superseded` where an earlier attempt was made for another sign-in.
    func begin<Value>(_ id: ObjectIdentifier, with lease: Lease<Value>) throws(AuthError) {
        let isAllowed = participations.withLock { all in
            guard all[id] == nil || all[id]?.generation == lease.generation else { return false }
            all[id, default: Participation(lease: lease, generation: lease.generation)].lease = lease
            return true
        }
        guard isAllowed else { throw .superseded }
    }

    /// The credential of the last attempt, where it may be replaced: an exchange renews once, and is repeated once more
    /// where its credential was replaced while it was on its way.
    ///
    /// - Parameter isCurrent: Whether a credential is still the present one.
    func takeRefused<Value>(
        _ id: ObjectIdentifier, isCurrent: (Lease<Value>) -> Bool
    ) -> Lease<Value>? {
        participations.withLock { all in
            guard let participation = all[id], let lease = participation.lease as? Lease<Value> else { return nil }
            if isCurrent(lease) || participation.wasLate {
                guard !participation.hasRenewed else { return nil }
                all[id]?.hasRenewed = true
            } else {
                all[id]?.wasLate = true
            }
            return lease
        }
    }

    /// Adds a step to the attempt that is being made.
    func add(_ step: any WireStep) { addedSteps.withLock { $0.append(step) } }

    /// The steps of the attempt, which the next one does not inherit.
    func takeSteps() -> [any WireStep] {
        addedSteps.withLock { steps in
            defer { steps = [] }
            return steps
        }
    }
}
