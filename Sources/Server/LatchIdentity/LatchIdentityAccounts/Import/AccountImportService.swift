// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage

/// The service that moves accounts between this server and other systems.
package struct AccountImportService: Sendable {
    private let store: IdentityStore
    private let clock: WallClock
    private let metrics: Metrics
    private let accounts: AccountService
    private let coder: AccountRecordCoder

    package init(
        store: IdentityStore, clock: WallClock, random: RandomSource,
        pepper: SymmetricKey, metrics: Metrics, accounts: AccountService,
        issuers: [String: String?], relyingPartyID: String?
    ) {
        (self.store, self.clock, self.metrics, self.accounts) = (store, clock, metrics, accounts)
        coder = AccountRecordCoder(
            cipher: TOTPSecretCipher(pepper: pepper), random: random, issuers: issuers,
            relyingPartyID: relyingPartyID, attributes: accounts.attributes)
    }

    /// What became of a record.
    package enum Outcome: Sendable, Equatable {
        case imported
        /// It was imported before: an account has its `foreign_id`.
        case known
        case refused(IdentityError)
    }

    private struct Claim: Hashable {
        let kind: ImportedAccount.UniqueValue
        let text: String
    }

    /// Imports records, and leaves out those that cannot be imported.
    ///
    /// All are inserted in one transaction. No email is sent, and no limit of sign-ups counts. Records with a
    /// `foreign_id` can be imported again: those that are in the store stay as they are.
    ///
    /// - Parameters:
    ///   - isDryRun: Whether everything is checked and nothing is changed.
    ///   - administrator: Who imports. They give only roles below their own; the operator gives any.
    /// - Returns: An outcome for each record.
    /// - Throws: `IdentityError.forbidden`, `.overloaded` or a store's error.
    package func insert(
        _ records: [JSONValue], isDryRun: Bool, by administrator: Administrator
    ) async throws(IdentityError) -> [Outcome] {
        let now = clock.now
        var outcomes: [Outcome] = []
        var new: [(index: Int, account: ImportedAccount)] = []
        var claimed: Set<Claim> = []
        for json in records {
            do throws(IdentityError) {
                let account = try coder.account(json, at: now)
                try accounts.require(account.account.roles, givenBy: administrator)
                guard administrator.account == nil || account.account.permissions.isEmpty else {
                    throw .invalidRecord("permissions", "are given by the operator only")
                }
                try Self.claim(account, &claimed)
                new.append((outcomes.count, account))
                outcomes.append(.imported)
            } catch {
                outcomes.append(.refused(error))
            }
        }
        let found = try await insert(new.map(\.account), isDryRun: isDryRun, by: administrator, at: now)
        for (place, outcome) in zip(new, found) {
            outcomes[place.index] =
                switch outcome {
                case .imported: .imported
                case .known: .known
                case .taken(let kind):
                    .refused(.invalidRecord(kind.rawValue, "belongs to another account of the server"))
                }
        }
        if !isDryRun { metrics.count(.accountsCreated, by: found.count { $0 == .imported }) }
        return outcomes
    }

    private func insert(
        _ accounts: [ImportedAccount], isDryRun: Bool, by administrator: Administrator, at now: Date
    ) async throws(IdentityError) -> [ImportedAccount.Outcome] {
        guard !accounts.isEmpty else { return [] }
        var attempts = 0
        while true {
            do throws(IdentityError) {
                return try await store.insert(
                    imported: accounts, isDryRun: isDryRun, by: administrator.account, with: administrator.actor,
                    note: "imported by \(administrator.name)", at: now)
            } catch {
                attempts += 1
                // A user has signed up with one of the addresses at this moment.
                guard error == .alreadyExists, attempts < 5 else { throw error }
            }
        }
    }

    /// Notes the values of a record, each of which only one record may have.
    private static func claim(
        _ account: ImportedAccount, _ claimed: inout Set<Claim>
    ) throws(IdentityError) {
        var claims: Set<Claim> = []
        for value in account.uniqueValues {
            let claim = Claim(kind: value.kind, text: value.text)
            guard !claimed.contains(claim) else {
                throw .invalidRecord(claim.kind.rawValue, "is the same as in an earlier record")
            }
            guard claims.insert(claim).inserted else {
                throw .invalidRecord(claim.kind.rawValue, "are the same twice")
            }
        }
        claimed.formUnion(claims)
    }

    /// Returns records of accounts that are not deleted, in the order of their IDs.
    ///
    /// - Parameters:
    ///   - id: The ID after which the page begins; empty for the first page.
    /// - Returns: The records, and the ID of the last account; nil after the last page.
    /// - Throws: `IdentityError.factorUnreadable` or a store's error.
    package func records(after id: String, limit: Int) async throws(IdentityError) -> (
        records: [JSONObject], last: String?
    ) {
        let accounts = try await store.exportedAccounts(after: id, limit: limit)
        return (
            try accounts.map { account throws(IdentityError) in try coder.json(account) }, accounts.last?.account.id
        )
    }
}
