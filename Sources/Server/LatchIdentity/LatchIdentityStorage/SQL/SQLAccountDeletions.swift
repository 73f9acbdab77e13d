// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Returns the deletion that the owner of an account has requested; nil if there is none.
    package func deletion(of accountID: String) async throws(IdentityError) -> AccountDeletion? {
        try await first(
            "SELECT \(AccountDeletion.Column.list) FROM account_deletion WHERE account_id = $1", [.text(accountID)],
            read: AccountDeletion.init)
    }

    /// Requests the deletion of an account, and emails its owner; an earlier request keeps its date.
    ///
    /// - Parameter device: The owner's signed-in device.
    /// - Throws: `IdentityError.lastAdministrator`; `.accountChanged` if the account has changed since it was read;
    ///   `.invalidToken` if the device was signed out; or a store's error.
    package func requestDeletion(
        of account: Account, dueAt: Date, on device: [UInt8], causedBy cause: MailCause, at now: Date
    ) async throws(IdentityError) {
        try await write { db throws(IdentityError) in
            guard try db.isSignedIn(device, of: account.id, at: now) else { throw .invalidToken }
            guard try db.isUnchanged(account) else { throw .accountChanged }
            guard try db.mayDelete(account) else { throw .lastAdministrator }
            let deletion = AccountDeletion(accountID: account.id, requestedAt: now, dueAt: dueAt)
            let added = try db.run(
                """
                INSERT INTO account_deletion \(AccountDeletion.Column.insertion) ON CONFLICT (account_id) DO NOTHING
                """, AccountDeletion.Column.values(of: deletion))
            guard added == 1 else { return }
            try db.audit("account.deletionRequested", account: account.id, at: now)
            try db.mail(.deletionRequested, to: account.id, causedBy: cause, at: now)
        }
    }

    /// Cancels the deletion of an account; returns false if none was requested.
    @discardableResult
    package func cancelDeletion(of accountID: String, at now: Date) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            try db.cancelDeletion(of: accountID, detail: nil, at: now)
        }
    }

    /// Removes the active accounts whose deletion is due, at most a hundred.
    ///
    /// An account that is banned or disabled stays: its owner must not free the address. The last administrator stays, and
    /// its request ends.
    ///
    /// - Returns: Whether more may be due.
    package func deleteDueAccounts(at date: Date) async throws(IdentityError) -> Bool {
        let due = try await all(
            """
            SELECT account_id FROM account_deletion JOIN account ON account.id = account_id
            WHERE due_at <= $1 AND status = 'active' ORDER BY due_at LIMIT 100
            """, [.date(date)]
        ) { row throws(IdentityError) in try row.text(0) }
        // A transaction for each, since one removes all rows of an account.
        for id in due {
            try await write { db throws(IdentityError) -> Void in
                // The owner may have canceled it, or an administrator banned the account.
                guard
                    try db.number(
                        "SELECT count(*) FROM account_deletion WHERE account_id = $1 AND due_at <= $2",
                        [.text(id), .date(date)]) == 1, let account = try db.account(id), account.status == .active
                else { return }
                guard try db.mayDelete(account) else {
                    try db.cancelDeletion(of: id, detail: "last administrator", at: date)
                    return
                }
                try db.delete(id, isFinal: true, note: "by its owner's request", at: date)
            }
        }
        return due.count == 100
    }
}

extension SQLConnection {
    /// Cancels the deletion of an account; returns false if none was requested.
    @discardableResult
    func cancelDeletion(of accountID: String, detail: String?, at now: Date) throws(IdentityError) -> Bool {
        guard try run("DELETE FROM account_deletion WHERE account_id = $1", [.text(accountID)]) == 1 else {
            return false
        }
        try audit("account.deletionCanceled", account: accountID, detail: detail, at: now)
        return true
    }

    /// Returns whether an administrator remains after a deletion (attack K9).
    fileprivate func mayDelete(_ account: Account) throws(IdentityError) -> Bool {
        guard account.isAdministrator else { return true }
        return try hasAdministrator(except: account.id)
    }
}

extension AccountDeletion {
    /// The columns of `account_deletion`.
    package enum Column: Int32, TableColumn {
        case accountID, requestedAt, dueAt

        package static let (list, insertion) = texts()

        package func value(of deletion: AccountDeletion?) -> SQLValue {
            switch self {
            case .accountID: .text(deletion?.accountID)
            case .requestedAt: .date(deletion?.requestedAt)
            case .dueAt: .date(deletion?.dueAt)
            }
        }
    }

    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            accountID: try row.text(Column.accountID), requestedAt: try row.date(Column.requestedAt),
            dueAt: try row.date(Column.dueAt))
    }
}
