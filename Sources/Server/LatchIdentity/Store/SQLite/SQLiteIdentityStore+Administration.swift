// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore {
    /// Shutting signs out the devices in the same transaction; opening brings none of them back.
    package func setStatus(
        of id: String, to status: Account.Status, by actor: String?, because reason: String, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            guard let target = try db.target(id, of: .setStatus(status), by: actor) else { return false }
            if status != .active { try db.keepAnAdministrator(besides: target) }
            try db.run(
                "UPDATE account SET status = ?, standing = ?, updated_at = ? WHERE id = ?",
                [.text(status.use), .text(status.standing), .date(now), .text(id)])
            if status != .active { try db.revokeDevices(of: id, because: .accountDisabled, at: now) }
            let detail = "by \(actor ?? "the operator")\(reason.isEmpty ? "" : ": \(reason)")"
            try db.audit("account.\(status.rawValue)", account: id, detail: detail, at: now)
            return true
        }
    }

    package func endSessions(of id: String, by actor: String?, at now: Date) async throws(IdentityError) -> Int? {
        try await writer.write { db throws(IdentityError) in
            guard try db.target(id, of: .endSessions, by: actor) != nil else { return nil }
            try db.audit("account.sessionsEnded", account: id, detail: "by \(actor ?? "the operator")", at: now)
            return try db.revokeDevices(of: id, because: .administrator, at: now)
        }
    }

    /// Who gives the role is read in the transaction: somebody who is dismissed at this moment gives none any more.
    package func setRole(
        of id: String, to role: Role, by actor: String?, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            guard let target = try db.target(id, of: .setRole(role), by: actor) else { return false }
            if role < .admin { try db.keepAnAdministrator(besides: target) }
            try db.setRole(role, of: target, by: actor, at: now)
            return true
        }
    }

    /// Looking for an administrator and making one are one transaction, so that two starts appoint one.
    package func appoint(emailKey: String, at now: Date) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            guard try db.administratorCount() == 0,
                let account = try db.first(
                    """
                    SELECT \(Account.columns) FROM account
                    WHERE email_key = ? AND email_verified_at IS NOT NULL AND status = 'active'
                    """,
                    [.text(emailKey)], read: Account.init)
            else { return false }
            try db.setRole(.superAdmin, of: account, by: nil, at: now)
            return true
        }
    }

    /// A deleted row that stays keeps its address taken, and its devices end; a final end takes everything along by its
    /// foreign keys.
    package func delete(
        _ id: String, isFinal: Bool, by actor: String?, because reason: String, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await writer.write { db throws(IdentityError) in
            guard let target = try db.target(id, of: .delete, by: actor, orDeleted: isFinal) else { return false }
            try db.keepAnAdministrator(besides: target)
            if isFinal {
                try db.run("DELETE FROM account WHERE id = ?", [.text(id)])
            } else {
                let status = Account.Status.deleted
                try db.run(
                    "UPDATE account SET status = ?, standing = ?, updated_at = ? WHERE id = ?",
                    [.text(status.use), .text(status.standing), .date(now), .text(id)])
                try db.revokeDevices(of: id, because: .accountDisabled, at: now)
                try db.run("DELETE FROM one_time_token WHERE account_id = ?", [.text(id)])
            }
            let detail = "\(isFinal ? "final " : "")by \(actor ?? "the operator"): \(reason)"
            try db.audit("account.deleted", account: id, detail: detail, at: now)
            return true
        }
    }

    /// The date of the password stands in the condition: who knew a password that was reset meanwhile changes nothing.
    ///
    /// It always moves forward, so that a login that was checked against the old password is told apart.
    package func changePassword(
        of account: Account, to hash: String, signingOutAllBut device: [UInt8]?, at now: Date
    ) async throws(IdentityError) -> PasswordReset? {
        let id = account.id
        return try await writer.write { db throws(IdentityError) in
            let changed = try db.run(
                """
                UPDATE account SET password_hash = ?1, password_changed_at = max(?2, password_changed_at + 1)
                WHERE id = ?3 AND password_changed_at = ?4 AND status = 'active'
                """,
                [.text(hash), .date(now), .text(id), .date(account.passwordChangedAt)])
            guard changed == 1 else { return nil }
            try db.run("DELETE FROM one_time_token WHERE account_id = ?", [.text(id)])
            try db.run("DELETE FROM email_change WHERE account_id = ?", [.text(id)])
            var signedOut = 0
            if let device {
                signedOut = try db.revokeDevices(of: id, but: device, because: .passwordChange, at: now)
            }
            try db.audit("account.passwordChanged", account: id, at: now)
            return PasswordReset(accountID: id, signedOut: signedOut)
        }
    }
}

extension SQLiteConnection {
    /// The account that something is to be done to, if the actor may; nil where there is none.
    ///
    /// - Parameter actor: Nil for the operator, who may do everything.
    /// - Throws: `IdentityError.forbidden`, which also hides from those who may do nothing whether there is such an account.
    func target(
        _ id: String, of act: AccountAct, by actor: String?, orDeleted: Bool = false
    ) throws(IdentityError) -> Account? {
        let account = { (id: String) throws(IdentityError) in
            try self.first("SELECT \(Account.columns) FROM account WHERE id = ?", [.text(id)], read: Account.init)
        }
        let target = try account(id)
        if let actor {
            guard let actor = try account(actor) else { throw .forbidden }
            guard let target else {
                guard actor.status == .active, actor.role >= .moderator else { throw .forbidden }
                return nil
            }
            try act.check(by: actor, on: target)
        }
        guard let target, target.status != .deleted || orDeleted || actor == nil else { return nil }
        return target
    }

    /// Refuses what would leave nobody who can administer the server (attack K9).
    fileprivate func keepAnAdministrator(besides target: Account) throws(IdentityError) {
        guard target.role >= .admin, target.status == .active else { return }
        guard try administratorCount(besides: target.id) > 0 else { throw .lastAdministrator }
    }

    /// How many accounts administer the server now.
    fileprivate func administratorCount(besides id: String = "") throws(IdentityError) -> Int {
        try number(
            "SELECT count(*) FROM account WHERE status = 'active' AND \(Account.roleNumber) >= 3 AND id <> ?",
            [.text(id)])
    }

    /// Words that are no roles of ours stay.
    fileprivate func setRole(
        _ role: Role, of account: Account, by actor: String?, at now: Date
    ) throws(IdentityError) {
        try run(
            "UPDATE account SET roles = ?, updated_at = ? WHERE id = ?",
            [.text(role.replacing(in: account.roles).joined(separator: " ")), .date(now), .text(account.id)])
        let detail = "\(role.name) by \(actor ?? "the operator")"
        try audit("account.role", account: account.id, detail: detail, at: now)
    }
}

extension Account {
    /// ``Role/init(of:)`` in SQL.
    static let roleNumber = """
        (CASE WHEN instr(' ' || roles || ' ', ' admin ') = 0
            THEN CASE WHEN instr(' ' || roles || ' ', ' moderator ') > 0 THEN 2 ELSE 1 END
            WHEN instr(' ' || roles || ' ', ' super_admin ') > 0 THEN 4 ELSE 3 END)
        """
}
