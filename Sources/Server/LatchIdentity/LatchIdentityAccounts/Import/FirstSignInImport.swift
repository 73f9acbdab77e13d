// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage

/// The import of a user at the first sign-in: the hook checks the password in the system that users are moving from.
///
/// The hook is asked only where this server has never had a password: for an unknown name, and for an account that was
/// imported without one, and whose credentials are unchanged since then. An account that began here, such as one of a
/// provider's user, never gets a password of another system: a stranger may have the same address there.
package struct FirstSignInImport: Sendable {
    private let store: IdentityStore
    private let clock: WallClock
    private let passwords: PasswordHasher
    private let hooks: Hooks
    private let metrics: Metrics
    private let coder: AccountRecordCoder

    package init(
        store: IdentityStore, clock: WallClock, passwords: PasswordHasher, hooks: Hooks, metrics: Metrics,
        coder: AccountRecordCoder
    ) {
        self.store = store
        self.clock = clock
        self.passwords = passwords
        self.hooks = hooks
        self.metrics = metrics
        self.coder = coder
    }

    /// Returns the account of a user whose password is right in the other system; nil for any other user.
    ///
    /// - Parameters:
    ///   - key: The address or the user name in lower case.
    ///   - login: The same as it was typed.
    ///   - found: The account of this name; nil if there is none.
    /// - Throws: `IdentityError.hookUnavailable`, `.overloaded`, or a store's error.
    func account(
        named key: String, typed login: String, _ found: Account?, password: String, from address: String
    ) async throws(IdentityError) -> Account? {
        guard hooks.checksPasswords, found.map(Self.waitsForPassword) ?? true, login.utf8.count <= Self.longestLogin
        else { return nil }
        let answer = try await hooks.check(
            IdentityHooks.PasswordQuestion(
                login: login, password: password, address: address == RequestOrigin.inProcess ? nil : address))
        guard case .valid(let user) = answer else { return nil }
        let imported = try record(user, named: key)
        let hash = try await passwords.hash(password, for: .login, from: address)
        if let found { return try await setPassword(hash, of: found, if: imported) }
        return try await insert(imported, named: key, password: password, hash: hash, from: address)
    }

    /// The longest name that is asked about, in bytes: that of an address (RFC 5321 §4.5.3.1.3).
    private static let longestLogin = 254

    private static func waitsForPassword(_ account: Account) -> Bool {
        account.passwordHash == nil && account.foreignID != nil && account.credentialVersion == 0
            && account.closure == nil
    }

    /// Returns the account of a record, which must be that of the name, and of an ordinary user.
    private func record(_ user: JSONObject, named key: String) throws(IdentityError) -> ImportedAccount {
        let imported: ImportedAccount
        do throws(IdentityError) { imported = try coder.account(.object(user), at: clock.now) } catch {
            throw hooks.refusal(of: .password, "its record of a user cannot be imported (\(error.code))")
        }
        guard imported.account.loginKeys.contains(where: { $0.utf8.elementsEqual(key.utf8) }) else {
            throw hooks.refusal(of: .password, "its record is that of another user than the one who signs in")
        }
        guard imported.account.role == .user, imported.account.permissions.isEmpty else {
            throw hooks.refusal(of: .password, "its record gives administrative rights")
        }
        return imported
    }

    /// Inserts the account of a record.
    private func insert(
        _ record: ImportedAccount, named key: String, password: String, hash: String, from address: String
    ) async throws(IdentityError) -> Account? {
        var imported = record
        imported.account.passwordHash = hash
        do throws(IdentityError) {
            let outcomes = try await store.insert(
                imported: [imported], isDryRun: false, note: "imported at the first sign-in", at: clock.now)
            if outcomes == [.imported] {
                metrics.count(.accountsCreated)
                return try await store.account(id: imported.account.id)
            }
        } catch {
            guard error == .alreadyExists else { throw error }
        }
        // Another request of the same user may have inserted it.
        guard let existing = try await store.account(named: key) else { return nil }
        if Self.waitsForPassword(existing) { return try await setPassword(hash, of: existing, if: record) }
        guard let stored = existing.passwordHash,
            try await passwords.verify(password, against: stored, or: stored, from: address)
        else { return nil }
        return existing
    }

    /// Gives an imported account its first password, if the record is about the same user of the other system.
    private func setPassword(
        _ hash: String, of account: Account, if record: ImportedAccount
    ) async throws(IdentityError) -> Account {
        guard let id = record.account.foreignID, account.foreignID?.utf8.elementsEqual(id.utf8) == true else {
            throw hooks.refusal(of: .password, "its record has another foreign_id than the imported account")
        }
        guard try await store.setFirstPassword(of: account.id, hash: hash, at: clock.now) else { throw .accountChanged }
        var account = account
        account.passwordHash = hash
        return account
    }
}
