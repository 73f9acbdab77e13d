// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchJOSE
package import PortableFoundation

/// The rotation of the signing keys.
///
/// A new key is published first and signs once every cache has it; the one before verifies until its last token has expired.
/// Each node reads the keys every fifteen seconds, so that all of them agree within that time.
package struct SigningKeyService: Sendable {
    /// The time after which a key is replaced.
    let keyLifetime: Duration
    let store: IdentityStore
    let clock: WallClock
    let dates: DateCheck
    let keyring: Keyring
    let accessTokens: AccessTokenIssuer

    /// The time after which a running server uses a change of the keys.
    package static let refreshInterval = Duration.seconds(15)

    /// Returns the keys, the latest to sign first.
    package func list() async throws(IdentityError) -> [SigningKeyDescription] {
        let (keys, now) = (try await keys(), clock.now)
        let signer = AccessTokenIssuer.signer(among: keys, at: now)?.key.id
        var descriptions: [SigningKeyDescription] = []
        for key in keys {
            let pem: String
            do throws(JOSEError) { pem = try key.key.pem() } catch { throw .signingFailed }
            descriptions.append(
                SigningKeyDescription(
                    id: key.key.id ?? key.key.thumbprint,
                    state: key.key.id == signer ? .signing : key.signsAt > now ? .published : .verifying,
                    createdAt: key.createdAt, signsAt: key.signsAt, endsAt: key.endsAt, pem: pem))
        }
        return descriptions
    }

    /// Adds a key, which signs after ten minutes.
    ///
    /// - Parameter isCompromised: Whether the new key signs at once and all others end, and with them every access token
    ///   so far; clients refresh theirs.
    /// - Returns: The id of the new key; nil if another node has added one at the same moment.
    package func rotate(isCompromised: Bool = false) async throws(IdentityError) -> String? {
        try await rotate(after: try await keys().first, isCompromised: isCompromised)
    }

    private func rotate(after newest: SigningKey?, isCompromised: Bool) async throws(IdentityError) -> String? {
        let now = clock.now
        // Later than every other key, so that it is the one that signs last.
        let next = max(
            now.addingTimeInterval(SigningKey.publicationLead), (newest?.signsAt ?? now).addingTimeInterval(0.001))
        let keyring = keyring
        let key = try keyring.newSigningKey(at: now, signsAt: isCompromised ? now : next)
        let changed = try await store.changeSigningKeys(at: now) { stored throws(IdentityError) in
            // Another node may have added a key meanwhile.
            let present = try keyring.list(of: stored).present(among: stored.signing)
            guard present.first?.id == newest?.key.id else { return nil }
            return try keyring.change(
                of: stored, to: key, ending: isCompromised ? present.map(\.id) : [], recording: "key.revoked")
        }
        guard changed != nil else { return nil }
        try await useKeys()
        return key.id
    }

    /// Encrypts all keys and secrets with another store key; a running server needs it at its next start.
    package func reseal(with storeKey: String) async throws(IdentityError) {
        let (next, earlier) = (try Keyring(storeKey), keyring)
        try await store.reseal(recording: "key.resealed", at: clock.now) {
            stored throws(IdentityError) in try next.resealed(stored, from: earlier)
        }
    }

    /// Uses the keys as the store has them now, adds one if the newest has reached its age, and removes those that ended.
    func refresh() async throws(IdentityError) {
        let now = clock.now
        var keys = try await useKeys()
        guard dates.isBelieved else { return }
        let age = keyLifetime.inSeconds
        if let newest = keys.first, newest.signsAt.addingTimeInterval(age) <= now {
            _ = try await rotate(after: newest, isCompromised: false)
            keys = try await useKeys()
        }
        let ended = keys.filter { $0.endsAt.map { $0 <= now } ?? false }.compactMap(\.key.id)
        let keyring = keyring
        let stored = try await store.storedKeys()
        let isDue = try keyring.isListDue(for: stored)
        guard isDue || !ended.isEmpty else { return }
        _ = try await store.changeSigningKeys(at: now) { stored throws(IdentityError) in
            try keyring.change(of: stored, ending: ended)
        }
        try await useKeys()
    }

    /// Reads the keys, and uses them; a store whose keys were all deleted is damaged, and the server continues with those that it has.
    @discardableResult
    private func useKeys() async throws(IdentityError) -> [SigningKey] {
        let reading = accessTokens.beginReading()
        let keys = try await keys()
        if !keys.isEmpty { accessTokens.use(keys, of: reading) }
        return keys
    }

    private func keys() async throws(IdentityError) -> [SigningKey] {
        try keyring.signingKeys(try await store.storedKeys())
    }
}

/// A signing key as operators see it.
package struct SigningKeyDescription: Sendable, Hashable {
    /// The use of a key.
    package enum State: String, Sendable {
        case published, signing, verifying
    }

    package let id: String
    package let state: State
    package let createdAt: Date
    /// The time from which the key signs.
    package let signsAt: Date
    /// The time until which the key verifies; nil as long as it has no successor.
    package let endsAt: Date?
    /// The public key as SubjectPublicKeyInfo in PEM.
    package let pem: String
}
