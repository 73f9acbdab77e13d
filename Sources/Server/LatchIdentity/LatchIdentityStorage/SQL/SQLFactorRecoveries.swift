// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Returns the waiting removal of an account's second factor; nil if there is none.
    package func factorRecovery(of accountID: String) async throws(IdentityError) -> FactorRecovery? {
        try await read { db throws(IdentityError) in try db.factorRecovery(of: accountID) }
    }

    /// Begins the waiting time, and emails the owner; an earlier one keeps its date.
    ///
    /// - Returns: The removal that waits.
    /// - Throws: `IdentityError.accountChanged` if the account has changed since it was read, `.noSecondFactor`, or a
    ///   store's error.
    package func begin(
        _ recovery: FactorRecovery, for account: Account, causedBy cause: MailCause
    ) async throws(IdentityError) -> FactorRecovery {
        try await write { db throws(IdentityError) in
            guard try db.isUnchanged(account) else { throw .accountChanged }
            if let earlier = try db.factorRecovery(of: account.id) {
                if earlier.isFor(account) { return earlier }
                try db.cancelFactorRecovery(
                    of: account.id, because: "the account has changed", at: recovery.requestedAt)
            }
            let hasFactor = try db.number(
                "SELECT count(*) FROM second_factor WHERE account_id = $1 AND is_confirmed = 1", [.text(account.id)])
            guard hasFactor == 1 else { throw .noSecondFactor }
            try db.run(
                "INSERT INTO factor_recovery \(FactorRecovery.Column.insertion)",
                FactorRecovery.Column.values(of: recovery))
            try db.audit("factor.recoveryBegun", account: account.id, at: recovery.requestedAt)
            try db.mail(.factorRecoveryBegun, to: account.id, causedBy: cause, at: recovery.requestedAt)
            return recovery
        }
    }

    /// Ends the waiting time, and keeps the factor.
    package func cancelFactorRecovery(of accountID: String, at now: Date) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            try db.cancelFactorRecovery(of: accountID, because: "by the owner", at: now)
        }
    }

    /// Sends the second notices that are due, and removes the factors whose waiting time has ended, at most a hundred.
    ///
    /// - Parameter isEnabled: Whether the operator still wants it; otherwise those that are due stay.
    /// - Returns: Whether more may be due.
    package func recoverDueFactors(isEnabled: Bool, at date: Date) async throws(IdentityError) -> Bool {
        let due = try await all(
            "SELECT account_id FROM factor_recovery WHERE due_at <= $1 OR remind_at <= $1 ORDER BY due_at LIMIT 100",
            [.date(date)]
        ) { row throws(IdentityError) in try row.text(0) }
        for id in due {
            try await write { db throws(IdentityError) -> Void in
                try db.continueFactorRecovery(of: id, isEnabled: isEnabled, at: date)
            }
        }
        return due.count == 100
    }
}

extension SQLConnection {
    /// Ends the waiting time of an account, if it has one, with an entry in the audit log.
    func cancelFactorRecovery(of accountID: String, because reason: String, at now: Date) throws(IdentityError) {
        guard try run("DELETE FROM factor_recovery WHERE account_id = $1", [.text(accountID)]) == 1 else { return }
        try audit("factor.recoveryCanceled", account: accountID, detail: reason, at: now)
    }

    fileprivate func factorRecovery(of accountID: String) throws(IdentityError) -> FactorRecovery? {
        try first(
            "SELECT \(FactorRecovery.Column.list) FROM factor_recovery WHERE account_id = $1", [.text(accountID)],
            read: FactorRecovery.init)
    }

    fileprivate func continueFactorRecovery(
        of accountID: String, isEnabled: Bool, at now: Date
    ) throws(IdentityError) {
        // The owner may have canceled it since it was found.
        guard let recovery = try factorRecovery(of: accountID), let account = try account(accountID) else { return }
        guard isEnabled else {
            return try cancelFactorRecovery(of: accountID, because: "factor_recovery_delay is not set", at: now)
        }
        guard recovery.isFor(account) else {
            return try cancelFactorRecovery(of: accountID, because: "the account has changed", at: now)
        }
        if let remindAt = recovery.remindAt {
            guard remindAt <= now else { return }
            // The owner has a day after the second notice, also if no server ran in the meantime.
            let dueAt = max(recovery.dueAt, now.addingTimeInterval(FactorRecovery.reminder))
            try run(
                "UPDATE factor_recovery SET remind_at = NULL, due_at = $1 WHERE account_id = $2",
                [.date(dueAt), .text(accountID)])
            return try mail(.factorRecoverySoon, to: accountID, causedBy: MailCause(), at: now)
        }
        guard recovery.dueAt <= now else { return }
        try run("DELETE FROM factor_recovery WHERE account_id = $1", [.text(accountID)])
        _ = try removeFactor(of: accountID, detail: "after the waiting time", causedBy: MailCause(), at: now)
    }
}

extension FactorRecovery {
    /// The columns of `factor_recovery`.
    package enum Column: Int32, TableColumn {
        case accountID, credentialVersion, requestedAt, remindAt, dueAt

        package static let (list, insertion) = texts()

        package func value(of recovery: FactorRecovery?) -> SQLValue {
            switch self {
            case .accountID: .text(recovery?.accountID)
            case .credentialVersion: .integer((recovery?.credentialVersion).map { Int64($0) })
            case .requestedAt: .date(recovery?.requestedAt)
            case .remindAt: .date(recovery?.remindAt)
            case .dueAt: .date(recovery?.dueAt)
            }
        }
    }

    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            accountID: try row.text(Column.accountID),
            credentialVersion: Int(try row.integer(Column.credentialVersion)),
            requestedAt: try row.date(Column.requestedAt), remindAt: try row.optionalDate(Column.remindAt),
            dueAt: try row.date(Column.dueAt))
    }
}
