// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What the auth server keeps.
///
/// Each call that changes something is one transaction, durable when it returns.
/// What must be decided together with a change (is the token unused, is the password still that one) is decided within
/// the call; nothing above the store reads first and writes later.
package protocol IdentityStore: Sendable {
    // Accounts
    /// Nil where there is none; a disabled account is one.
    func account(id: String) async throws(IdentityError) -> Account?
    /// By the form in which two spellings of an address are the same (``EmailAddress/key``).
    func account(emailKey: String) async throws(IdentityError) -> Account?
    /// By the form in which two spellings of a username are the same (``Username/key``).
    func account(usernameKey: String) async throws(IdentityError) -> Account?
    /// In the order of their ids, which is that of their making: pages by key stay right while rows are added.
    func accounts(after id: String?, limit: Int) async throws(IdentityError) -> [Account]
    /// - Throws: `IdentityError.alreadyExists` when the address or the username has an account.
    func insert(_ account: Account) async throws(IdentityError)
    /// Replaces a hash by one of the same password, unless it was changed meanwhile.
    func upgradePasswordHash(of id: String, from old: String, to new: String) async throws(IdentityError)
    /// False when there is no such account. The old grants are gone, not merged: what is not named is taken away.
    func setGrants(
        of id: String, roles: [String], permissions: [String], at now: Date
    ) async throws(IdentityError) -> Bool
    /// Disabling signs out all devices.
    func setStatus(of id: String, to status: Account.Status, at now: Date) async throws(IdentityError) -> Bool

    // Mailed tokens
    /// Keeps the token; earlier ones of the same account and purpose end.
    func insert(_ token: OneTimeToken) async throws(IdentityError)
    func account(
        forToken digest: [UInt8], purpose: OneTimeToken.Purpose, at now: Date
    ) async throws(IdentityError) -> Account?
    /// Uses the token up and marks its address as verified; nil when it is not valid.
    func verifyEmail(byToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account?
    /// Uses the token up, sets the password and signs out all devices; nil when it is not valid.
    func resetPassword(byToken digest: [UInt8], hash: String, at now: Date) async throws(IdentityError)
        -> PasswordReset?

    // Devices
    /// Nil where there is none, or it ended so long ago that it was removed.
    func device(id: [UInt8]) async throws(IdentityError) -> Device?
    /// Keeps the device if the account is active and its password has not changed since `account` was read.
    func insert(_ device: Device, for account: Account) async throws(IdentityError) -> Bool
    /// Whether a device of the account was signed in from `address`, and still is.
    func isSignedIn(emailKey: String, from address: String, at now: Date) async throws(IdentityError) -> Bool
    /// Decides a use of a refresh token and carries it out: a reuse signs the device out in the same transaction.
    func rotate(_ attempt: RotationAttempt) async throws(IdentityError) -> Rotation
    /// Signs out a device; false when it already was.
    func revoke(device id: [UInt8], because: Device.Ending, at now: Date) async throws(IdentityError) -> Bool
    /// Signs out every device of an account and says how many there were; those that are out already keep their reason.
    func revokeDevices(of accountID: String, because: Device.Ending, at now: Date) async throws(IdentityError) -> Int

    // The sample resource
    /// The newest of a kind, of one account or, without one, of all.
    func items(
        of kind: SampleItem.Kind, ownedBy accountID: String?, limit: Int
    ) async throws(IdentityError) -> [SampleItem]
    /// Keeps the item unless its owner has `limit` of its kind already; false then.
    func insert(_ item: SampleItem, limit: Int) async throws(IdentityError) -> Bool
    /// False when the account has no such item.
    func removeItem(
        _ id: String, of kind: SampleItem.Kind, ownedBy accountID: String
    ) async throws(IdentityError) -> Bool

    // The server's own
    /// The signing keys, the newest first.
    func signingKeys() async throws(IdentityError) -> [StoredKey]
    /// The signing keys, the newest first; the proposal becomes the only one where there is none.
    ///
    /// Of servers that start at once on a new store one makes the key, and all of them sign with it.
    func signingKeys(proposing key: StoredKey) async throws(IdentityError) -> [StoredKey]
    /// The secret of that name; the proposal becomes it where there is none.
    func secret(named name: String, proposing: [UInt8]) async throws(IdentityError) -> [UInt8]
    /// A write that changes nothing of worth: it returns when the store can commit.
    func beat(at now: Date) async throws(IdentityError)
    /// Removes devices and mailed tokens that ended before `date`.
    func prune(endedBefore date: Date) async throws(IdentityError)
    /// What has been committed since the store was opened, for the metrics.
    var tally: StoreTally { get }
    /// Commits what waits and lets go of the file; what is asked later is refused with `IdentityError.storeClosed`.
    func close() async
}

/// A password that was set by a mailed token.
package struct PasswordReset: Sendable, Hashable {
    package let accountID: String
    /// How many devices it signed out.
    package let signedOut: Int
}

/// How much a store has written: with group commit, jobs outnumber commits.
package struct StoreTally: Sendable, Hashable {
    /// Transactions, each of them one fsync.
    package var commits = 0
    /// Writes that were committed, those among them that failed for reasons of their own included.
    package var jobs = 0
    /// How many jobs the fullest commit held.
    package var largestCommit = 0
}
