// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchCore
import LatchCrypto
import LatchJOSE

extension SignIns {
    /// Gives a device its next tokens.
    ///
    /// The new generation is durable before the answer leaves. A repeat within the replay window gets the same refresh
    /// token again; a later one means that somebody has a copy, and signs out the device (RFC 9700 §4.14.2).
    ///
    /// - Throws: `IdentityError.invalidGrant`, the same for every cause, or a store's error.
    func renew(_ text: String, idempotencyKey: String?) async throws(IdentityError) -> Grant {
        guard let token = RefreshToken(text), let device = try await parts.store.device(id: token.deviceID),
            token.isAuthentic(for: device, pepper: parts.pepper)
        else { throw .invalidGrant }
        let attempt = RotationAttempt(
            deviceID: device.id, counter: token.counter,
            key: idempotencyKey.map { Array(SHA256.hash(data: Array($0.utf8))) }, now: parts.clock.now,
            replayWindow: parts.configuration.replayWindow.inSeconds,
            keyedReplayWindow: parts.configuration.keyedReplayWindow.inSeconds)
        switch try await rotate(device, attempt) {
        case .rotated(let counter):
            return try await renewed(device, counter)
        case .repeated(let counter):
            parts.metrics.count("latch_token_replays_total", ["outcome": "repeated"])
            return try await renewed(device, counter)
        case .reused:
            parts.metrics.count("latch_token_replays_total", ["outcome": "revoked"])
            parts.metrics.count("latch_families_revoked_total")
            throw .invalidGrant
        case .refused:
            throw .invalidGrant
        }
    }

    /// A repeat changes nothing and is judged by what was read; everything else by the writer, in its transaction.
    private func rotate(_ device: Device, _ attempt: RotationAttempt) async throws(IdentityError) -> Rotation {
        if case .repeated(let counter) = Rotation(judging: attempt, against: device) {
            return .repeated(counter: counter)
        }
        return try await parts.store.rotate(attempt)
    }

    /// The account is read after the rotation, so that a role that was taken away meanwhile is gone from the new token.
    private func renewed(_ device: Device, _ counter: UInt32) async throws(IdentityError) -> Grant {
        guard let account = try await parts.store.account(id: device.accountID), account.status == .active else {
            throw .invalidGrant
        }
        let access = try parts.accessTokens.issue(to: account, on: device.id)
        parts.metrics.count("latch_tokens_issued_total", ["grant": "refresh_token"])
        return grant(access, device, counter: counter)
    }

    /// Signs out the device of a refresh token of ours, of whatever generation; anything else is ignored.
    ///
    /// An old generation will do as well: whoever holds it may end the device, which is less than what its thief could
    /// do, and a client that lost the newest one must be able to log out.
    func signOut(refreshToken text: String) async throws(IdentityError) {
        guard let token = RefreshToken(text), let device = try await parts.store.device(id: token.deviceID),
            token.isAuthentic(for: device, pepper: parts.pepper)
        else { return }
        try await signOut(device.id)
    }

    /// Signs out the device of a valid access token; anything else is ignored.
    ///
    /// An expired token is "anything else": a client sends its refresh token as well, which does not expire that soon.
    func signOut(accessToken text: String) async throws(IdentityError) {
        guard let bearer = parts.accessTokens.verify(text) else { return }
        try await signOut(bearer.deviceID)
    }

    /// Counts a device once, however many requests sign it out.
    private func signOut(_ deviceID: [UInt8]) async throws(IdentityError) {
        if try await parts.store.revoke(device: deviceID, because: .logout, at: parts.clock.now) {
            parts.metrics.count("latch_families_revoked_total")
        }
    }

    /// The account that an access token speaks for.
    ///
    /// The device's row is read each time (some microseconds): a logout, or an administrator in another process, takes
    /// effect at once, and not only when the token expires.
    ///
    /// - Throws: `IdentityError.invalidToken`, the same for every cause.
    func account(ofAccessToken text: String) async throws(IdentityError) -> Account {
        guard let bearer = parts.accessTokens.verify(text),
            let device = try await parts.store.device(id: bearer.deviceID),
            device.revokedAt == nil, device.accountID == bearer.accountID, parts.clock.now < device.expiresAt,
            let account = try await parts.store.account(id: bearer.accountID), account.status == .active
        else { throw .invalidToken }
        return account
    }
}
