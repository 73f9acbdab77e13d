// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation

extension IdentityStore {
    /// Inserts the account of a guest together with its first device.
    ///
    /// - Throws: `IdentityError.alreadyExists` if the device exists, as for a repeated request.
    package func insert(guest account: Account, on device: Device) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.number("SELECT count(*) FROM device WHERE id = $1", [.blob(device.id)]) == 0 else {
                throw .alreadyExists
            }
            try db.insert(account)
            try db.audit("account.created", account: account.id, detail: "guest", at: account.createdAt)
            guard try db.signIn(device, of: account) else { throw .accountChanged }
        }
    }

    /// Gives an account without an address what a registration has, and emails a link that verifies the address.
    ///
    /// The ID and the sessions stay. The transaction decides between concurrent registrations, and between them and the
    /// removal of the guest.
    ///
    /// - Parameters:
    ///   - account: The account after the registration, with the credential version that was read before it.
    ///   - attributes: The changes of its attributes, in which null removes one.
    ///   - device: The signed-in device that registers.
    ///   - end: The time at which the sessions of a guest end from now on.
    /// - Throws: `IdentityError.alreadyExists` if the address or the user name is taken. `.accountChanged` if the account
    ///   has changed since it was read. `.invalidToken` if the device was signed out.
    package func register(
        guest account: Account, changing attributes: [String: JSONValue], mail: OutboxMail, on device: [UInt8],
        endingSessionsBy end: Date, at now: Date
    ) async throws(IdentityError) {
        let id = account.id
        let columns: [Account.Column] = [
            .email, .emailKey, .username, .usernameKey, .name, .passwordHash, .attributes, .termsVersion,
            .termsAcceptedAt,
        ]
        let changes = columns.enumerated().map { "\($1.name) = $\($0 + 2)" }.joined(separator: ", ")
        try await write { db throws(IdentityError) -> Void in
            guard try db.isSignedIn(device, of: id, at: now) else { throw .invalidToken }
            guard try db.isUnchanged(account), let current = try db.account(id), current.email == nil else {
                throw .accountChanged
            }
            var account = account
            account.attributes = current.attributes(changedBy: attributes)
            try db.endGuest(id, endingSessionsBy: end)
            try db.run(
                """
                UPDATE account SET password_changed_at =
                    CASE WHEN $1 > password_changed_at THEN $1 ELSE password_changed_at + 1 END,
                    updated_at = $1, \(changes) WHERE id = $\(columns.count + 2)
                """, [.date(now)] + columns.map { $0.value(of: account) } + [.text(id)])
            try db.insert(mail)
            try db.audit(
                "account.registered", account: id, detail: account.acceptedTerms.map { "terms \($0.version)" }, at: now)
        }
    }

    /// Removes guests whose sessions were not used for a time, at most a hundred.
    ///
    /// The date of the account is only a lower bound, so that a refresh need not write it. A guest who was here since
    /// then gets a later date.
    ///
    /// - Returns: Whether more may be due.
    package func removeGuests(unusedFor lifetime: TimeInterval, at date: Date) async throws(IdentityError) -> Bool {
        let due = try await all(
            "SELECT id FROM account WHERE guest_until <= $1 ORDER BY guest_until LIMIT 100", [.date(date)]
        ) { row throws(IdentityError) in try row.text(0) }
        // A transaction for each, since one removes all rows of an account.
        for id in due {
            try await write { db throws(IdentityError) -> Void in
                // The guest may have become a user.
                guard let end = try db.account(id)?.guestUntil, end <= date else { return }
                let used = try db.first("SELECT max(last_used_at) FROM device WHERE account_id = $1", [.text(id)]) {
                    row throws(IdentityError) in try row.optionalDate(0)
                }
                if let later = used.flatMap(\.self)?.addingTimeInterval(lifetime), later > date {
                    try db.run("UPDATE account SET guest_until = $1 WHERE id = $2", [.date(later), .text(id)])
                } else {
                    try db.delete(id, isFinal: true, note: "unused guest", at: date)
                }
            }
        }
        return due.count == 100
    }
}

extension SQLConnection {
    /// Makes a guest a user, who can sign in from now on, so that the sessions need not last for years.
    ///
    /// - Parameter end: The time at which the sessions end at the latest; nil keeps them.
    func endGuest(_ accountID: String, endingSessionsBy end: Date?) throws(IdentityError) {
        let ended = try run(
            "UPDATE account SET guest_until = NULL WHERE id = $1 AND guest_until IS NOT NULL", [.text(accountID)])
        guard ended == 1, let end else { return }
        try run(
            "UPDATE device SET expires_at = $1 WHERE account_id = $2 AND expires_at > $1",
            [.date(end), .text(accountID)])
    }

    /// Gives an account the address that a provider has verified; an account with an address keeps it.
    ///
    /// - Throws: `IdentityError.addressTaken` if another account has the address.
    func adopt(_ email: EmailAddress, for account: Account, from provider: String, at now: Date) throws(IdentityError) {
        guard account.email == nil else { return }
        do throws(IdentityError) {
            try run(
                """
                UPDATE account SET email = $1, email_key = $2, email_verified_at = $3, updated_at = $3 WHERE id = $4
                """, [.text(email.text), .text(email.key), .date(now), .text(account.id)])
        } catch IdentityError.alreadyExists {
            throw .addressTaken
        }
        try audit("account.registered", account: account.id, detail: provider, at: now)
    }

    /// Returns the number of guests by the day (UTC) of their creation, without deleted ones.
    func guests() throws(IdentityError) -> [(day: Int64, count: Int)] {
        try all(
            """
            SELECT created_at / 86400000, count(*) FROM account
            WHERE guest_until IS NOT NULL AND standing IS DISTINCT FROM 'deleted' GROUP BY 1
            """, []
        ) { row throws(IdentityError) in (day: try row.integer(0), count: Int(try row.integer(1))) }
    }
}
