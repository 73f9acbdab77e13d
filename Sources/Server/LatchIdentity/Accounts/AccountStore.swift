// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The storage of accounts and their details.
package protocol AccountStore: Sendable {
    /// Returns an account of any status; nil if there is none.
    func account(id: String) async throws(IdentityError) -> Account?

    /// Returns the account of an address, by its canonical form (``EmailAddress/key``).
    func account(emailKey: String) async throws(IdentityError) -> Account?

    /// Returns the account of a username, by its canonical form (``Username/key``).
    func account(usernameKey: String) async throws(IdentityError) -> Account?

    /// Returns the account with its details; nil if there is none, or it was deleted.
    func fullAccount(id: String) async throws(IdentityError) -> FullAccount?

    /// Inserts an account, optionally with details and a mail to its address.
    ///
    /// - Parameter actor: The account that invites its owner; nil for an owner who signs up.
    /// - Throws: `IdentityError.alreadyExists` if the address or the username is taken; `.forbidden` if the roles or the status
    ///   of `actor` have changed, and `.invalidToken` if its device was signed out.
    func insert(
        _ account: Account, details: AccountDetails?, mail: OutboxMail?, by actor: Account?, on device: [UInt8]?
    ) async throws(IdentityError)

    /// Performs an action on an account in one transaction, if `rule` permits it there.
    ///
    /// - Parameters:
    ///   - actor: The account that acts, for `rule` and the audit log; nil for the operator.
    ///   - reason: A note for the audit log.
    /// - Returns: Nil if there is no such account, according to `rule`.
    /// - Throws: The errors of `rule`; `IdentityError.usernameTaken`; `.invalidToken` if the actor's device was signed out.
    func perform(
        _ action: AccountAction, on id: String, by actor: AccountActor?, because reason: String?, at now: Date,
        if rule: @escaping AccountRule
    ) async throws(IdentityError) -> AccountActionResult?

    /// Replaces a hash by another hash of the same password, unless the password has changed meanwhile.
    func upgradePasswordHash(of id: String, from old: String, to new: String) async throws(IdentityError)

    /// Returns the cost parameters of the stored hashes.
    func passwordCosts() async throws(IdentityError) -> PasswordCosts

    /// Sets a new password, ends all mailed tokens, and signs out the other devices if requested.
    ///
    /// - Returns: False if the credentials have changed since `account` was read, or the device was signed out.
    func changePassword(
        of account: Account, to hash: String, on device: [UInt8], signingOutOthers: Bool, at now: Date
    ) async throws(IdentityError) -> Bool

    /// Replaces all roles and permissions; returns false if there is no such account.
    func setRoles(
        of id: String, roles: [String], permissions: [String], at now: Date
    ) async throws(IdentityError) -> Bool
}

extension AccountStore {
    /// Inserts an account without a mail.
    package func insert(_ account: Account, details: AccountDetails?) async throws(IdentityError) {
        try await insert(account, details: details, mail: nil)
    }

    /// Inserts an account whose owner signs up.
    package func insert(
        _ account: Account, details: AccountDetails?, mail: OutboxMail?
    ) async throws(IdentityError) {
        try await insert(account, details: details, mail: mail, by: nil, on: nil)
    }
}

/// The effects of an action on an account.
package struct AccountActionResult: Sendable, Hashable {
    /// The number of devices that were signed out.
    package var signedOut = 0
    /// Whether a second factor was removed.
    package var hadFactor = false
    /// Whether a link to a provider was removed.
    package var hadLink = false
    /// Whether there was a passkey to remove.
    package var hadPasskeys = false
}

/// The storage of lists and statistics of accounts.
package protocol AccountDirectory: Sendable {
    /// Returns accounts in the order of their ids, which is the order of their creation.
    func accounts(after id: String?, limit: Int) async throws(IdentityError) -> [Account]

    /// Returns one page of a list.
    func accounts(_ query: AccountQuery) async throws(IdentityError) -> AccountPage

    /// Returns statistics of all accounts.
    ///
    /// - Parameter midnight: The beginning of the day in UTC.
    func statistics(since midnight: Date) async throws(IdentityError) -> AccountStatistics
}
