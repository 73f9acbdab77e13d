// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

extension IdentityStore {
    /// Inserts a code; in its transaction, keeps the user's decision, or checks the kept one.
    ///
    /// - Parameter pushed: The digest of the pushed request, which the code uses up; nil for none.
    /// - Returns: False if the kept consent was withdrawn in the meantime, or no longer has all scopes; also if the
    ///   browser was signed out or the account's credentials have changed, since then no decision counts.
    /// - Throws: `IdentityError.invalidRequestURI` if the pushed request was used before, or a store's error.
    package func insert(
        _ code: AuthorizationCode, by permission: CodePermission, using pushed: [UInt8]? = nil
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            guard try db.isUnchanged(code.accountID, since: code.credentialVersion),
                try db.isSignedIn(code.browserDevice, of: code.accountID, at: code.issuedAt),
                try db.permit(code, permission)
            else { return false }
            if let pushed { try db.use(pushed, for: code) }
            try db.run(
                "INSERT INTO authorization_code \(AuthorizationCode.Column.insertion)",
                AuthorizationCode.Column.values(of: code))
            // A browser that starts endless requests keeps only the newest codes.
            try db.run(
                """
                DELETE FROM authorization_code WHERE account_id = $1 AND browser_device = $2 AND used_at IS NULL
                    AND digest NOT IN (
                        SELECT digest FROM authorization_code
                        WHERE account_id = $1 AND browser_device = $2 AND used_at IS NULL
                        ORDER BY valid_until DESC LIMIT 20)
                """, [.text(code.accountID), .blob(code.browserDevice)])
            return true
        }
    }

    /// Returns a code by its digest, including used and expired ones; nil if it does not exist.
    package func authorizationCode(_ digest: [UInt8]) async throws(IdentityError) -> AuthorizationCode? {
        try await first(
            """
            SELECT \(AuthorizationCode.Column.list), (
                SELECT coalesce(browser.browser_device, browser.id) FROM device AS browser
                WHERE browser.id = authorization_code.browser_device)
            FROM authorization_code WHERE digest = $1
            """, [.blob(digest)]
        ) { row throws(IdentityError) in
            var code = try AuthorizationCode(row)
            code.browserSession = try row.optionalBlob(Int32(AuthorizationCode.Column.allCases.count))
            return code
        }
    }

    /// Uses up a code and signs its device in, in one transaction; a second use signs out the device of the first one.
    ///
    /// One conditional update uses the code up. Of any number of equal attempts one succeeds (attack A6). Each other
    /// attempt revokes the result of the first (RFC 6749 §4.1.2, attack A5).
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
                // An expired unused code is not an attack.
                let detail = "\(code.clientID) from \(device.address ?? "")"
                return try db.endCode(code, isRefused: false, detail: detail, at: now) ? .replayed : .ended
            }
            // The user may have signed out in the browser, or everywhere, since then (attack A10).
            guard try db.isSignedIn(code.browserDevice, of: account.id, at: now) else { return .ended }
            return try db.signIn(device, of: account) ? .redeemed : .ended
        }
    }

    /// Ends a code without an exchange, signs out the device that it has signed in, and records it.
    ///
    /// - Parameter isRefused: Whether to end the code even if it is unused.
    /// - Returns: Whether such a device was signed in.
    package func end(
        _ code: AuthorizationCode, isRefused: Bool, detail: String?, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            try db.endCode(code, isRefused: isRefused, detail: detail, at: now)
        }
    }

    // MARK: Devices

    /// Inserts a device authorization.
    ///
    /// The index decides between equal codes.
    ///
    /// - Returns: False if the user code is taken.
    package func insert(_ authorization: DeviceAuthorizationRecord) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            // The code of an expired authorization can be issued again.
            try db.run(
                "DELETE FROM device_authorization WHERE user_digest = $1 AND expires_at <= $2",
                [.blob(authorization.userDigest), .date(authorization.createdAt)])
            return try db.run(
                "INSERT INTO device_authorization \(DeviceAuthorizationRecord.Column.insertion) ON CONFLICT DO NOTHING",
                DeviceAuthorizationRecord.Column.values(of: authorization)) == 1
        }
    }

    /// Returns the undecided device authorization of a user code; nil if it does not exist or has expired.
    package func deviceAuthorization(
        userDigest: [UInt8], at now: Date
    ) async throws(IdentityError) -> DeviceAuthorizationRecord? {
        try await first(
            """
            SELECT \(DeviceAuthorizationRecord.Column.list) FROM device_authorization
            WHERE user_digest = $1 AND expires_at > $2 AND decision IS NULL
            """, [.blob(userDigest), .date(now)], read: DeviceAuthorizationRecord.init)
    }

    /// Records the user's decision, also in the audit log; nil denies.
    ///
    /// - Returns: False if the authorization has expired or was decided before.
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

    /// Decides a poll of a client, and records its time; an early poll makes the interval longer.
    ///
    /// The update compares the time of the last poll. So of any number of concurrent polls one is accepted, and none
    /// waits for a transaction that is rolled back.
    package func poll(
        _ digest: [UInt8], by clientID: String, at now: Date
    ) async throws(IdentityError) -> DevicePoll {
        let key: [SQLValue] = [.blob(digest), .text(clientID)]
        let row = try await first(
            """
            SELECT \(DeviceAuthorizationRecord.Column.list) FROM device_authorization
            WHERE digest = $1 AND client_id = $2
            """, key, read: WaitingDevice.init)
        guard let row else { return .unknown }
        guard now < row.expiresAt else { return .expired }
        if row.decision == "denied" { return .denied }
        if let approval = row.approval { return .approved(approval) }
        // A second of tolerance, for networks that deliver two polls closer together than they were sent.
        let isEarly = row.polledAt.map { now.timeIntervalSince($0) < Double(row.interval) - 1 } ?? false
        let interval = isEarly ? min(row.interval + 5, 60) : row.interval
        // A client that polls without a pause must not cause endless writes.
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
    /// Ends a code and signs out its device, with an audit entry; returns whether the device was signed in.
    ///
    /// - Parameter isRefused: Whether to end the code, with an entry, even if it is unused.
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
        // A refused code has signed in no device.
        if let use, let device = use { hasEnded = try revoke(device, because: .reuse, at: now) }
        try audit(hasEnded ? "code.replayed" : "code.refused", account: code.accountID, detail: detail, at: now)
        return hasEnded
    }
}

