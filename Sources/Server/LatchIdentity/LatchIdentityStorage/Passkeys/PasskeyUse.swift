// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation
package import LatchWebAuthn

/// A challenge that a response has used up.
package struct SpentChallenge: Sendable, Hashable {
    package let digest: [UInt8]
    /// The time from which the challenge is invalid anyway.
    package let expiresAt: Date

    package init(digest: [UInt8], expiresAt: Date) {
        self.digest = digest
        self.expiresAt = expiresAt
    }
}

/// A verified response of a passkey.
package struct PasskeyUse: Sendable, Hashable {
    package let id: [UInt8]
    package let assertion: VerifiedAssertion
    package let challenge: SpentChallenge

    package init(id: [UInt8], assertion: VerifiedAssertion, challenge: SpentChallenge) {
        self.id = id
        self.assertion = assertion
        self.challenge = challenge
    }
}

/// The ways to sign in that the configuration permits.
///
/// Others do not work, even if an account has them.
package struct SignInWays: Sendable, Hashable {
    /// Whether passwords work.
    package let hasPasswords: Bool
    /// Whether codes work that are mailed to a proved address.
    package let hasCodes: Bool
    /// The names of the configured providers.
    package let providers: [String]
    /// The domain of the passkeys; nil if the public URL does not permit them.
    package let relyingPartyID: String?

    /// Creates the methods.
    package init(
        providers: [String] = [], relyingPartyID: String? = nil, hasPasswords: Bool = true, hasCodes: Bool = false
    ) {
        (self.providers, self.relyingPartyID) = (providers, relyingPartyID)
        (self.hasPasswords, self.hasCodes) = (hasPasswords, hasCodes)
    }
}

/// The effect of an accepted use of a passkey.
package enum PasskeyPurpose: Sendable {
    case session(Device)
    /// A recent authentication of the session on this device.
    case reauthentication(device: [UInt8])
}

/// The result of using a passkey.
package enum PasskeyUseResult: String, Sendable {
    case accepted
    /// The challenge was used before.
    case spent
    /// The counter has not increased, so there may be a copy of the authenticator.
    ///
    /// This is only recorded.
    case counterNotGrown
    /// The passkey, the account or the device has changed since the response was verified.
    case ended
}
