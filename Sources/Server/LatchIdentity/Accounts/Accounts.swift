// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchCrypto
import LatchJOSE

/// What can be done with accounts: sign up, prove an address, set a new password, administer.
package struct Accounts: Sendable {
    let parts: IdentityParts

    /// Makes an account and mails a link that verifies its address.
    ///
    /// Roles and permissions come from the caller's code and never from a request's body.
    ///
    /// - Throws: `IdentityError.alreadyExists`, `.invalidInput`, `.weakPassword`, `.overloaded` or a store's error.
    ///
    /// The hash is made before the address is taken, and the store's unique index decides between two sign-ups of the
    /// same address at once. The check before it only spares the price of a hash.
    package func signUp(
        email: String, password: String, name: String? = nil, username: String? = nil, roles: [String] = [],
        permissions: [String] = [], isVerified: Bool = false, details: AccountDetails? = nil
    ) async throws(IdentityError) -> Account {
        let email = try EmailAddress(email)
        let name = try Self.checked(name: name)
        let username = try Self.checked(username: username, of: email)
        try PasswordRules.check(password, for: email)
        try Self.checkGrants(roles + permissions)
        if let details { try DetailRules.check(details, at: parts.clock.now) }
        guard try await parts.store.account(emailKey: email.key) == nil else { throw .alreadyExists }
        if let username, try await parts.store.account(usernameKey: username.key) != nil { throw .usernameTaken }
        let hash = try await parts.passwords.hash(password)
        let now = parts.clock.now
        let account = Account(
            id: parts.identifier(at: now), email: email, username: username, name: name, passwordHash: hash,
            passwordChangedAt: now,
            emailVerifiedAt: isVerified ? now : nil, roles: roles, permissions: permissions, createdAt: now)
        try await parts.store.insert(account, details: details)
        parts.metrics.count("latch_accounts_created_total")
        if isVerified {
            try await appointFirstAdministrator(email)
        } else {
            mailVerification(to: email)
        }
        return account
    }

    /// Makes the account of the configured address the first administrator, once it has shown that it reads its mails.
    ///
    /// It does nothing where anybody can administer the server already: the setting is for the first start, and is no
    /// way back for somebody who was dismissed.
    func appointFirstAdministrator(_ email: EmailAddress? = nil) async throws(IdentityError) {
        guard let typed = parts.configuration.firstAdministrator else { return }
        let configured = try EmailAddress(typed)
        guard email ?? configured == configured || email?.key == configured.key else { return }
        _ = try await parts.store.appoint(emailKey: configured.key, at: parts.clock.now)
    }

    /// Sets what an account may do; its devices get it with their next renewal.
    ///
    /// - Returns: False when there is no such account.
    ///
    /// Access tokens that are out already keep what they say until they expire: whoever needs it sooner signs the
    /// account out everywhere.
    package func setGrants(
        of id: String, roles: [String], permissions: [String]
    ) async throws(IdentityError) -> Bool {
        try Self.checkGrants(roles + permissions)
        return try await parts.store.setGrants(of: id, roles: roles, permissions: permissions, at: parts.clock.now)
    }

    /// Enables or disables an account; disabling signs out its devices.
    ///
    /// - Returns: False when there is no such account.
    package func setStatus(of id: String, to status: Account.Status) async throws(IdentityError) -> Bool {
        try await parts.store.setStatus(of: id, to: status, by: nil, at: parts.clock.now)
    }

    /// The account of an address.
    ///
    /// Reads the store, so that it is what the last commit says.
    ///
    /// - Throws: `IdentityError.invalidInput` where the text is no address, or a store's error.
    package func account(email: String) async throws(IdentityError) -> Account? {
        try await parts.store.account(emailKey: EmailAddress(email).key)
    }

    /// Signs out all devices of an account.
    ///
    /// - Returns: How many there were.
    package func signOutEverywhere(_ id: String) async throws(IdentityError) -> Int {
        let count = try await parts.store.revokeDevices(of: id, because: .administrator, at: parts.clock.now)
        parts.metrics.count("latch_families_revoked_total", by: count)
        return count
    }

    /// The name without the space around it; nil where nothing of it is left.
    ///
    /// Control characters, line breaks among them, are refused and not dropped: a name ends up in tokens, pages and
    /// logs, and each of them has its own idea of what they mean there.
    static func checked(name: String?) throws(IdentityError) -> String? {
        guard let name = name?.trimmingSpace(), !name.isEmpty else { return nil }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard name.utf8.count <= 200, isPlain else {
            throw .invalidInput("the name is longer than 200 bytes or holds control characters")
        }
        return String(name)
    }

    /// The username; nil where there is none, or it is the address, as seed 004's clients send it.
    private static func checked(username: String?, of email: EmailAddress) throws(IdentityError) -> Username? {
        guard let username = username?.trimmingSpace(), !username.isEmpty, username.lowercased() != email.key else {
            return nil
        }
        return try Username(String(username))
    }

    /// Grants are words, as scopes are (RFC 6749 §3.3).
    private static func checkGrants(_ grants: [String]) throws(IdentityError) {
        let isWord = { (grant: String) in
            !grant.isEmpty && grant.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        }
        guard grants.allSatisfy(isWord) else { throw .invalidInput("a role or permission is not one word of ASCII") }
    }
}
