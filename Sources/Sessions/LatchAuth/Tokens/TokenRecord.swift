// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// What a store keeps of one account: the credential, and what several processes must know about it.
public struct TokenRecord<Value: Sendable>: Sendable {
    /// The credential; nil where the session has ended.
    public var credential: Value?

    /// Names the sign-in that the credential comes from, and stays the same through all renewals.
    ///
    /// By it a process tells "renewed elsewhere" from "somebody else signed in". Nil where the store does not keep it.
    public var signIn: String?

    /// The renewal of this credential that was begun and not finished.
    public var intent: RenewalIntent?

    /// Why there is no credential; nil while there is one.
    public var end: SignedOutReason?

    /// When a session was given the credential, by the issuer's clock, where the credential does not say so itself.
    ///
    /// Without it a program that starts late in a credential's life would take the rest for the whole.
    public var handedOut: Date?

    /// A record from its parts.
    public init(
        credential: Value?, signIn: String? = nil, intent: RenewalIntent? = nil, end: SignedOutReason? = nil,
        handedOut: Date? = nil
    ) {
        self.credential = credential
        self.signIn = signIn
        self.intent = intent
        self.end = end
        self.handedOut = handedOut
    }
}

extension TokenRecord: Codable where Value: Codable {}

/// A renewal that is about to be asked for, written down before it is.
///
/// A refresh token is used up by asking. Whoever finds the intent after a crash asks again under the same key, and an
/// issuer that knows the key gives the same successor again.
public struct RenewalIntent: Sendable, Codable, Hashable {
    /// What the renewal is sent with, each time.
    public let idempotencyKey: String
    /// When it was first begun, by this device's clock.
    public let begun: Date

    /// An intent from its parts.
    public init(idempotencyKey: String, begun: Date) {
        self.idempotencyKey = idempotencyKey
        self.begun = begun
    }
}
