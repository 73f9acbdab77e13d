// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import PortableFoundation

extension IdentityStore {
    /// Inserts a code, and if given the detail of the consent that it comes from, for the audit log.
    package func insert(_ code: AuthorizationCode, consent detail: String?) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            if let detail {
                try db.audit("consent.granted", account: code.accountID, detail: detail, at: code.issuedAt)
            }
            try db.run(
                """
                INSERT INTO authorization_code (\(AuthorizationCode.columns), expires_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
                """,
                [
                    .blob(code.digest), .text(code.clientID), .text(code.accountID),
                    .integer(Int64(code.credentialVersion)), .blob(code.browserDevice), .text(code.redirect),
                    .text(code.codeChallenge), .text(code.nonce), .text(code.scope), .date(code.authenticatedAt),
                    .date(code.factorAt), .date(code.validUntil),
                    .date(code.validUntil),
                ])
            // A browser that begins without end keeps the newest.
            try db.run(
                """
                DELETE FROM authorization_code WHERE account_id = $1 AND browser_device = $2 AND used_at IS NULL
                    AND digest NOT IN (
                        SELECT digest FROM authorization_code
                        WHERE account_id = $1 AND browser_device = $2 AND used_at IS NULL
                        ORDER BY valid_until DESC LIMIT 20)
                """, [.text(code.accountID), .blob(code.browserDevice)])
        }
    }

    /// Returns a code by its digest, used and expired ones included; nil if there is none.
    package func authorizationCode(_ digest: [UInt8]) async throws(IdentityError) -> AuthorizationCode? {
        try await first(
            "SELECT \(AuthorizationCode.columns), used_at FROM authorization_code WHERE digest = $1", [.blob(digest)],
            read: AuthorizationCode.init)
    }

    /// Uses up a code and signs its device in, in one transaction; a second use signs the device of the first one out.
    ///
    /// Uses the code up by one conditional update: of any number of equal attempts one succeeds (attack A6), and each other
    /// one ends what that one has given (RFC 6749 §4.1.2, attack A5).
    package func redeem(
        _ code: AuthorizationCode, on device: Device, for account: Account
    ) async throws(IdentityError) -> CodeRedemption {
        try await write { db throws(IdentityError) in
            let now = device.createdAt
            let changed = try db.run(
                """
                UPDATE authorization_code SET used_at = $1, device_id = $2, expires_at = $3
                WHERE digest = $4 AND used_at IS NULL AND valid_until > $1
                """,
                [
                    .date(now), .blob(device.id), .date(now.addingTimeInterval(AuthorizationCode.memory)),
                    .blob(code.digest),
                ])
            guard changed == 1 else {
                // The expiry of an unused code is no attack.
                let detail = "\(code.clientID) from \(device.address ?? "")"
                return try db.endCode(code, isRefused: false, detail: detail, at: now) ? .replayed : .ended
            }
            // The user may have left the browser, or signed out everywhere, since then (attack A10).
            guard try db.isSignedIn(code.browserDevice, of: account.id, at: now) else { return .ended }
            return try db.signIn(device, of: account) ? .redeemed : .ended
        }
    }

    /// Ends a code that is not exchanged, signs out the device that it has signed in, and records it.
    ///
    /// - Parameter isRefused: Whether it ends also if nobody has used it.
    /// - Returns: Whether such a device was signed in.
    package func end(
        _ code: AuthorizationCode, isRefused: Bool, detail: String?, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            try db.endCode(code, isRefused: isRefused, detail: detail, at: now)
        }
    }

    // MARK: Devices

    /// Inserts a mail that belongs to no other change.
    ///
    /// Relies on the index to decide between equal codes.
    ///
    /// - Throws: `IdentityError.overloaded` if the outbox is full, unless the mail is a notice.
    package func insert(_ authorization: DeviceAuthorizationRecord) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            // The code of an authorization that has ended may be given again.
            try db.run(
                "DELETE FROM device_authorization WHERE user_digest = $1 AND expires_at <= $2",
                [.blob(authorization.userDigest), .date(authorization.createdAt)])
            return try db.run(
                """
                INSERT INTO device_authorization (digest, user_digest, client_id, scope, address, user_agent,
                    created_at, expires_at, poll_interval) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                ON CONFLICT DO NOTHING
                """,
                [
                    .blob(authorization.digest), .blob(authorization.userDigest), .text(authorization.clientID),
                    .text(authorization.scope), .text(authorization.address), .text(authorization.userAgent),
                    .date(authorization.createdAt), .date(authorization.expiresAt),
                    .integer(Int64(authorization.interval)),
                ]) == 1
        }
    }

    /// Returns the undecided device authorization of a user code; nil if there is none, or it has expired.
    package func deviceAuthorization(
        userDigest: [UInt8], at now: Date
    ) async throws(IdentityError) -> DeviceAuthorizationRecord? {
        try await first(
            """
            SELECT digest, user_digest, client_id, scope, address, user_agent, created_at, expires_at, poll_interval
            FROM device_authorization WHERE user_digest = $1 AND expires_at > $2 AND decision IS NULL
            """, [.blob(userDigest), .date(now)]
        ) { row throws(IdentityError) in
            DeviceAuthorizationRecord(
                digest: try row.blob(0), userDigest: try row.blob(1), clientID: try row.text(2),
                scope: try row.optionalText(3), address: try row.text(4), userAgent: try row.optionalText(5),
                createdAt: try row.date(6), expiresAt: try row.date(7), interval: Int(try row.integer(8)))
        }
    }

    /// Records the user's decision, in the audit log as well; nil denies.
    ///
    /// - Returns: False if the authorization has ended, was decided before, or the account has changed.
    package func decide(
        userDigest: [UInt8], _ approval: DeviceApproval?, by accountID: String, detail: String?, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            let decided = try db.run(
                """
                UPDATE device_authorization SET decision = $1, account_id = $2, credential_version = $3,
                    browser_device = $4, granted_scope = $5, authenticated_at = $6, factor_at = $7
                WHERE user_digest = $8 AND expires_at > $9 AND decision IS NULL
                """,
                [
                    .text(approval == nil ? "denied" : "approved"), .text(approval?.accountID),
                    .integer((approval?.credentialVersion).map { Int64($0) }), .blob(approval?.browserDevice),
                    .text(approval?.scope), .date(approval?.authenticatedAt), .date(approval?.factorAt),
                    .blob(userDigest), .date(now),
                ])
            guard decided == 1 else { return false }
            try db.audit(
                approval == nil ? "device.denied" : "device.approved", account: accountID, detail: detail, at: now)
            return true
        }
    }

    /// Decides a poll of a client, and records its time; one that comes too early makes the interval longer.
    ///
    /// Compares the time of the last poll in the update: of any number of concurrent polls one is in time, and none waits for
    /// a transaction that another one has undone.
    package func poll(
        _ digest: [UInt8], by clientID: String, at now: Date
    ) async throws(IdentityError) -> DevicePoll {
        let key: [SQLValue] = [.blob(digest), .text(clientID)]
        let row = try await first(
            "SELECT \(WaitingDevice.columns) FROM device_authorization WHERE digest = $1 AND client_id = $2", key,
            read: WaitingDevice.init)
        guard let row else { return .unknown }
        guard now < row.expiresAt else { return .expired }
        if row.decision == "denied" { return .denied }
        if let approval = row.approval { return .approved(approval) }
        // A second of tolerance, for networks that deliver two polls closer than they were sent.
        let isEarly = row.polledAt.map { now.timeIntervalSince($0) < Double(row.interval) - 1 } ?? false
        let interval = isEarly ? min(row.interval + 5, 60) : row.interval
        // Whoever polls without a pause causes no writes without end.
        if isEarly, interval == row.interval { return .slowDown }
        let isFirst = try await update(
            """
            UPDATE device_authorization SET polled_at = $1, poll_interval = $2
            WHERE digest = $3 AND client_id = $4 AND polled_at IS NOT DISTINCT FROM $5 RETURNING 1
            """, [.date(now), .integer(Int64(interval))] + key + [.date(row.polledAt)]
        ) { _ in true }
        return isEarly || isFirst == nil ? .slowDown : .pending
    }

    /// Uses up an approved authorization and signs the device in, in one transaction.
    package func redeem(
        deviceCode digest: [UInt8], _ approval: DeviceApproval, on device: Device, for account: Account
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            let removed = try db.run(
                "DELETE FROM device_authorization WHERE digest = $1 AND decision = 'approved'", [.blob(digest)])
            guard removed == 1, try db.isSignedIn(approval.browserDevice, of: account.id, at: device.createdAt) else {
                return false
            }
            return try db.signIn(device, of: account)
        }
    }
}

