// SPDX-License-Identifier: Apache-2.0

/// What a session knows of the person at this moment.
public enum SessionState<Value: SessionCredential>: Sendable, Equatable {
    /// The store has not been read yet.
    case unknown
    /// The store is being read.
    case restoring
    /// Signed in, with a credential that is accepted.
    case signedIn(Value)
    /// Signed in, with a credential whose time is over; the next use renews it.
    case expired(Value)
    /// Nobody is signed in.
    case signedOut(SignedOutReason)
    /// The store cannot be read now. This is not a sign-out.
    case unavailable(AuthError)

    /// The credential, fresh or expired; nil in all other states.
    public var credential: Value? {
        switch self {
        case .signedIn(let value), .expired(let value): value
        case .unknown, .restoring, .signedOut, .unavailable: nil
        }
    }

    /// Whether somebody is signed in, be the credential fresh or expired.
    public var isSignedIn: Bool { credential != nil }
}

/// Why nobody is signed in.
public enum SignedOutReason: String, Sendable, Hashable, Codable {
    /// The store holds no account.
    case noAccount
    /// The person signed out, here or in another process.
    case person
    /// The issuer ended the session.
    case issuer
}
