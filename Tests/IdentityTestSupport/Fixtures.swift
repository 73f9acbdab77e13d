// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import LatchIdentity

/// The moment at which tests begin: whole milliseconds, so that it is the same after a round trip.
package let noon = Date(timeIntervalSince1970: 2_052_460_800)

extension Account {
    package static func example(
        _ name: String = "ada", changedAt: Date = noon, hash: String? = "$argon2id$example"
    ) throws -> Account {
        Account(
            id: "id-\(name)", email: try EmailAddress("\(name.capitalized)@example.com"), name: name,
            passwordHash: hash,
            passwordChangedAt: changedAt, createdAt: noon)
    }
}

extension Device {
    package static func example(_ number: UInt8 = 1, of account: Account, expiresAt: Date = noon + 3600) -> Device {
        Device(
            id: Array(repeating: number, count: 16), accountID: account.id, secret: Array(repeating: 7, count: 32),
            createdAt: noon, lastUsedAt: noon, expiresAt: expiresAt, userAgent: "tests/1", address: "127.0.0.1")
    }
}

extension RotationAttempt {
    package static func of(_ device: Device, counter: UInt32 = 0, key: [UInt8]? = nil, at now: Date = noon)
        -> RotationAttempt
    {
        RotationAttempt(
            deviceID: device.id, counter: counter, key: key, now: now, replayWindow: 30, keyedReplayWindow: 86_400)
    }
}

extension IdentityStore {
    /// Decides a use without regard to the session.
    package func rotation(_ attempt: RotationAttempt) async throws(IdentityError) -> Rotation {
        try await rotate(attempt).rotation
    }
}

extension OneTimeToken {
    package static func example(
        _ number: UInt8, of account: Account, purpose: Purpose = .resetPassword, expiresAt: Date = noon + 3600
    ) -> OneTimeToken {
        OneTimeToken(
            digest: Array(repeating: number, count: 32), accountID: account.id, purpose: purpose,
            emailKey: account.ownerKey, createdAt: noon, expiresAt: expiresAt)
    }
}

extension IdentityStore {
    /// Performs an action without authorization.
    @discardableResult
    package func perform(_ action: AccountAction, on id: String) async throws(IdentityError) -> AccountActionResult? {
        try await perform(action, on: id, by: nil, because: nil, at: noon) { $0.target != nil }
    }
}

extension IdentityStore {
    /// Signs out a device of any account.
    package func revoke(
        device id: [UInt8], because: Device.RevocationReason, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await revoke(device: id, ownedBy: nil, because: because, at: now)
    }
}

extension IdentityStore {
    package static func populated(in folder: TemporaryFolder) async throws -> (IdentityStore, Account, Device) {
        let store = try IdentityStore(path: folder.file())
        let account = try Account.example()
        let device = Device.example(of: account)
        try await store.insert(account)
        _ = try await store.insert(device, for: account)
        return (store, account, device)
    }
}

extension IdentityStore {
    /// The keys after the proposal became the first one, or another one was there, as at the start of a server.
    package func signingKeys(proposing key: StoredKey) async throws -> [StoredKey] {
        let keyring = try Keyring(nil)
        let changed = try await changeSigningKeys(at: key.createdAt) { stored throws(IdentityError) in
            stored.signing.isEmpty ? try keyring.change(of: stored, adding: [key]) : nil
        }
        if let changed { return changed.signing }
        return try await signingKeys()
    }
}
