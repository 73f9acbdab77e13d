// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

extension IdentityStore {
    /// Performs an action on an account in one transaction, if `rule` permits it there.
    ///
    /// It reads the facts in the transaction, so that an administrator who is being dismissed can no longer act.
    ///
    /// - Parameters:
    ///   - actor: The acting account, for `rule` and the audit log; nil for the operator.
    ///   - reason: A note for the audit log.
    /// - Returns: Nil if `rule` reports that the account does not exist.
    /// - Throws: The errors of `rule`; `IdentityError.usernameTaken`; `.invalidToken` if the actor's device was signed
    ///   out; `.administrationNeedsFactor`.
    package func perform(
        _ action: AccountAction, on id: String, by actor: AccountActor?, because reason: String?, at now: Date,
        if rule: @escaping AccountRule
    ) async throws(IdentityError) -> AccountActionResult? {
        try await write { db throws(IdentityError) in
            try db.requireSignedIn(actor, at: now)
            if let actor, actor.accountID != id { try db.requireOwnFactor(of: actor) }
            let target = try db.account(id)
            let context = AccountActionContext(
                actor: try actor.flatMap { actor throws(IdentityError) in try db.account(actor.accountID) },
                target: target,
                hasOtherAdministrator: try target.map { target throws(IdentityError) in
                    try db.hasAdministrator(except: target.id)
                } ?? false)
            guard try rule(context), let target else { return nil }
            let note = "by \(actor?.text ?? "the operator")\(reason.map { ": \($0)" } ?? "")"
            return try db.perform(action, on: target, by: actor?.accountID, note: note, at: now)
        }
    }

    /// Returns whether an account has a confirmed second factor or a passkey.
    package func hasFactor(_ account: String) async throws(IdentityError) -> Bool {
        try await read { db throws(IdentityError) in try db.hasFactor(account) }
    }

    /// Requires that the device of an administrator with a second factor or a passkey has proved it.
    ///
    /// - Throws: `IdentityError.administrationNeedsFactor`.
    package func requireOwnFactor(of actor: AccountActor) async throws(IdentityError) {
        try await read { db throws(IdentityError) in try db.requireOwnFactor(of: actor) }
    }
}

extension SQLConnection {
    /// Requires that the actor's device was not signed out, and its key did not end, since the request began (attack E8).
    ///
    /// - Throws: `IdentityError.invalidToken`, `.invalidAPIKey`.
    func requireSignedIn(_ actor: AccountActor?, at now: Date) throws(IdentityError) {
        guard let actor else { return }
        if let device = actor.device, try !isSignedIn(device, of: actor.accountID, at: now) { throw .invalidToken }
        guard let key = actor.key else { return }
        let isValid = try first(
            "SELECT 1 FROM api_key WHERE digest = $1 AND account_id = $2 AND expires_at > $3",
            [.blob(key), .text(actor.accountID), .date(now)]
        ) { _ in true }
        guard isValid != nil else { throw .invalidAPIKey }
    }

    /// Returns whether an account has a confirmed second factor or a passkey.
    fileprivate func hasFactor(_ account: String) throws(IdentityError) -> Bool {
        try number(
            """
            SELECT (SELECT count(*) FROM passkey WHERE account_id = $1)
                + (SELECT count(*) FROM second_factor WHERE account_id = $1 AND is_confirmed = $2)
            """, [.text(account), .integer(1)]) > 0
    }

    /// Requires that the device of an administrator with a second factor or a passkey has proved it.
    ///
    /// Otherwise a stolen password would open the administration, or add another factor that does.
    ///
    /// - Throws: `IdentityError.administrationNeedsFactor`.
    func requireOwnFactor(of actor: AccountActor) throws(IdentityError) {
        guard let device = actor.device, let account = try account(actor.accountID), account.isAdministrator,
            try hasFactor(account.id)
        else { return }
        let proved = try number("SELECT count(*) FROM device WHERE id = $1 AND factor_at IS NOT NULL", [.blob(device)])
        guard proved == 1 else { throw .administrationNeedsFactor }
    }

    /// Returns whether another account can administer the server, from the rows and not from the tally.
    ///
    /// An invited account that was never used does not count, since its address may be wrong.
    func hasAdministrator(except id: String) throws(IdentityError) -> Bool {
        try first(
            """
            SELECT 1 FROM account_list JOIN account ON account.id = account_list.account_id
            WHERE class IN (\(AccountClass.administrators)) AND account.id <> $1
                AND (account.password_hash IS NOT NULL OR account.last_login_at IS NOT NULL) LIMIT 1
            """, [.text(id)]
        ) { _ in true } ?? false
    }

