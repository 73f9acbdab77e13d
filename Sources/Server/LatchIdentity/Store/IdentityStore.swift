// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

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
    /// - Parameter details: What is told at the sign-up; nil for nothing.
    func insert(_ account: Account, details: AccountDetails?) async throws(IdentityError)
    /// Replaces a hash by one of the same password, unless it was changed meanwhile.
    func upgradePasswordHash(of id: String, from old: String, to new: String) async throws(IdentityError)
    /// False when there is no such account. The old grants are gone, not merged: what is not named is taken away.
    func setGrants(
        of id: String, roles: [String], permissions: [String], at now: Date
    ) async throws(IdentityError) -> Bool
    /// Everything but `active` signs out all devices.
    ///
    /// - Parameters:
    ///   - actor: Who does it, judged as the store has them now; nil for the server's operator.
    ///   - reason: Kept in the audit log.
    /// - Returns: False when there is no such account.
    /// - Throws: `IdentityError.forbidden` or `.lastAdministrator`.
    func setStatus(
        of id: String, to status: Account.Status, by actor: String?, because reason: String, at now: Date
    ) async throws(IdentityError) -> Bool
    /// Signs out every device of somebody else's account and says how many there were; nil when there is no such account.
    func endSessions(of id: String, by actor: String?, at now: Date) async throws(IdentityError) -> Int?
    /// Gives an account a role instead of the one that it has; the same rules.
    func setRole(of id: String, to role: Role, by actor: String?, at now: Date) async throws(IdentityError) -> Bool
    /// Gives the account of an address the highest role, where it has shown that it reads its mails, and nobody can
    /// administer the server yet; false otherwise.
    func appoint(emailKey: String, at now: Date) async throws(IdentityError) -> Bool
    /// Deletes an account, its devices and what it told; `isFinal` leaves nothing of it but its notes in the audit log.
    func delete(
        _ id: String, isFinal: Bool, by actor: String?, because reason: String, at now: Date
    ) async throws(IdentityError) -> Bool
    /// Sets a new password, ends all mailed tokens, and signs out the other devices if asked to; nil where the password
    /// has changed since `account` was read.
    func changePassword(
        of account: Account, to hash: String, signingOutAllBut device: [UInt8]?, at now: Date
    ) async throws(IdentityError) -> PasswordReset?

    // Details, and lists of accounts
    /// The account with its details; nil where there is none, or it was deleted.
    func fullAccount(id: String) async throws(IdentityError) -> FullAccount?
    /// A part of a list.
    func accounts(_ query: AccountQuery) async throws(IdentityError) -> AccountPage
    /// Figures about all accounts.
    ///
    /// - Parameter midnight: The beginning of the day, in UTC.
    func figures(since midnight: Date) async throws(IdentityError) -> AccountFigures
    /// Changes details and gives them back; nil where there is no such account.
    ///
    /// - Throws: `IdentityError.forbidden`, or `.usernameTaken`.
    func change(
        _ change: AccountDetailsChange, of id: String, by actor: String, at now: Date
    ) async throws(IdentityError) -> FullAccount?

    // Another address
    /// Keeps an address that waits for its confirmation, in the place of an earlier one.
    func insert(_ change: EmailChange) async throws(IdentityError)
    /// Confirms one end of it; the account of the token, with the new address once both ends are confirmed.
    func confirmEmail(byToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Account?

    // The second factor
    /// The factor that is asked for, or the one that was begun; nil where there is none.
    func secondFactor(of accountID: String, isConfirmed: Bool) async throws(IdentityError) -> SecondFactor?
    /// Begins a factor and keeps its recovery codes; one that was begun before and not confirmed is gone.
    func begin(_ factor: SecondFactor, recoveryDigests: [[UInt8]]) async throws(IdentityError)
    /// Confirms what was begun, in the place of the factor that was asked for until then, and signs out every device but
    /// this one, since they were signed in without it.
    func confirmFactor(
        of accountID: String, proof: FactorProof, on device: [UInt8], at now: Date
    ) async throws(IdentityError) -> FactorVerdict
    /// Decides a proof and carries out what it leads to: a code is used up, a wrong one is counted.
    ///
    /// - Parameter challenge: The digest of the challenge that ends with it; nil where there is none.
    func prove(
        _ proof: FactorProof, of accountID: String, ending challenge: [UInt8]?, at now: Date
    ) async throws(IdentityError) -> FactorVerdict
    /// Decides a proof and, where it is accepted, removes the factor with all recovery codes.
    func removeFactor(
        of accountID: String, proof: FactorProof, at now: Date
    ) async throws(IdentityError) -> FactorVerdict
    /// Removes a factor with its recovery codes and signs its account out everywhere; nil when there is no such account.
    ///
    /// - Returns: Whether there was a factor; where there was none, nothing is signed out.
    func removeFactor(of accountID: String, by actor: String?, at now: Date) async throws(IdentityError) -> Bool?
    /// Decides a proof and, where it is accepted, keeps these recovery codes in the place of all that are left.
    func replaceRecoveryCodes(
        of accountID: String, by digests: [[UInt8]], proof: FactorProof, at now: Date
    ) async throws(IdentityError) -> FactorVerdict
    /// How many recovery codes are left.
    func recoveryCodeCount(of accountID: String) async throws(IdentityError) -> Int
    /// Keeps a challenge; of one account only the newest ten are kept.
    func insert(_ challenge: SignInChallenge) async throws(IdentityError)
    /// Nil where there is none, or it has ended.
    func challenge(_ digest: [UInt8], at now: Date) async throws(IdentityError) -> SignInChallenge?

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
    /// The devices of an account that are signed in, the last used first.
    func devices(of accountID: String, at now: Date) async throws(IdentityError) -> [Device]
    /// Where to push messages to a device; false when the account has no such device that is signed in.
    func setPushToken(
        _ token: String?, of device: [UInt8], ownedBy accountID: String
    ) async throws(IdentityError) -> Bool
    /// Signs out a device of this account; false when it has none such that is signed in.
    func revoke(
        device id: [UInt8], ownedBy accountID: String, because: Device.Ending, at now: Date
    ) async throws(IdentityError) -> Bool
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

extension IdentityStore {
    /// Opens or shuts an account for no reason that is kept.
    package func setStatus(
        of id: String, to status: Account.Status, by actor: String?, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await setStatus(of: id, to: status, by: actor, because: "", at: now)
    }
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
