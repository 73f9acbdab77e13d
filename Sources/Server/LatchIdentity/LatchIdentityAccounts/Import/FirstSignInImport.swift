// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage

/// The import of a user at the first sign-in: the hook checks the password in the system that users are moving from.
///
/// The hook is asked only where this server has no password: for an unknown name, and for an account that was imported
/// without one. An account that began here, such as one of a provider's user, never gets a password of another system:
/// a stranger may have the same address there.
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
    ///   - found: The account of this name; nil if there is none.
    /// - Throws: `IdentityError.hookUnavailable`, `.overloaded`, or a store's error.
    func account(
        named key: String, _ found: Account?, password: String, from address: String
    ) async throws(IdentityError) -> Account? {
        guard hooks.checksPasswords, found.map(Self.waitsForPassword) ?? true else { return nil }
        let answer = try await hooks.check(
            IdentityHooks.PasswordQuestion(
                login: key, password: password, address: address == RequestOrigin.inProcess ? nil : address))
        guard case .valid(let user) = answer else { return nil }
        let hash = try await passwords.hash(password, for: .login, from: address)
        if let found { return try await setPassword(hash, of: found) }
        return try await insert(user, named: key, password: password, hash: hash, from: address)
    }

    private static func waitsForPassword(_ account: Account) -> Bool {
        account.passwordHash == nil && account.foreignID != nil && account.closure == nil
    }

    /// Inserts the account of a record, which must be that of the name.
    private func insert(
        _ user: JSONObject, named key: String, password: String, hash: String, from address: String
    ) async throws(IdentityError) -> Account? {
        var imported: ImportedAccount
        do throws(IdentityError) {
            imported = try coder.account(.object(user), at: clock.now)
        } catch {
            throw hooks.refusal(of: .password, "its record of a user is refused: \(error.message)")
        }
        let names = [imported.account.email.key, imported.account.username?.key]
        guard names.contains(where: { $0?.utf8.elementsEqual(key.utf8) == true }) else {
            throw hooks.refusal(of: .password, "its record is that of another user than the one who signs in")
        }
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
        if Self.waitsForPassword(existing) { return try await setPassword(hash, of: existing) }
        guard let stored = existing.passwordHash,
            try await passwords.verify(password, against: stored, or: stored, from: address)
        else { return nil }
        return existing
    }

    /// Gives an imported account its first password.
    private func setPassword(_ hash: String, of account: Account) async throws(IdentityError) -> Account {
        guard try await store.setFirstPassword(of: account.id, hash: hash, at: clock.now) else { throw .accountChanged }
        var account = account
        account.passwordHash = hash
        return account
    }
}
