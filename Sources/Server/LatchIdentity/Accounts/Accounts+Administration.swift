// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore

extension Accounts {
    /// Gives an account a role.
    ///
    /// - Parameter actor: The account that does it; nil for the server's operator.
    /// - Returns: False when there is no such account.
    /// - Throws: `IdentityError.forbidden`, `.lastAdministrator`, or a store's error.
    ///
    /// Tokens that are out keep their claims until they expire; what this server shows of other accounts is asked of the
    /// store each time.
    package func setRole(of id: String, to role: Role, by actor: String? = nil) async throws(IdentityError) -> Bool {
        try await parts.store.setRole(of: id, to: role, by: actor, at: parts.clock.now)
    }

    /// Opens or shuts an account; shutting signs out its devices.
    ///
    /// - Parameter reason: Kept in the audit log, for people.
    package func setStatus(
        of id: String, to status: Account.Status, by actor: String?, because reason: String = ""
    ) async throws(IdentityError) -> Bool {
        // Deleting has a function of its own.
        guard status != .deleted else { throw .invalidInput("an account is not deleted by its status") }
        return try await parts.store.setStatus(
            of: id, to: status, by: actor, because: Self.plain(reason), at: parts.clock.now)
    }

    /// Signs out all devices of somebody else's account.
    ///
    /// - Returns: How many there were; nil when there is no such account.
    package func endSessions(of id: String, by actor: String?) async throws(IdentityError) -> Int? {
        let count = try await parts.store.endSessions(of: id, by: actor, at: parts.clock.now)
        parts.metrics.count("latch_families_revoked_total", by: count ?? 0)
        return count
    }

    /// Deletes an account.
    ///
    /// - Parameters:
    ///   - isFinal: Whether nothing is kept, and the address may sign up again. Otherwise the operator can open the
    ///     account again, and until then its address stays taken.
    ///   - reason: Kept in the audit log, for people.
    package func delete(
        _ id: String, isFinal: Bool, by actor: String?, because reason: String
    ) async throws(IdentityError) -> Bool {
        try await parts.store.delete(
            id, isFinal: isFinal, by: actor, because: Self.plain(reason), at: parts.clock.now)
    }

    /// A reason as the audit log keeps it: bounded, and in one line.
    private static func plain(_ reason: String) -> String {
        let scalars = reason.unicodeScalars.prefix(500).filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(scalars))
    }

    /// A part of the list of accounts, for an administrator.
    ///
    /// - Parameter actor: Who asks, as the store has them now; nil for the operator.
    /// - Throws: `IdentityError.forbidden`, `.invalidInput`, or a store's error.
    package func list(_ query: AccountQuery, for actor: Account?) async throws(IdentityError) -> AccountPage {
        try Self.requireAdministrator(actor)
        guard (1...500).contains(query.limit) else {
            throw .invalidInput("'limit' must be a whole number from 1 to 500")
        }
        let isPlain = query.search.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard query.search.utf8.count <= 200, isPlain else {
            throw .invalidInput("'search_query' is longer than 200 bytes or holds control characters")
        }
        return try await parts.store.accounts(query)
    }

    /// Figures about all accounts, for an administrator.
    package func figures(for actor: Account?) async throws(IdentityError) -> AccountFigures {
        try Self.requireAdministrator(actor)
        let day = (parts.clock.now.timeIntervalSince1970 / 86_400).rounded(.down)
        return try await parts.store.figures(since: Date(timeIntervalSince1970: day * 86_400))
    }

    /// What somebody may see of an account.
    ///
    /// - Throws: `IdentityError.forbidden`, also where there is no such account and the asker has no business with others;
    ///   `.noSuchAccount`; or a store's error.
    package func look(at id: String, for actor: Account) async throws(IdentityError) -> FullAccount {
        guard let found = try await parts.store.fullAccount(id: id) else {
            throw actor.role >= .moderator ? .noSuchAccount : .forbidden
        }
        try AccountAct.look.check(by: actor, on: found.account)
        return found
    }

    /// The account of an address, an id or a username, for the operator; nil where there is none, or it was deleted.
    ///
    /// - Throws: `IdentityError.invalidInput` where the text has an @ and is no address, or a store's error.
    package func find(_ who: String) async throws(IdentityError) -> FullAccount? {
        if let full = try await parts.store.fullAccount(id: who) { return full }
        let found: Account?
        if who.contains("@") {
            found = try await parts.store.account(emailKey: EmailAddress(who).key)
        } else {
            found = try await parts.store.account(usernameKey: who.lowercased())
        }
        guard let found else { return nil }
        return try await parts.store.fullAccount(id: found.id)
    }

    /// Changes details of an account.
    ///
    /// - Throws: `IdentityError.invalidInput`, which names the detail; `.forbidden`, `.usernameTaken`, `.noSuchAccount`, or
    ///   a store's error.
    package func change(
        _ change: AccountDetailsChange, of id: String, by actor: String
    ) async throws(IdentityError) -> FullAccount {
        var change = change
        change.firstName = change.firstName.map { String($0.trimmingSpace()) }
        change.lastName = change.lastName.map { String($0.trimmingSpace()) }
        change.displayName = change.displayName.map { String($0.trimmingSpace()) }
        try DetailRules.check(change.applied(to: AccountDetails()), at: parts.clock.now)
        if let username = change.username, !username.isEmpty { _ = try Username(username) }
        guard let full = try await parts.store.change(change, of: id, by: actor, at: parts.clock.now) else {
            throw .noSuchAccount
        }
        return full
    }

    private static func requireAdministrator(_ actor: Account?) throws(IdentityError) {
        guard let actor else { return }
        guard actor.status == .active, actor.role >= .admin else { throw .forbidden }
    }
}