    /// Performs an authorized action, with an entry in the audit log.
    fileprivate func perform(
        _ action: AccountAction, on target: Account, by actor: String?, note: String, at now: Date
    ) throws(IdentityError) -> AccountActionResult {
        let id = target.id
        var result = AccountActionResult()
        switch action {
        case .read: break
        case .update(let change):
            try update(id, change, at: now)
            try audit("account.changed", account: id, detail: actor == id ? nil : note, at: now)
        case .setRole(let role):
            guard !target.isGuest else { throw .addressRequired }
            try run(
                "UPDATE account SET roles = $1, updated_at = $2 WHERE id = $3",
                [.text(role.replacing(in: target.roles).joined(separator: " ")), .date(now), .text(id)])
            try endKeys(of: id, unlessFor: role, at: now)
            try audit("account.role", account: id, detail: "\(role.name) \(note)", at: now)
        case .setRoles(let words, _):
            guard !target.isGuest else { throw .addressRequired }
            try run(
                "UPDATE account SET roles = $1, updated_at = $2 WHERE id = $3",
                [.text(words.joined(separator: " ")), .date(now), .text(id)])
            try endKeys(of: id, unlessFor: Role(of: words), at: now)
            let detail = (words + [note]).joined(separator: " ")
            try audit("account.grants", account: id, detail: detail, at: now)
        case .setAttributes(let changes):
            try setAttributes(of: target, changes, note: actor == id ? nil : note, at: now)
        case .setEmail(let email, let isVerified, let end):
            try setEmail(of: target, to: email, isVerified: isVerified, note: note, at: now)
            try endGuest(id, endingSessionsBy: end)
        case .setStatus(let status):
            try setStatus(of: id, to: status, at: now)
            try audit("account.\(status.rawValue)", account: id, detail: note, at: now)
        case .endSessions:
            try audit("account.sessionsEnded", account: id, detail: note, at: now)
            try revokeDevices(of: id, because: .administrator, at: now)
            try endKeys(of: id, at: now)
        case .endSession(let device):
            result.hadDevice = try revoke(device, ownedBy: id, because: .administrator, at: now)
            guard result.hadDevice else { break }
            // An administrator who signs out a device does not trust the changes that were started there.
            try endEmailChange(of: id)
            try audit("account.sessionsEnded", account: id, detail: "one device \(note)", at: now)
        case .delete(let isFinal):
            // A user who signed up with a stranger's address must not block it by deleting the account (attack E8).
            let isUnproved = target.emailVerifiedAt == nil && target.ownerProvedAt == nil
            try delete(id, isFinal: isFinal || actor == id && isUnproved, note: note, at: now)
        case .mailReset, .removeFactor, .removeLink, .removePasskeys, .removePasskey, .unlock:
            try perform(onCredentials: action, of: target, note: note, at: now, &result)
        }
        result.signedOut = signedOutDevices
        return result
    }

    /// Performs an action on the ways in which the owner of an account signs in.
    private func perform(
        onCredentials action: AccountAction, of target: Account, note: String, at now: Date,
        _ result: inout AccountActionResult
    ) throws(IdentityError) {
        let id = target.id
        switch action {
        case .mailReset:
            // No email is sent to an account that cannot sign in.
            guard target.status == .active else { throw .accountSuspended }
            _ = try target.requireAddress()
            try mail(.resetPassword, to: id, causedBy: MailCause(), at: now)
            try audit("account.resetMailed", account: id, detail: note, at: now)
        case .removeFactor:
            result.hadFactor = try removeFactor(of: id, detail: note, causedBy: MailCause(), at: now)
            if result.hadFactor { try revokeDevices(of: id, because: .administrator, at: now) }
        case .removeLink(let provider):
            result.hadLink = try removeLink(
                to: provider, of: target, except: nil, note: note, causedBy: MailCause(), at: now)
            if result.hadLink { try requireWayIn(of: target) }
        case .removePasskeys, .removePasskey:
            var passkey: [UInt8]?
            if case .removePasskey(let id) = action { passkey = id }
            guard try removePasskeys(of: id, only: passkey, detail: note, causedBy: MailCause(), at: now) else { break }
            try requireWayIn(of: target)
            result.hadPasskeys = true
            try revokeDevices(of: id, because: .administrator, at: now)
        case .unlock:
            let unlocked = try run(
                "UPDATE second_factor SET failures = 0, failed_at = NULL WHERE account_id = $1 AND failures > 0",
                [.text(id)])
            if unlocked > 0 { try audit("account.unlocked", account: id, detail: note, at: now) }
        case .read, .update, .setAttributes, .setRole, .setRoles, .setEmail, .setStatus, .endSessions, .endSession,
            .delete:
            break
        }
    }

    /// Requires that the owner of an account gets in again: by a passkey or a provider, or by an email.
    ///
    /// - Throws: `IdentityError.lastSignIn`.
    private func requireWayIn(of target: Account) throws(IdentityError) {
        guard target.email == nil, target.passwordHash == nil else { return }
        for table in ["passkey", "upstream_identity"] {
            let count = try number("SELECT count(*) FROM \(table) WHERE account_id = $1", [.text(target.id)])
            guard count == 0 else { return }
        }
        throw .lastSignIn.with(
            message: "This is the only way to sign in to an account without an address.",
            hint: "Set an address first, or suspend or delete the account.")
    }