extension SQLConnection {
    /// Ends a code and the device that it has signed in, with an audit entry; returns whether that was signed in.
    ///
    /// - Parameter isRefused: Whether it ends, with an entry, also if nobody has used it.
    fileprivate func endCode(
        _ code: AuthorizationCode, isRefused: Bool, detail: String?, at now: Date
    ) throws(IdentityError) -> Bool {
        let use = try first(
            "SELECT device_id FROM authorization_code WHERE digest = $1 AND used_at IS NOT NULL", [.blob(code.digest)]
        ) { row throws(IdentityError) in try row.optionalBlob(0) }
        guard use != nil || isRefused else { return false }
        try run(
            "UPDATE authorization_code SET used_at = coalesce(used_at, $1) WHERE digest = $2",
            [.date(now), .blob(code.digest)])
        var hasEnded = false
        // One that was refused has signed in none.
        if let use, let device = use { hasEnded = try revoke(device, because: .reuse, at: now) }
        try audit(hasEnded ? "code.replayed" : "code.refused", account: code.accountID, detail: detail, at: now)
        return hasEnded
    }
}

extension AuthorizationCode {
    fileprivate static let columns = """
        digest, client_id, account_id, credential_version, browser_device, redirect, code_challenge, nonce, scope, \
        authenticated_at, factor_at, valid_until
        """

    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            digest: try row.blob(0), clientID: try row.text(1), accountID: try row.text(2),
            credentialVersion: Int(try row.integer(3)), browserDevice: try row.blob(4), redirect: try row.text(5),
            codeChallenge: try row.text(6), nonce: try row.optionalText(7), scope: try row.text(8),
            authenticatedAt: try row.date(9), factorAt: try row.optionalDate(10), validUntil: try row.date(11),
            usedAt: try row.optionalDate(12))
    }
}

