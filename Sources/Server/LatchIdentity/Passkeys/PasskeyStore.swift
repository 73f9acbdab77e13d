// SPDX-License-Identifier: Apache-2.0

package import LatchWebAuthn
package import PortableFoundation

/// A challenge that a response has used up.
package struct SpentChallenge: Sendable, Hashable {
    package let digest: [UInt8]
    /// The time from which the challenge is not valid anyway.
    package let expiresAt: Date
}

/// A verified response of a passkey.
package struct PasskeyUse: Sendable, Hashable {
    package let id: [UInt8]
    package let assertion: VerifiedAssertion
    package let challenge: SpentChallenge
}

/// The ways to sign in that the configuration permits besides a password: others that an account has sign nobody in.
package struct SignInWays: Sendable, Hashable {
    /// The names of the configured providers.
    package let providers: [String]
    /// The domain of the passkeys; nil if the public URL permits none.
    package let relyingPartyID: String?

    /// Creates the ways.
    package init(providers: [String] = [], relyingPartyID: String? = nil) {
        (self.providers, self.relyingPartyID) = (providers, relyingPartyID)
    }
}

extension Dependencies {
    /// The ways to sign in that the configuration permits now.
    var signInWays: SignInWays {
        SignInWays(
            providers: upstreams.all.map(\.provider.name),
            relyingPartyID: RelyingParty(issuer: accessTokens.issuer, configuration)?.id)
    }
}

/// The effect of an accepted use of a passkey.
package enum PasskeyPurpose: Sendable {
    /// A new session.
    case session(Device)
    /// A recent authentication of the session on this device.
    case reauthentication(device: [UInt8])
}

/// The result of using a passkey.
package enum PasskeyUseResult: String, Sendable {
    case accepted
    /// The challenge was used before.
    case spent
    /// The counter has not grown: there may be a copy of the authenticator. It is recorded, and nothing else happens.
    case counterNotGrown
    /// The passkey, the account or the device is not what the response was verified with any more.
    case ended
}

/// The storage of passkeys.
package protocol PasskeyStore: Sendable {
    /// Returns a passkey; nil if there is none.
    func passkey(id: [UInt8]) async throws(IdentityError) -> Passkey?

    /// Returns the passkeys of an account, the oldest first.
    func passkeys(of accountID: String) async throws(IdentityError) -> [Passkey]

    /// Inserts a passkey, uses up the challenge of its registration, and mails the owner.
    ///
    /// - Parameter device: The signed-in device that registers it.
    /// - Throws: `IdentityError.passkeyChallengeExpired` if the challenge was used before, `.passkeyExists`,
    ///   `.tooManyPasskeys`, `.invalidToken` if the account has changed since it was read, or the device has been signed out.
    func insert(
        _ passkey: Passkey, for account: Account, on device: [UInt8], spending challenge: SpentChallenge
    ) async throws(IdentityError)

    /// Decides a use of a passkey and applies it: uses up the challenge, compares and stores the counter, and signs in or
    /// authenticates the device, all or nothing.
    func use(
        _ use: PasskeyUse, of account: Account, for purpose: PasskeyPurpose, at now: Date
    ) async throws(IdentityError) -> PasskeyUseResult

    /// Sets the name of a passkey and returns it; nil if the account has no such one.
    func rename(passkey id: [UInt8], of accountID: String, to name: String) async throws(IdentityError) -> Passkey?

    /// Removes a passkey, signs out the account's other devices, and mails its owner.
    ///
    /// - Parameters:
    ///   - device: The signed-in device that removes it, and stays signed in.
    ///   - ways: The ways to sign in that the configuration permits.
    /// - Throws: `IdentityError.noSuchPasskey`, `.lastSignIn` if the account has no password, no such link and no other
    ///   passkey that signs in, `.invalidToken` if it has changed since it was read, or the device has been signed out.
    func remove(
        passkey id: [UInt8], of account: Account, on device: [UInt8], among ways: SignInWays, at now: Date
    ) async throws(IdentityError)
}