extension AuthorizationCode {
    /// The columns of `authorization_code`.
    package enum Column: Int32, TableColumn {
        case digest, clientID, accountID, credentialVersion, browserDevice, redirect, codeChallenge, nonce, scope
        case authenticatedAt, factorAt, validUntil, usedAt, deviceID, expiresAt, details

        package static let (list, insertion) = texts()

        package func value(of code: AuthorizationCode?) -> SQLValue {
            switch self {
            case .digest: .blob(code?.digest)
            case .clientID: .text(code?.clientID)
            case .accountID: .text(code?.accountID)
            case .credentialVersion: .integer((code?.credentialVersion).map { Int64($0) })
            case .browserDevice: .blob(code?.browserDevice)
            case .redirect: .text(code?.redirect)
            // The column takes no NULL; no challenge is empty.
            case .codeChallenge: .text(code.map { $0.codeChallenge ?? "" })
            case .nonce: .text(code?.nonce)
            case .scope: .text(code?.scope)
            case .authenticatedAt: .date(code?.authenticatedAt)
            case .factorAt: .date(code?.factorAt)
            // Using the code changes the expiry of the row.
            case .validUntil, .expiresAt: .date(code?.validUntil)
            case .usedAt: .date(code?.usedAt)
            // The device that the use of the code has signed in.
            case .deviceID: .blob(nil)
            case .details: .text(code?.details.column)
            }
        }
    }

    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        let challenge = try row.text(Column.codeChallenge)
        self.init(
            digest: try row.blob(Column.digest), clientID: try row.text(Column.clientID),
            accountID: try row.text(Column.accountID),
            credentialVersion: Int(try row.integer(Column.credentialVersion)),
            browserDevice: try row.blob(Column.browserDevice), redirect: try row.text(Column.redirect),
            codeChallenge: challenge.isEmpty ? nil : challenge, nonce: try row.optionalText(Column.nonce),
            scope: try row.text(Column.scope), authenticatedAt: try row.date(Column.authenticatedAt),
            factorAt: try row.optionalDate(Column.factorAt),
            details: try GrantDetails(column: try row.optionalText(Column.details)),
            validUntil: try row.date(Column.validUntil),
            usedAt: try row.optionalDate(Column.usedAt))
    }
}

extension DeviceAuthorizationRecord {
    /// The columns of `device_authorization`; the last ones are the user's decision.
    package enum Column: Int32, TableColumn {
        case digest, userDigest, clientID, scope, address, userAgent, createdAt, expiresAt, pollInterval, polledAt
        case decision, accountID, credentialVersion, browserDevice, grantedScope, authenticatedAt, factorAt
        case details

        package static let (list, insertion) = texts()

        package func value(of record: DeviceAuthorizationRecord?) -> SQLValue {
            switch self {
            case .digest: .blob(record?.digest)
            case .userDigest: .blob(record?.userDigest)
            case .clientID: .text(record?.clientID)
            case .scope: .text(record?.scope)
            case .address: .text(record?.address)
            case .userAgent: .text(record?.userAgent)
            case .createdAt: .date(record?.createdAt)
            case .expiresAt: .date(record?.expiresAt)
            case .pollInterval: .integer((record?.interval).map { Int64($0) })
            // Set by later decisions and polls.
            case .polledAt, .authenticatedAt, .factorAt: .date(nil)
            case .decision, .accountID, .grantedScope: .text(nil)
            case .credentialVersion: .integer(nil)
            case .browserDevice: .blob(nil)
            case .details: .text(record?.details.column)
            }
        }
    }

    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            digest: try row.blob(Column.digest), userDigest: try row.blob(Column.userDigest),
            clientID: try row.text(Column.clientID), scope: try row.optionalText(Column.scope),
            address: try row.text(Column.address), userAgent: try row.optionalText(Column.userAgent),
            createdAt: try row.date(Column.createdAt), expiresAt: try row.date(Column.expiresAt),
            interval: Int(try row.integer(Column.pollInterval)),
            details: try GrantDetails(column: try row.optionalText(Column.details)))
    }
}

/// The state of a device authorization that a poll reads.
private struct WaitingDevice {
    private typealias Column = DeviceAuthorizationRecord.Column

    let expiresAt: Date
    let polledAt: Date?
    let interval: Int
    let decision: String?
    let approval: DeviceApproval?

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        expiresAt = try row.date(Column.expiresAt)
        polledAt = try row.optionalDate(Column.polledAt)
        interval = Int(try row.integer(Column.pollInterval))
        decision = try row.optionalText(Column.decision)
        guard decision == "approved" else {
            approval = nil
            return
        }
        approval = DeviceApproval(
            accountID: try row.text(Column.accountID),
            credentialVersion: Int(try row.integer(Column.credentialVersion)),
            browserDevice: try row.blob(Column.browserDevice), scope: try row.text(Column.grantedScope),
            authenticatedAt: try row.date(Column.authenticatedAt), factorAt: try row.optionalDate(Column.factorAt),
            details: try GrantDetails(column: try row.optionalText(Column.details)))
    }
}
