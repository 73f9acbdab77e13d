// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchJOSE

extension SignIns {
    /// Gives a device its next tokens.
    ///
    /// The new generation is durable before the answer leaves. A repeat within the replay window gets the same refresh
    /// token again; a later one means that somebody has a copy, and signs out the device (RFC 9700 §4.14.2).
    ///
    /// A token in the hands of another app than the one it was given to, and one with more scopes than it was given
    /// for, are refused before anything happens to it (attacks C7 and C8).
    ///
    /// - Parameters:
    ///   - app: Who asks; nil for the server's own.
    ///   - asked: Fewer scopes than the device has; nil for all of them.
    /// - Throws: `IdentityError.invalidGrant`, the same for every cause; `.invalidScope`, `.tooManyAttempts`, or a
    ///   store's error.
    func renew(
        _ text: String, idempotencyKey: String?, by app: RegisteredApp? = nil, asking asked: Scopes? = nil
    ) async throws(IdentityError) -> Grant {
        let app = app ?? parts.apps.firstParty
        guard let (token, device) = try await known(text), parts.apps[device.appID] == app else { throw .invalidGrant }
        // Looked at before anything is rotated: a request for too much must not cost the client its token. A token that is
        // not the newest goes on: if it is a stolen one, that matters more than what it asks for.
        if asked != nil, token.counter == device.counter, device.revokedAt == nil {
            _ = try await holder(of: device, by: app, asking: asked)
        }
        let limit = parts.limits.renewal(accountID: device.accountID)
        if let refusal = parts.limiter.take([limit], at: parts.clock.now) { throw .tooManyAttempts(refusal) }
        let attempt = RotationAttempt(
            deviceID: device.id, counter: token.counter,
            key: idempotencyKey.map { Array(SHA256.hash(data: Array($0.utf8))) }, now: parts.clock.now,
            replayWindow: parts.configuration.replayWindow.inSeconds,
            keyedReplayWindow: parts.configuration.keyedReplayWindow.inSeconds)
        switch try await rotate(device, attempt) {
        case .rotated(let counter):
            return try await renewed(device, counter, by: app, asking: asked)
        case .repeated(let counter):
            parts.metrics.count("latch_token_replays_total", ["outcome": "repeated"])
            return try await renewed(device, counter, by: app, asking: asked)
        case .reused:
            parts.metrics.count("latch_token_replays_total", ["outcome": "revoked"])
            parts.metrics.count("latch_families_revoked_total")
        case .refused: break
        }
        // What a dead token is tried for must not use up what the account's other devices may do.
        parts.limiter.giveBack([limit])
        throw .invalidGrant
    }

    /// A repeat changes nothing and is judged by what was read; everything else by the writer, in its transaction.
    private func rotate(_ device: Device, _ attempt: RotationAttempt) async throws(IdentityError) -> Rotation {
        if case .repeated(let counter) = Rotation(judging: attempt, against: device) {
            return .repeated(counter: counter)
        }
        return try await parts.store.rotate(attempt)
    }

    /// The account is read after the rotation, so that a role that was taken away meanwhile is gone from the new token.
    private func renewed(
        _ device: Device, _ counter: UInt32, by app: RegisteredApp, asking asked: Scopes?
    ) async throws(IdentityError) -> Grant {
        let (account, scopes) = try await holder(of: device, by: app, asking: asked)
        let access = try parts.accessTokens.issue(to: account, on: device, scopes: scopes)
        parts.metrics.count("latch_tokens_issued_total", ["grant": "refresh_token"])
        return grant(access, device, counter: counter, scopes: scopes)
    }

    /// Whose device it is, and which scopes its next access token gets.
    private func holder(
        of device: Device, by app: RegisteredApp, asking asked: Scopes?
    ) async throws(IdentityError) -> (Account, Scopes) {
        guard let account = try await parts.store.account(id: device.accountID), account.status == .active else {
            throw .invalidGrant
        }
        return (account, try parts.scopes.renewed(asked, of: device, to: account, by: app))
    }

    /// Signs out the device of a refresh token of ours, of whatever generation; anything else is ignored.
    ///
    /// An old generation will do as well: whoever holds it may end the device, which is less than what its thief could
    /// do, and a client that lost the newest one must be able to log out.
    func signOut(refreshToken text: String) async throws(IdentityError) {
        guard let (_, device) = try await known(text) else { return }
        try await signOut(device.id)
    }

    /// Signs out the device of a valid access token; anything else is ignored.
    ///
    /// An expired token is "anything else": a client sends its refresh token as well, which does not expire that soon.
    func signOut(accessToken text: String) async throws(IdentityError) {
        guard let content = parts.accessTokens.verify(text) else { return }
        try await signOut(content.deviceID)
    }

    /// Signs out the device of a token of either kind (RFC 7009 §2.1), if it was given to that app; anything else is
    /// ignored, so that nobody finds out what a stranger's token is worth (attack H6).
    ///
    /// - Parameter accountID: Whose token it must be; nil for anybody's.
    func revoke(
        _ text: String, by app: RegisteredApp, of accountID: String? = nil
    ) async throws(IdentityError) {
        var device = try await known(text)?.device
        if device == nil, let content = parts.accessTokens.verify(text) {
            device = try await parts.store.device(id: content.deviceID)
        }
        guard let device, parts.apps[device.appID] == app, accountID ?? device.accountID == device.accountID else {
            return
        }
        try await signOut(device.id)
    }

    /// The token and its device, if this server made it, of whatever generation.
    private func known(
        _ text: String
    ) async throws(IdentityError) -> (token: RefreshToken, device: Device)? {
        guard let token = RefreshToken(text), let device = try await parts.store.device(id: token.deviceID),
            token.isAuthentic(for: device, pepper: parts.pepper)
        else { return nil }
        return (token, device)
    }

    /// Counts a device once, however many requests sign it out.
    private func signOut(_ deviceID: [UInt8]) async throws(IdentityError) {
        if try await parts.store.revoke(device: deviceID, because: .logout, at: parts.clock.now) {
            parts.metrics.count("latch_families_revoked_total")
        }
    }

    /// Who an access token speaks for, and for what.
    ///
    /// The rows of device and account are read each time (some microseconds): a logout, a right that was taken away, or
    /// an administrator in another process take effect at once, and not only when the token expires.
    ///
    /// - Throws: `IdentityError.invalidToken`, the same for every cause.
    func bearer(ofAccessToken text: String) async throws(IdentityError) -> Bearer {
        guard let content = parts.accessTokens.verify(text),
            let device = try await parts.store.device(id: content.deviceID),
            device.revokedAt == nil, device.accountID == content.accountID, parts.clock.now < device.expiresAt,
            let app = parts.apps[device.appID],
            let account = try await parts.store.account(id: content.accountID), account.status == .active
        else { throw .invalidToken }
        return Bearer(
            account: account, scopes: parts.scopes.allowed(content.scopes, to: account, by: app), appID: app.id,
            device: device)
    }
}
