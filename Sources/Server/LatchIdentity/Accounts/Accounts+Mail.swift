// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchCrypto
import LatchJOSE

extension Accounts {
    /// Mails a link that verifies the address, if it has an account that needs it; returns at once, whatever is so.
    func mailVerification(to email: EmailAddress) {
        mail(.verifyEmail, to: email, lifetime: parts.configuration.verificationLifetime) { account in
            account.emailVerifiedAt == nil
        } text: { account, token, issuer throws(IdentityError) in
            try AccountMails.verification(to: account, token: token, issuer: issuer)
        }
    }

    /// Mails a link that resets the password, if the address has an account; returns at once, whatever is so.
    func mailReset(to email: EmailAddress) {
        mail(.resetPassword, to: email, lifetime: parts.configuration.resetLifetime) { _ in
            true
        } text: {
            account, token, issuer throws(IdentityError) in
            try AccountMails.reset(to: account, token: token, issuer: issuer)
        }
    }

    /// Uses up a mailed token, and marks its address as verified, or one end of a change of address as confirmed.
    ///
    /// - Returns: The account as it is now.
    /// - Throws: `IdentityError.invalidLink` or a store's error.
    ///
    /// Looking, using up and marking are one transaction, so that of two presses at once one succeeds.
    @discardableResult
    func verifyEmail(_ token: String) async throws(IdentityError) -> Account {
        let digest = Self.digest(token)
        if let account = try await parts.store.verifyEmail(byToken: digest, at: parts.clock.now) {
            try await appointFirstAdministrator(account.email)
            return account
        }
        do throws(IdentityError) {
            if let account = try await parts.store.confirmEmail(byToken: digest, at: parts.clock.now) { return account }
        } catch IdentityError.alreadyExists {
            // Somebody else took the address while its mail was on its way.
        }
        throw .invalidLink
    }

    /// Uses up a mailed token, sets the password, and signs out all devices.
    ///
    /// - Throws: `IdentityError.invalidLink`, `.weakPassword`, `.overloaded` or a store's error; the token then still
    ///   works.
    func resetPassword(_ token: String, password: String) async throws(IdentityError) {
        let digest = Self.digest(token)
        let account = try await parts.store.account(forToken: digest, purpose: .resetPassword, at: parts.clock.now)
        guard let account else { throw .invalidLink }
        try PasswordRules.check(password, for: account.email)
        let hash = try await parts.passwords.hash(password)
        // Between the look and here somebody else may have used it: the transaction decides.
        let reset = try await parts.store.resetPassword(byToken: digest, hash: hash, at: parts.clock.now)
        guard let reset else { throw .invalidLink }
        parts.metrics.count("latch_families_revoked_total", by: reset.signedOut)
    }

    /// Looks up, keeps the token and writes the mail, all off the path of the request: an answer must not take longer, or
    /// otherwise differ, for an address that has an account.
    private func mail(
        _ purpose: OneTimeToken.Purpose, to email: EmailAddress, lifetime: Duration,
        if isNeeded: @escaping @Sendable (Account) -> Bool,
        text: @escaping @Sendable (Account, String, String) throws(IdentityError) -> MailMessage
    ) {
        let parts = parts
        parts.mails.enqueue {
            guard let account = try await parts.store.account(emailKey: email.key), account.status == .active,
                isNeeded(account), let issuer = parts.accessTokens.issuer,
                parts.limiter.take(parts.limits.mail(emailKey: email.key), at: parts.clock.now) == nil
            else { return nil }
            let token = Base64URL.encode(parts.random.bytes(32))
            let now = parts.clock.now
            try await parts.store.insert(
                OneTimeToken(
                    digest: Self.digest(token), accountID: account.id, purpose: purpose, emailKey: account.email.key,
                    createdAt: now, expiresAt: now.addingTimeInterval(lifetime.inSeconds)))
            return try text(account, token, issuer)
        }
    }

    /// SHA-256 is enough here, where a password needs argon2id: the token has 256 random bits, which nobody tries one
    /// by one.
    static func digest(_ token: String) -> [UInt8] { Array(SHA256.hash(data: Array(token.utf8))) }
}

extension IdentityError {
    /// A mailed link was used before, has ended, was replaced by a newer one, or was never ours.
    public static let invalidLink = IdentityError(
        code: "invalidLink", message: "The link is not valid, or no longer.", hint: "Ask for a new one.")
}
