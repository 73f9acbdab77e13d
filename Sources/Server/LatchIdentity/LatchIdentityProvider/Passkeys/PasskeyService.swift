// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE
import LatchWebAuthn

/// A service that registers and removes the passkeys of accounts.
package struct PasskeyService: Sendable {
    /// The name of the service that passkey dialogs show.
    package let serviceName: String
    /// The lifetime of a guest's sessions from the registration on.
    package let sessionLifetime: Duration
    package let store: IdentityStore
    package let clock: WallClock
    package let random: RandomSource
    package let pepper: SymmetricKey
    package let limits: RateLimits
    package let mails: MailQueue
    package let recentAuthentication: RecentAuthenticationRule
    package let permitted: PermittedSignIns
    /// Whether the first passkey of a guest makes a user without an address.
    package let admitsGuests: Bool

    package var challenges: PasskeyChallenges { PasskeyChallenges(pepper: pepper) }

    /// Returns `PublicKeyCredentialCreationOptionsJSON` (WebAuthn Level 3 §5.1.8) for a user who has authenticated
    /// recently.
    ///
    /// - Throws: `IdentityError.passkeysUnavailable`, `.forbidden` for another client's token, `.signInAgain`,
    ///   `.administrationNeedsFactor`, or a store's error.
    package func creationOptions(for session: AuthenticatedSession) async throws(IdentityError) -> JSONObject {
        let party = try permitted.relyingParty()
        try session.requireFirstParty()
        try requireUser(session)
        try recentAuthentication.require(session)
        try await store.requireOwnFactor(of: session.actor)
        let known = try await store.passkeys(of: session.accountID)
        guard known.count < Passkey.maximumCount else { throw .tooManyPasskeys }
        let challenge = challenges.issue(for: purpose(of: session), at: clock.now, random: random)
        let account = session.account
        return [
            "rp": ["id": .string(party.id), "name": .string(serviceName)],
            "user": [
                "id": .base64URL(Passkey.userHandle(of: account.id)), "name": .string(account.label),
                "displayName": .string(account.name ?? account.label),
            ],
            "challenge": .base64URL(challenge),
            "pubKeyCredParams": .array(
                COSEKey.Algorithm.allCases.map { ["type": "public-key", "alg": .integer($0.rawValue)] }),
            "timeout": Self.timeout, "excludeCredentials": .array(known.map(\.descriptor)),
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            ],
            "attestation": "none", "extensions": ["credProps": true],
        ]
    }

    /// Registers a passkey by the client's response.
    ///
    /// Its challenge proves that this device has authenticated recently: it was issued only to this device, for five
    /// minutes.
    ///
    /// - Parameter name: The name for the list; nil for the browser and the system of the device.
    /// - Throws: `IdentityError.invalidPasskey`, `.passkeyChallengeExpired`, `.passkeyExists`, `.tooManyPasskeys`,
    ///   `.tooManyAttempts`, `.forbidden`, `.administrationNeedsFactor`, `.passkeysUnavailable`; `.invalidInput` for an invalid name; `.invalidToken`
    ///   if the account has changed in the meantime; or a store's error.
    package func register(
        _ credential: JSONObject, name: String?, for session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) -> Passkey {
        let party = try permitted.relyingParty()
        try session.requireFirstParty()
        try requireUser(session)
        try await store.requireOwnFactor(of: session.actor)
        let name = try Self.validated(name)
        let now = clock.now
        let registered: RegisteredCredential
        let verdict: PasskeyChallenges.Verdict
        do throws(WebAuthnError) {
            let response = try RegistrationResponse(credential)
            let stated = response.clientData.challenge
            verdict = challenges.check(stated, for: purpose(of: session), at: now)
            guard verdict != .foreign else { throw .wrongChallenge }
            registered = try party.verify(response, challenge: stated)
        } catch {
            try await store.audit(
                "passkey.refused", account: session.accountID,
                detail: "\(error.rawValue) from \(origin.address)".sanitized(200), at: now)
            throw .invalidPasskeyRegistration
        }
        guard case .valid(let challenge) = verdict else { throw .passkeyChallengeExpired }
        // Requests count from here on: a token without a recent authentication gets no challenge, so it uses up no
        // attempt.
        try limits.take(limits.passkeyRegistration(of: session.account))
        let passkey = Passkey(
            id: registered.id, accountID: session.accountID, relyingPartyID: party.id,
            publicKey: registered.publicKey, counter: registered.counter,
            isBackupEligible: registered.isBackupEligible, isBackedUp: registered.isBackedUp,
            aaguid: registered.aaguid,
            transports: registered.transports.joined(separator: " "),
            name: name ?? Self.name(of: session.device), createdAt: now)
        try await store.insert(
            passkey, for: session.account, on: session.device.id, spending: challenge,
            endingGuestSessionsBy: now.addingTimeInterval(sessionLifetime.inSeconds), causedBy: origin.mailCause)
        mails.wake()
        return passkey
    }

    /// Refuses a guest who would get past the rules of sign-ups.
    ///
    /// - Throws: `IdentityError.addressRequired`.
    private func requireUser(_ session: AuthenticatedSession) throws(IdentityError) {
        guard admitsGuests || !session.account.isGuest else { throw .addressRequired }
    }

    /// Returns the passkeys of the session's account, the oldest first.
    package func passkeys(of session: AuthenticatedSession) async throws(IdentityError) -> [Passkey] {
        try session.requireFirstParty()
        return try await store.passkeys(of: session.accountID)
    }

    /// Sets the name of a passkey.
    ///
    /// - Throws: `IdentityError.noSuchPasskey`, `.invalidInput`, `.forbidden`, or a store's error.
    package func rename(
        _ id: String, to name: String, for session: AuthenticatedSession
    ) async throws(IdentityError) -> Passkey {
        try session.requireFirstParty()
        guard let name = try Self.validated(name) else { throw .invalid("name", "is empty") }
        guard let bytes = Passkey.id(fromPublicID: id),
            let renamed = try await store.rename(passkey: bytes, of: session.accountID, to: name)
        else { throw .noSuchPasskey }
        return renamed
    }

    /// Removes a passkey for a user who has authenticated recently, and signs out the other devices.
    ///
    /// One of them may be an attacker's that has signed in with the passkey.
    ///
    /// - Throws: `IdentityError.noSuchPasskey`, `.lastSignIn`, `.signInAgain`, `.administrationNeedsFactor`,
    ///   `.forbidden`, or a store's error.
    package func remove(
        _ id: String, for session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try session.requireFirstParty()
        try recentAuthentication.require(session)
        try await store.requireOwnFactor(of: session.actor)
        guard let bytes = Passkey.id(fromPublicID: id) else { throw .noSuchPasskey }
        try await store.remove(
            passkey: bytes, of: session.account, on: session.device.id,
            among: permitted.ways, causedBy: origin.mailCause, at: clock.now)
        mails.wake()
    }

    /// The timeout of a ceremony in milliseconds.
    package static let timeout = JSONValue.integer(Int64(PasskeyChallenges.lifetime * 1000))

    private func purpose(of session: AuthenticatedSession) -> PasskeyChallenges.Purpose {
        .registration(accountID: session.accountID, device: session.device.id)
    }

    /// Returns the trimmed name; nil if it is empty.
    private static func validated(_ name: String?) throws(IdentityError) -> String? {
        guard (name ?? "").unicodeScalars.count <= 100 else {
            throw .invalid("name", "is longer than 100 characters")
        }
        guard let name = try AccountService.validated(name: name) else { return nil }
        // The owner recognizes by the name which passkey to remove.
        guard name.isVisible else { throw .invalid("name", "contains invisible characters") }
        return name
    }

    /// Returns a name for a passkey that a device has registered.
    private static func name(of device: Device) -> String {
        let description = UserAgentDescription(of: device)
        let parts = [description.browser, description.system].filter { !$0.isEmpty }
        return parts.isEmpty ? "Passkey" : parts.joined(separator: ", ")
    }
}

extension JSONValue {
    /// Returns bytes in the format of the options.
    static func base64URL(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
