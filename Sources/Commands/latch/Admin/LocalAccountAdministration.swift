// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchFoundation
import LatchIdentity

/// The administration of a store on this machine, even while a server uses it.
///
/// The audit log names the operator for each change; a running server sees the change within a second.
struct LocalAccountAdministration: AccountAdministration {
    let identity: Identity

    /// Runs `body` with the store that the settings name.
    ///
    /// It must exist, so that a misspelled path does not create one.
    static func opening<Result>(
        _ settings: Settings, _ environment: Environment,
        configure: (inout IdentityConfiguration) throws -> Void = { _ in },
        _ body: (Identity) async throws -> Result
    ) async throws -> Result {
        let location = settings.configuration.store
        let path = location.path
        guard !location.isFile || FileManager.default.fileExists(atPath: path) else {
            throw CommandError.failed(
                "There is no store at '\(path)'.",
                hint: "Choose it with --store sqlite:PATH or --config FILE, or a server with --url.")
        }
        var configuration = try settings.identityConfigurationWithKey()
        try configure(&configuration)
        let identity = try await StartupWarning.awaitingDatabase(by: environment.warn) {
            try await Identity(administering: path, configuration: configuration)
        }
        do {
            let result = try await body(identity)
            await identity.close()
            return result
        } catch {
            await identity.close()
            throw error
        }
    }

    private var administration: AdministrationService { identity.administration }

    func list(_ query: AccountQuery) async throws -> (accounts: [AdministeredAccount], total: Int, isMinimum: Bool) {
        var page = query
        var found: [AdministeredAccount] = []
        while true {
            page.limit = min(query.limit - found.count, 500)
            let result = try await administration.list(page, for: nil)
            found += result.accounts.map { AdministeredAccount($0) }
            guard let next = result.next, found.count < query.limit else {
                return (found, result.total, result.isTotalMinimum)
            }
            page.after = next
        }
    }

    func account(_ who: String) async throws -> AdministeredAccount {
        guard let full = try await administration.find(who) else { throw CommandError.noAccount(who) }
        var account = AdministeredAccount(full)
        account.hasSecondFactor = try await identity.secondFactors.isConfirmed(of: account.id)
        return account
    }

    func create(
        _ email: String, password: String?, name: String?, roles: [String], isVerified: Bool
    ) async throws -> AdministeredAccount {
        guard let password else {
            return try await account(identity.accounts.invite(email: email, name: name, roles: roles).id)
        }
        let made = try await identity.accounts.signUp(
            email: email, password: password, name: name, roles: AccountService.completed(roles),
            isVerified: isVerified)
        return try await account(made.id)
    }

    func mailReset(of account: AdministeredAccount) async throws {
        guard try await administration.mailReset(of: account.id, by: nil) else {
            throw CommandError.noAccount(account.email)
        }
    }

    func unlock(_ id: String) async throws {
        guard try await administration.unlock(id, by: nil) else { throw CommandError.noAccount(id) }
    }

    func setRole(_ role: Role, of id: String) async throws -> AdministeredAccount {
        guard try await administration.setRole(of: id, to: role) else { throw CommandError.noAccount(id) }
        return try await account(id)
    }

    func setStatus(
        _ status: LatchIdentity.Account.Status, of id: String, because reason: String
    ) async throws -> AdministeredAccount {
        guard try await administration.setStatus(of: id, to: status, by: nil, because: reason) else {
            throw CommandError.noAccount(id)
        }
        return try await account(id)
    }

    func endSessions(of id: String) async throws -> Int {
        guard let count = try await administration.endSessions(of: id, by: nil) else {
            throw CommandError.noAccount(id)
        }
        return count
    }

    func removeFactor(of id: String) async throws -> Bool {
        guard let found = try await administration.removeFactor(of: id) else { throw CommandError.noAccount(id) }
        return found
    }

    func delete(_ id: String, isFinal: Bool, because reason: String) async throws {
        guard try await administration.delete(id, isFinal: isFinal, by: nil, because: reason) else {
            throw CommandError.noAccount(id)
        }
    }
}