    /// Changes attributes; the audit log has the names of those that differ, and no values.
    private func setAttributes(
        of target: Account, _ changes: [String: JSONValue], note: String?, at now: Date
    ) throws(IdentityError) {
        let changed = target.attributes(changedBy: changes)
        guard changed != target.attributes else { return }
        let names = changes.keys.filter { changed[$0] != target.attributes[$0] }.sorted()
        try run(
            "UPDATE account SET attributes = $1, updated_at = $2 WHERE id = $3",
            [.text(Account.column(of: changed)), .date(now), .text(target.id)])
        let detail = (names + [note].compactMap(\.self)).joined(separator: " ")
        try audit("account.attributes", account: target.id, detail: detail, at: now)
    }

    /// Replaces the address of an account, whose earlier address gets a notice.
    ///
    /// The readers of the new address may not be those who set the credentials. So an address that is not verified is
    /// proved as after a sign-up, which ends them (attack E8).
    private func setEmail(
        of target: Account, to email: EmailAddress, isVerified: Bool, note: String, at now: Date
    ) throws(IdentityError) {
        let (id, isSame) = (target.id, email.key == target.email?.key)
        if !isSame { try mail(.addressChanged, to: id, causedBy: MailCause(), at: now) }
        let verifiedAt = isVerified ? isSame ? target.emailVerifiedAt ?? now : now : nil
        // The word of an administrator is about the address. It does not prove who set the password.
        let provedAt = isVerified ? isSame ? target.ownerProvedAt : target.ownerProvedAt.map { _ in now } : nil
        do throws(IdentityError) {
            try run(
                """
                UPDATE account SET email = $1, email_key = $2, email_verified_at = $3, owner_proved_at = $4,
                    updated_at = $5 WHERE id = $6
                """,
                [.text(email.text), .text(email.key), .date(verifiedAt), .date(provedAt), .date(now), .text(id)])
        } catch IdentityError.alreadyExists {
            throw .alreadyExists.at("email")
        }
        // Links that were mailed to the earlier address, and a change that its owner has requested.
        try endMailedTokens(of: id)
        try audit(
            "account.emailChanged", account: id, detail: "\(isVerified ? "verified" : "unverified") \(note)", at: now)
        if !isVerified { try mail(.verifyEmail, to: id, causedBy: MailCause(), at: now) }
    }

    /// Deletes an account; unless the deletion is final, the account keeps its address and user name.
    func delete(_ id: String, isFinal: Bool, note: String, at now: Date) throws(IdentityError) {
        guard isFinal else {
            try setStatus(of: id, to: .deleted, at: now)
            try endMailedTokens(of: id)
            return try audit("account.deleted", account: id, detail: note, at: now)
        }
        // The clients are told, and the notices stay after the rows.
        try endDevices(of: id, at: now)
        // Foreign keys remove all rows that refer to the account.
        try run("DELETE FROM account WHERE id = $1", [.text(id)])
        try audit("account.deleted", account: id, detail: "final \(note)", at: now)
    }

    /// Changes details; reads and writes in one transaction, so that no concurrent change of another field is lost.
    private func update(_ id: String, _ change: AccountDetailsChange, at now: Date) throws(IdentityError) {
        guard let found = try fullAccount(id) else { return }
        let details = change.applied(to: found.details)
        if details != found.details { try insert(details, of: id) }
        if let typed = change.username {
            let name = typed.isEmpty ? nil : try Username(choosing: typed, insteadOf: found.account.username)
            do throws(IdentityError) {
                try run(
                    "UPDATE account SET username = $1, username_key = $2 WHERE id = $3",
                    [.text(name?.text), .text(name?.key), .text(id)])
            } catch IdentityError.alreadyExists {
                throw .usernameTaken
            }
        }
        if let name = change.name {
            try run("UPDATE account SET name = $1 WHERE id = $2", [.text(name.isEmpty ? nil : name), .text(id)])
        }
        if let email = change.email {
            try run(
                "UPDATE account SET email = $1 WHERE id = $2 AND email_key = $3",
                [.text(email.text), .text(id), .text(email.key)])
        }
        try run("UPDATE account SET updated_at = $1 WHERE id = $2", [.date(now), .text(id)])
    }

    /// Sets a status, and signs out the devices unless it is `active`; a later activation restores none of them.
    ///
    /// Setting the current status again ends nothing, such as a pending sign-in.
    private func setStatus(of id: String, to status: Account.Status, at now: Date) throws(IdentityError) {
        try run(
            """
            UPDATE account SET status = $1, standing = $2, updated_at = $3
            WHERE id = $4 AND (status IS DISTINCT FROM $1 OR standing IS DISTINCT FROM $2)
            """,
            [.text(status.statusColumn), .text(status.standingColumn), .date(now), .text(id)])
        guard status != .active else { return }
        try revokeDevices(of: id, because: .accountDisabled, at: now)
        try endKeys(of: id, at: now)
    }
}
