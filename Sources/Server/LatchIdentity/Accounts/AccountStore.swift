// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The storage of accounts and their details.
///
/// An `actor` is the id of the account that makes a change, authorized by its role at the time of the transaction; nil
/// stands for the server's operator, who may do everything.
package protocol AccountStore: Sendable {
    /// Returns an account of any status; nil if there is none.
    func account(id: String) async throws(IdentityError) -> Account?

    /// Returns the account of an address, by its canonical form (``EmailAddress/key``).
    func account(emailKey: String) async throws(IdentityError) -> Account?

    /// Returns the account of a username, by its canonical form (``Username/key``).
    func account(usernameKey: String) async throws(IdentityError) -> Account?

    /// Returns the account with its details; nil if there is none, or it was deleted.
    func fullAccount(id: String) async throws(IdentityError) -> FullAccount?

    /// Inserts an account, optionally with details.
    ///
    /// - Throws: `IdentityError.alreadyExists` if the address or the username is taken.
    func insert(_ account: Account, details: AccountDetails?) async throws(IdentityError)

    /// Changes details and returns the result; nil if there is no such account.
    ///
    /// - Throws: `IdentityError.forbidden` or `.usernameTaken`.
    func change(
        _ change: AccountDetailsChange, of id: String, by actor: String, at now: Date
    ) async throws(IdentityError) -> FullAccount?

    /// Replaces a hash by another hash of the same password, unless the password has changed meanwhile.
    func upgradePasswordHash(of id: String, from old: String, to new: String) async throws(IdentityError)

    /// Sets a new password, ends all mailed tokens, and signs out the other devices if requested.
    ///
    /// - Returns: Nil if the password has changed since `account` was read.
    func changePassword(
        of account: Account, to hash: String, signingOutAllBut device: [UInt8]?, at now: Date
    ) async throws(IdentityError) -> PasswordChange?

    /// Replaces all roles and permissions; returns false if there is no such account.
    func setRoles(
        of id: String, roles: [String], permissions: [String], at now: Date
    ) async throws(IdentityError) -> Bool

    /// Replaces the account's administrative role, and leaves its other roles; returns false if there is no such account.
    ///
    /// - Throws: `IdentityError.forbidden` or `.lastAdministrator`.
    func setRole(of id: String, to role: Role, by actor: String?, at now: Date) async throws(IdentityError) -> Bool

    /// Gives the account of a verified address the highest role, if no account can administer the server yet.
    ///
    /// - Returns: Whether the account was promoted.
    func promoteFirstAdministrator(emailKey: String, at now: Date) async throws(IdentityError) -> Bool

    /// Sets the status; every status except `active` signs out all devices.
    ///
    /// - Parameter reason: A note for the audit log.
    /// - Returns: False if there is no such account.
    /// - Throws: `IdentityError.forbidden` or `.lastAdministrator`.
    func setStatus(
        of id: String, to status: Account.Status, by actor: String?, because reason: String, at now: Date
    ) async throws(IdentityError) -> Bool

    /// Signs out every device of another account and returns their number; nil if there is no such account.
    func endSessions(of id: String, by actor: String?, at now: Date) async throws(IdentityError) -> Int?

    /// Deletes an account, its devices and its details; a final deletion leaves only its entries in the audit log.
    func delete(
        _ id: String, isFinal: Bool, by actor: String?, because reason: String, at now: Date
    ) async throws(IdentityError) -> Bool
}

extension AccountStore {
    /// Sets the status without a reason.
    package func setStatus(
        of id: String, to status: Account.Status, by actor: String?, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await setStatus(of: id, to: status, by: actor, because: "", at: now)
    }
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

/// The result of setting a new password.
package struct PasswordChange: Sendable, Hashable {
    package let accountID: String
    /// The number of devices that were signed out.
    package let signedOut: Int
}
