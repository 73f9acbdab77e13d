// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage

/// A service that begins guests: accounts with nothing to sign in with, which end with their sessions (decision 0136).
package struct GuestService: Sendable {
    package let configuration: IdentityConfiguration
    package let store: IdentityStore
    package let clock: WallClock
    package let random: RandomSource
    package let admission: SignInAdmission
    package let tokens: TokenService
    /// The key from which repeated requests get the same device.
    private let key: SymmetricKey

    package init(
        configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, random: RandomSource,
        pepper: SymmetricKey, admission: SignInAdmission, tokens: TokenService
    ) {
        self.configuration = configuration
        self.store = store
        self.clock = clock
        self.random = random
        self.admission = admission
        self.tokens = tokens
        key = pepper.derived(for: "latch guest")
    }

    /// The lifetime of a guest's session in seconds, which ends earlier when it is not used.
    ///
    /// A guest cannot sign in again, so the session lasts as long as its use. It gets the lifetime of other sessions
    /// when the guest becomes a user.
    static let sessionLifetime: TimeInterval = 5 * 365 * 86_400
    /// The shortest Idempotency-Key in bytes, since it identifies the guest like a token while it can be repeated.
    private static let shortestKey = 20

    /// Creates the account of a guest, and signs its device in.
    ///
    /// - Parameter idempotencyKey: The key of the request; a repetition before the first refresh gets the same guest.
    /// - Throws: `IdentityError.guestsClosed`; `.invalidInput` for a short key, and for one that was used before;
    ///   `.doubtfulDate`, `.hookUnavailable`, or a store's error.
    package func signIn(
        idempotencyKey: String?, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        guard configuration.guests else { throw .guestsClosed }
        let deviceID = try deviceID(for: idempotencyKey)
        if let deviceID, let issued = try await repetition(on: deviceID) { return issued }
        let now = clock.now
        let account = Account(
            id: random.newID(at: now), email: nil, passwordChangedAt: now, createdAt: now,
            guestUntil: now.addingTimeInterval(configuration.guestLifetime.inSeconds))
        let proof = SignInProof(account: account, grantType: .guest, authenticatedAt: now, by: nil)
        let admitted = try await admission.admit(proof, code: nil, from: origin)
        let plan = try await tokens.plan(for: account, grant: .guest)
        do throws(IdentityError) {
            return try await tokens.startSession(
                admitted, plan, from: origin, lasting: Self.sessionLifetime, as: deviceID
            ) { device, account throws(IdentityError) in
                try await store.insert(guest: account, on: device)
            }
        } catch IdentityError.alreadyExists {
            // The same request has arrived twice at the same time.
            guard let deviceID, let issued = try await repetition(on: deviceID) else { throw .storeBusy }
            return issued
        }
    }

    /// Returns the ID of the device of a request with a key; nil without one.
    private func deviceID(for idempotencyKey: String?) throws(IdentityError) -> [UInt8]? {
        guard let text = idempotencyKey, !text.isEmpty else { return nil }
        guard text.utf8.count >= Self.shortestKey else {
            throw .invalidInput(
                "the Idempotency-Key is too short", hint: "Use \(Self.shortestKey) or more random characters.")
        }
        return key.derived(for: text).withUnsafeBytes { Array($0.prefix(16)) }
    }

    /// Returns the tokens of a device that the same request has signed in; nil if there is none.
    private func repetition(on deviceID: [UInt8]) async throws(IdentityError) -> IssuedTokens? {
        guard let device = try await store.device(id: deviceID) else { return nil }
        let time = configuration.keyedReplayWindow.inSeconds
        guard let issued = try await tokens.firstTokens(of: device, within: time, by: .guest), issued.account.isGuest
        else {
            throw .invalidInput("the Idempotency-Key was used before", hint: "Use a new key for each guest.")
        }
        return issued
    }
}
