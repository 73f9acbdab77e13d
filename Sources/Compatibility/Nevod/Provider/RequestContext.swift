// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// The state of one request that its interceptors keep between attempts.
///
/// `adapt` and `retry` receive only a request, which does not identify its credential. So the state is bound to the
/// task.
final class RequestContext: Sendable {
    /// The request to which the current task belongs.
    @TaskLocal static var current: RequestContext?

    /// The state of one authenticator.
    private struct Authentication {
        /// The credential of the last attempt: a `CredentialSnapshot`.
        var snapshot: any Sendable
        /// The session's generation at the first attempt; the request never uses the credential of another sign-in.
        var generation: Int
        /// Returns whether a redirect has led the last attempt to another origin.
        var leadsElsewhere: @Sendable () -> Bool
        /// Whether the request was repeated because its credential had been replaced in the meantime.
        var hasRepeatedWithCurrent = false
        var hasRefreshed = false
    }

    /// The configured origin; only this origin receives the credential.
    let origin: HTTPOrigin
    /// Whether the credential may be sent over plain http to any host.
    let allowsInsecureHTTP: Bool
    /// The idempotency key of a POST that is part of a refresh; nil for all others.
    let idempotencyKey: String?

    private let authentications = Mutex<[ObjectIdentifier: Authentication]>([:])
    private let addedSteps = Mutex<[any RequestModifier]>([])

    init(origin: HTTPOrigin, allowsInsecureHTTP: Bool, idempotencyKey: String?) {
        self.origin = origin
        self.allowsInsecureHTTP = allowsInsecureHTTP
        self.idempotencyKey = idempotencyKey
    }

    /// Records the credential of an attempt.
    ///
    /// - Parameter leadsElsewhere: Returns whether a redirect has led the attempt to another origin.
    /// - Throws: `AuthError.superseded` if an earlier attempt was made for another sign-in.
    func record<Value>(
        _ id: ObjectIdentifier, with snapshot: CredentialSnapshot<Value>,
        leadsElsewhere: @escaping @Sendable () -> Bool
    ) throws(AuthError) {
        let isAllowed = authentications.withLock { all in
            guard all[id] == nil || all[id]?.generation == snapshot.generation else { return false }
            let first = Authentication(
                snapshot: snapshot, generation: snapshot.generation, leadsElsewhere: leadsElsewhere)
            all[id, default: first].snapshot = snapshot
            all[id]?.leadsElsewhere = leadsElsewhere
            return true
        }
        guard isAllowed else { throw .superseded }
    }

    /// Whether a redirect has led the last attempt to another origin, so that its response does not concern the
    /// credential.
    func leadsElsewhere(_ id: ObjectIdentifier) -> Bool {
        authentications.withLock { $0[id]?.leadsElsewhere }?() ?? false
    }

    /// Returns the rejected credential of the last attempt, if the request may be repeated.
    ///
    /// It is repeated once with a refreshed credential, and once with the current one if its credential was replaced
    /// in the meantime.
    ///
    /// - Parameter isCurrent: Returns whether a credential is still the current one.
    func takeRejected<Value>(
        _ id: ObjectIdentifier, isCurrent: (CredentialSnapshot<Value>) -> Bool
    ) -> CredentialSnapshot<Value>? {
        authentications.withLock { all in
            guard let authentication = all[id], let snapshot = authentication.snapshot as? CredentialSnapshot<Value>
            else {
                return nil
            }
            if isCurrent(snapshot) || authentication.hasRepeatedWithCurrent {
                guard !authentication.hasRefreshed else { return nil }
                all[id]?.hasRefreshed = true
            } else {
                all[id]?.hasRepeatedWithCurrent = true
            }
            return snapshot
        }
    }

    /// Adds a step to the current attempt.
    func add(_ step: any RequestModifier) { addedSteps.withLock { $0.append(step) } }

    /// Removes and returns the steps of the current attempt.
    func takeSteps() -> [any RequestModifier] {
        addedSteps.withLock { steps in
            defer { steps = [] }
            return steps
        }
    }
}