/// The state of a device authorization, as a poll reads it.
private struct WaitingDevice {
    let expiresAt: Date
    let polledAt: Date?
    let interval: Int
    let decision: String?
    let approval: DeviceApproval?

    static let columns = """
        expires_at, polled_at, poll_interval, decision, account_id, credential_version, browser_device, granted_scope, \
        authenticated_at, factor_at
        """

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        expiresAt = try row.date(0)
        polledAt = try row.optionalDate(1)
        interval = Int(try row.integer(2))
        decision = try row.optionalText(3)
        guard decision == "approved" else {
            approval = nil
            return
        }
        approval = DeviceApproval(
            accountID: try row.text(4), credentialVersion: Int(try row.integer(5)), browserDevice: try row.blob(6),
            scope: try row.text(7), authenticatedAt: try row.date(8), factorAt: try row.optionalDate(9))
    }
}

extension SQLiteSchema {
    /// The authorization codes, and the devices that wait for their users.
    static let authorizations = [
        """
        CREATE TABLE authorization_code (
            digest BLOB PRIMARY KEY NOT NULL,
            client_id TEXT NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            credential_version INTEGER NOT NULL,
            browser_device BLOB NOT NULL,
            redirect TEXT NOT NULL,
            code_challenge TEXT NOT NULL,
            nonce TEXT,
            scope TEXT NOT NULL,
            authenticated_at INTEGER NOT NULL,
            factor_at INTEGER,
            valid_until INTEGER NOT NULL,
            used_at INTEGER,
            device_id BLOB,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX authorization_code_by_end ON authorization_code (expires_at)",
        "CREATE INDEX authorization_code_of_account ON authorization_code (account_id)",
        """
        CREATE TABLE device_authorization (
            digest BLOB PRIMARY KEY NOT NULL,
            user_digest BLOB NOT NULL UNIQUE,
            client_id TEXT NOT NULL,
            scope TEXT,
            address TEXT NOT NULL,
            user_agent TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            poll_interval INTEGER NOT NULL,
            polled_at INTEGER,
            decision TEXT CHECK (decision IN ('approved', 'denied')),
            account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
            credential_version INTEGER,
            browser_device BLOB,
            granted_scope TEXT,
            authenticated_at INTEGER,
            factor_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX device_authorization_by_end ON device_authorization (expires_at)",
        "CREATE INDEX device_authorization_of_account ON device_authorization (account_id)",
    ]
}
