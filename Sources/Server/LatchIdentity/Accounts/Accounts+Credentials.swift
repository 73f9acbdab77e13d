// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchJOSE

extension Accounts {
    /// Sets a new password for somebody who is signed in and knows the old one.
    ///
    /// A wrong old password counts as one at a login does: a session that was left open is no place to guess it.
    ///
    /// - Throws: `IdentityError.invalidCredentials`, `.weakPassword`, `.invalidInput` where both are the same,
    ///   `.tooManyAttempts`, `.overloaded` or a store's error.
    func changePassword(
        of bearer: Bearer, from current: String, to new: String, signingOutOthers: Bool, from origin: SignIns.Origin
    ) async throws(IdentityError) {
        guard bearer.appID == parts.apps.firstParty.id else { throw .forbidden }
        guard current != new else { throw .weakPassword("it is the one that you have") }
        try PasswordRules.check(new, for: bearer.account.email)
        let account = try await SignIns(parts: parts).check(current, of: bearer.account, from: origin)
        let hash = try await parts.passwords.hash(new)
        let changed = try await parts.store.changePassword(
            of: account, to: hash, signingOutAllBut: signingOutOthers ? bearer.device.id : nil, at: parts.clock.now)
        // Somebody else was faster: what was checked is not the password any more.
        guard let changed else { throw .invalidCredentials }
        parts.metrics.count("latch_families_revoked_total", by: changed.signedOut)
    }

    /// Begins to give an account another address: both ends get a mail, and nothing changes before both were answered.
    ///
    /// An old address that was never verified is not asked: it proves nothing about who the account's owner is, and may be
    /// the very slip that is to be mended.
    ///
    /// - Throws: `IdentityError.invalidInput`, `.alreadyExists`, `.tooManyAttempts`, `.forbidden` or a store's error.
    func changeEmail(of bearer: Bearer, to typed: String) async throws(IdentityError) {
        let (account, email) = (bearer.account, try EmailAddress(typed))
        guard bearer.appID == parts.apps.firstParty.id else { throw .forbidden }
        guard email.key != account.email.key else { return }
        // As at a sign-up; the unique index decides once both ends are confirmed.
        guard try await parts.store.account(emailKey: email.key) == nil else { throw .alreadyExists }
        guard let issuer = parts.accessTokens.issuer else { throw .notReady }
        let now = parts.clock.now
        let attempts = parts.limits.mail(emailKey: email.key) + parts.limits.mail(emailKey: account.email.key)
        if let refusal = parts.limiter.take(attempts, at: now) { throw .tooManyAttempts(refusal) }
        let isOldAsked = account.emailVerifiedAt != nil
        let (old, new) = (Base64URL.encode(parts.random.bytes(32)), Base64URL.encode(parts.random.bytes(32)))
        try await parts.store.insert(
            EmailChange(
                accountID: account.id, email: email, oldEmailKey: account.email.key,
                oldDigest: isOldAsked ? Self.digest(old) : nil, newDigest: Self.digest(new),
                expiresAt: now.addingTimeInterval(parts.configuration.verificationLifetime.inSeconds)))
        let parts = parts
        parts.mails.enqueue { try AccountMails.newAddress(to: email, token: new, issuer: issuer) }
        parts.mails.enqueue {
            try AccountMails.oldAddress(to: account.email, token: isOldAsked ? old : nil, issuer: issuer)
        }
    }
}
