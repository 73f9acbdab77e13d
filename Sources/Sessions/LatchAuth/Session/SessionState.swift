// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// The signed-in state of a session at one moment.
public enum SessionState<Value: SessionCredential>: Sendable, Equatable {
    /// The store has not been read yet.
    case unknown
    /// The store is being read.
    case restoring
    /// The user is signed in with a credential that is accepted.
    case signedIn(Value)
    /// The user is signed in with an expired credential, which the next use refreshes.
    case expired(Value)
    /// The session has no signed-in user.
    case signedOut(SignedOutReason)
    /// The store cannot be read now.
    ///
    /// This is not a sign-out.
    case unavailable(AuthError)

    /// The credential, fresh or expired; nil in all other states.
    public var credential: Value? {
        switch self {
        case .signedIn(let value), .expired(let value): value
        case .unknown, .restoring, .signedOut, .unavailable: nil
        }
    }

    /// Whether a user is signed in, with a fresh or an expired credential.
    public var isSignedIn: Bool { credential != nil }

    /// Whether the store has not been read successfully; only then may reading it change the state.
    package var isUnread: Bool {
        switch self {
        case .unknown, .restoring, .unavailable: true
        case .signedIn, .expired, .signedOut: false
        }
    }
}

extension SessionState: Hashable where Value: Hashable {}

/// The reason why no user is signed in.
public enum SignedOutReason: String, Sendable, Hashable, Codable {
    /// The store holds no account.
    case noAccount
    /// The user signed out, here or in another process.
    case user = "person"
    /// The issuer ended the session.
    case issuer
}

/// The part of a session that every task can read without waiting for its actor.
@usableFromInline
struct SessionView<Value: SessionCredential>: Sendable {
    /// The current credential, fresh or not.
    @usableFromInline var current: Value?
    /// The generation of the credential.
    @usableFromInline var generation = 0
    /// The date by the issuer's clock from which a refresh is due.
    @usableFromInline var due = Date.distantFuture
    /// The issuer's clock minus the local one, in seconds.
    @usableFromInline var clockOffset = 0.0
}

/// A credential and the generation of the session that it belongs to.
///
/// A request of one user must not be repeated with the credential of the next user.
@usableFromInline
package struct CredentialSnapshot<Value: Sendable>: Sendable {
    /// The credential that is sent with the request.
    @usableFromInline package let credential: Value
    /// The generation in which the credential was current; a repetition is allowed only within it.
    @usableFromInline package let generation: Int

    @inlinable
    init(credential: Value, generation: Int) {
        (self.credential, self.generation) = (credential, generation)
    }
}
