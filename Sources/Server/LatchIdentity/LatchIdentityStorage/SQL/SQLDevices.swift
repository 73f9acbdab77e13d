// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Returns whether the account has a signed-in device that logged in from the same network as this address.
    ///
    /// Rate limits use it to distinguish the owner's network from others; it grants no access.
    package func isSignedIn(emailKey: String, from address: String, at now: Date) async throws(IdentityError) -> Bool {
        guard emailKey.isStorable else { return false }
        // As in the limits, since the address of an IPv6 subscriber changes every day.
        let network = NetworkPrefix(of: address)
        return try await all(
            """
            SELECT DISTINCT address FROM device JOIN account ON account.id = device.account_id
            WHERE email_key = $1 AND revoked_at IS NULL AND expires_at > $2
            """,
            [.text(emailKey), .date(now)]
        ) { row throws(IdentityError) in NetworkPrefix(of: try row.text(0)) }.contains(network)
    }

    /// Returns a device, including a signed-out one; nil if it does not exist, or was removed long after its end.
    package func device(id: [UInt8]) async throws(IdentityError) -> Device? {
        try await first("SELECT \(Device.Column.list) FROM device WHERE id = $1", [.blob(id)], read: Device.init)
    }

    /// Returns whether the account has signed in before, but never on such a device.
    package func isNew(_ device: Device) async throws(IdentityError) -> Bool {
        try await read { db throws(IdentityError) in try db.isNew(device) }
    }

    /// Inserts the device if the account is active and its credentials have not changed since `account` was read.
    package func insert(_ device: Device, for account: Account) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in try db.signIn(device, of: account) }
    }

    /// Records that the user has authenticated again on a device, under the conditions of ``insert(_:for:)``.
    ///
    /// The transaction checks these conditions, and that the device is still signed in.
    ///
    /// - Parameter factorAt: The time at which the second factor was also proved; nil if the account has none.
    /// - Returns: False if the conditions do not hold, or the device is signed out.
    package func authenticate(
        device id: [UInt8], of account: Account, factorAt: Date?, at now: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            guard try db.isUnchanged(account) else { return false }
            return try db.authenticate(id, of: account.id, factorAt: factorAt, at: now)
        }
    }

    /// Decides a use of a refresh token and applies it; a reuse revokes the device in the same transaction.
    ///
    /// One conditional update rotates. If it changes no row, the row decides in the same transaction, so that no
    /// concurrent attempt can interfere.
    ///
    /// - Returns: The decision. After a rotation also the device and its account, read in its transaction, so that the
    ///   next access token has no removed role.
    package func rotate(_ attempt: RotationAttempt) async throws(IdentityError) -> RotationOutcome {
        let rotated = Rotation.rotated(counter: attempt.counter &+ 1)
        // Of any number of equal attempts exactly one changes the row. The last possible generation of a token is never
        // replaced, since the counter would wrap around.
        let change = SQLStatement(
            """
            UPDATE device SET counter = counter + 1, rotated_at = $1, rotation_key = $2, last_used_at = $1
            WHERE id = $3 AND counter = $4 AND counter < \(UInt32.max) AND revoked_at IS NULL AND expires_at > $1
            """,
            [.date(attempt.now), .blob(attempt.key), .blob(attempt.deviceID), .integer(Int64(attempt.counter))])
        let outcome = try await self.change(
            row: attempt.deviceID, change, then: .session(device: attempt.deviceID)
        ) { row throws(IdentityError) -> RotationOutcome in
            (rotated, (try Device(row, from: Int32(Account.Column.allCases.count)), try Account(row)))
        } otherwise: { db throws(IdentityError) -> RotationOutcome in
            guard let device = try db.device(attempt.deviceID) else { return (.rejected, nil) }
            let rotation = Rotation(judging: attempt, against: device)
            if rotation == .reused { try db.revoke(device.id, because: .reuse, at: attempt.now) }
            return (rotation, nil)
        }
        return outcome ?? (rotated, nil)
    }

    /// Returns the signed-in devices of an account, the most recently used first.
    package func devices(of accountID: String, at now: Date) async throws(IdentityError) -> [Device] {
        try await all(
            """
            SELECT \(Device.Column.list) FROM device WHERE account_id = $1 AND revoked_at IS NULL AND expires_at > $2
            ORDER BY last_used_at DESC, id LIMIT 500
            """,
            [.text(accountID), .date(now)], read: Device.init)
    }

    /// Signs out a device; returns false if it is already signed out, or belongs to another account than the given one.
    ///
    /// This also ends its access tokens: their verification reads the row after each write of this process and each
    /// second. Another account's device is not found (attack G4).
    ///
    /// - Parameter isByClient: Whether the client itself ends its session, of which it needs no notice.
    package func revoke(
        device id: [UInt8], ownedBy accountID: String?, because: Device.RevocationReason, isByClient: Bool = false,
        at now: Date
    ) async throws(IdentityError) -> Bool {
        try await write { db throws(IdentityError) in
            guard try db.revoke(id, ownedBy: accountID, because: because, isByClient: isByClient, at: now) else {
                return false
            }
            // An owner who signs out another device does not trust the changes that were started there.
            if let accountID { try db.endEmailChange(of: accountID) }
            return true
        }
    }

    /// Signs out what a user has signed in through a browser whose session has ended, also if its row was removed.
    ///
    /// - Parameter first: The first device of the browser's session.
    package func endSession(ofBrowser first: [UInt8], of accountID: String, at now: Date) async throws(IdentityError) {
        try await write { db throws(IdentityError) in
            try db.endSession(ofBrowser: first, of: accountID, at: now)
            try db.endEmailChange(of: accountID)
        }
    }

    /// Signs out every device of an account, except one if it is given, and returns their number.
    ///
    /// Earlier revocations keep their reason. It uses one statement for all devices, so that no login can interfere.
    package func revokeDevices(
        of accountID: String, except device: [UInt8]? = nil, because: Device.RevocationReason, at now: Date
    ) async throws(IdentityError) -> Int {
        try await write { db throws(IdentityError) in
            try db.revokeDevices(of: accountID, except: device, because: because, at: now)
        }
    }
}

extension SQLConnection {
    /// Records that the user of a device has authenticated; returns false if the device is not signed in.
    package func authenticate(
        _ device: [UInt8], of account: String, factorAt: Date?, detail: String? = nil, at now: Date
    ) throws(IdentityError) -> Bool {
        let changed = try run(
            """
            UPDATE device SET authenticated_at = $1, factor_at = coalesce($2, factor_at)
            WHERE id = $3 AND account_id = $4 AND revoked_at IS NULL AND expires_at > $1
            """, [.date(now), .date(factorAt), .blob(device), .text(account)])
        guard changed == 1 else { return false }
        try audit("device.authenticated", account: account, detail: detail, at: now)
        return true
    }

    /// Inserts a device if the account is active and unchanged.
    package func signIn(_ device: Device, of account: Account) throws(IdentityError) -> Bool {
        // The facts that the login was decided on must still hold. After a reset, a new second factor or a proof of the
        // address, no earlier login may sign a device in (attack F8).
        guard try isUnchanged(account) else { return false }
        // A full outbox must refuse no sign-in. Of concurrent sign-ins on one device only the first finds it new.
        if let notice = device.notice, try hasRoomForMail, try isNew(device) {
            try mail(.newDevice, to: account.id, causedBy: notice, at: device.createdAt)
        }
        try run(
            "INSERT INTO device \(Device.Column.insertion)", Device.Column.values(of: device))
        try removeExcessDevices(of: device)
        try run("UPDATE account SET last_login_at = $1 WHERE id = $2", [.date(device.createdAt), .text(account.id)])
        try audit("device.signedIn", account: account.id, detail: device.clientID, at: device.createdAt)
        return true
    }

    /// Returns whether the account has signed in before, but never with this browser and system from this region.
    ///
    /// Signed-out devices count until they are pruned.
    fileprivate func isNew(_ device: Device) throws(IdentityError) -> Bool {
        let known = try all(
            "SELECT DISTINCT user_agent, address FROM device WHERE account_id = $1", [.text(device.accountID)]
        ) { row throws(IdentityError) in (try row.optionalText(0), try row.optionalText(1)) }
        guard !known.isEmpty else {
            return try number(
                "SELECT count(*) FROM account WHERE id = $1 AND last_login_at IS NOT NULL", [.text(device.accountID)]
            ) == 1
        }
        let region = device.address.map { NetworkPrefix(of: $0).region }
        let userAgents = Set(known.filter { $0.1.map { NetworkPrefix(of: $0).region } == region }.map(\.0))
        guard !userAgents.contains(device.userAgent) else { return false }
        let kind = UserAgentDescription(of: device.userAgent)
        return !userAgents.contains { UserAgentDescription(of: $0) == kind }
    }

    /// Removes the devices over the limit, but never the newest.
    ///
    /// Signed-out devices are removed first, then never refreshed ones, then those unused for longest. The ten latest
    /// of the never refreshed ones, such as logins of a script, count as used ones. After a sign-up, logins cost
    /// an attacker nothing, so their rows must be bounded.
    fileprivate func removeExcessDevices(of newest: Device) throws(IdentityError) {
        if newest.clientID != nil {
            let removed = try all(
                """
                DELETE FROM device WHERE id IN (
                    SELECT id FROM device WHERE account_id = $1 AND app_id = $2 AND id <> $3
                    ORDER BY revoked_at IS NULL DESC, last_used_at DESC, id
                    LIMIT 1000000 OFFSET \(Device.maximumCountOfClient - 1))
                RETURNING revoked_at, expires_at
                """, [.text(newest.accountID), .text(newest.clientID), .blob(newest.id)], read: RemovedDevice.init)
            try note(removed, for: newest)
        }
        let removed = try all(
            """
            DELETE FROM device WHERE id IN (
                SELECT id FROM (
                    SELECT id, revoked_at, last_used_at, last_used_at > created_at OR row_number() OVER (
                        PARTITION BY revoked_at IS NULL, last_used_at > created_at ORDER BY created_at DESC, id) <= 10
                        AS is_kept
                    FROM device WHERE account_id = $1 AND id <> $2) AS one
                ORDER BY revoked_at IS NULL DESC, is_kept DESC, last_used_at DESC, id
                LIMIT 1000000 OFFSET \(Device.maximumCount - 1))
            RETURNING revoked_at, expires_at
            """, [.text(newest.accountID), .blob(newest.id)], read: RemovedDevice.init)
        try note(removed, for: newest)
    }

    /// Counts the removed devices that were signed in, with an audit entry for each.
    private func note(_ removed: [RemovedDevice], for newest: Device) throws(IdentityError) {
        // Compared here, since SQLite 3.40 evaluates NULL in RETURNING by the first column of the table.
        for device in removed where device.revokedAt == nil && device.expiresAt > newest.createdAt {
            signedOutDevices += 1
            try audit("device.signedOut", account: newest.accountID, detail: "limit", at: newest.createdAt)
        }
    }

    /// Returns whether a device of the account is signed in.
    package func isSignedIn(_ device: [UInt8], of account: String, at now: Date) throws(IdentityError) -> Bool {
        try number(
            "SELECT 1 FROM device WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL AND expires_at > $3",
            [.blob(device), .text(account), .date(now)]) == 1
    }

    /// Returns a device, read within the caller's transaction.
    fileprivate func device(_ id: [UInt8]) throws(IdentityError) -> Device? {
        try first("SELECT \(Device.Column.list) FROM device WHERE id = $1", [.blob(id)], read: Device.init)
    }

    /// Signs out a device once, with an audit entry; the first reason is kept.
    @discardableResult
    package func revoke(
        _ id: [UInt8], ownedBy accountID: String? = nil, because: Device.RevocationReason, isByClient: Bool = false,
        at now: Date
    ) throws(IdentityError) -> Bool {
        let ended = try first(
            """
            UPDATE device SET revoked_at = $1, revoked_because = $2
            WHERE id = $3 AND revoked_at IS NULL AND account_id = coalesce($4, account_id)
            RETURNING \(EndedDevice.columns)
            """,
            [.date(now), .text(because.rawValue), .blob(id), .text(accountID)], read: EndedDevice.init)
        guard let ended else { return false }
        if ended.expiresAt > now { signedOutDevices += 1 }
        if !isByClient { try addNotices(of: [ended], at: now) }
        if because == .logout, ended.clientID == Device.pagesClientID {
            try endSession(ofBrowser: ended.browserDevice ?? id, of: ended.accountID, at: now)
        }
        // An attacker who has copied a token or a code may have started a change of the address.
        if because == .reuse { try endEmailChange(of: ended.accountID) }
        try audit("device.signedOut", account: ended.accountID, detail: because.rawValue, at: now)
        return true
    }

    /// Signs out what a user has signed in through a browser that is signed out, with an audit entry for each.
    ///
    /// A device with the scope `offline_access` stays: its user has agreed that it works without the browser's session
    /// (OpenID Connect Core §11). Its client is told of the sign-out nevertheless (Back-Channel Logout §2.7).
    fileprivate func endSession(ofBrowser first: [UInt8], of account: String, at now: Date) throws(IdentityError) {
        let ended = try all(
            """
            UPDATE device SET revoked_at = $1, revoked_because = $2
            WHERE (browser_device = $3 OR id = $3) AND account_id = $4 AND revoked_at IS NULL
                AND (app_id = $5 OR ' ' || coalesce(scope, '') || ' ' NOT LIKE '% offline\\_access %' ESCAPE '\\')
            RETURNING \(EndedDevice.columns)
            """,
            [
                .date(now), .text(Device.RevocationReason.logout.rawValue), .blob(first), .text(account),
                .text(Device.pagesClientID),
            ], read: EndedDevice.init)
        let kept = try all(
            """
            SELECT \(EndedDevice.columns) FROM device
            WHERE browser_device = $1 AND account_id = $2 AND revoked_at IS NULL AND expires_at > $3
            """,
            [.blob(first), .text(account), .date(now)], read: EndedDevice.init)
        try addNotices(of: ended + kept, at: now)
        for device in ended where device.expiresAt > now {
            signedOutDevices += 1
            try audit("device.signedOut", account: account, detail: Device.RevocationReason.logout.rawValue, at: now)
        }
    }

    /// Ends a pending change of address.
    func endEmailChange(of account: String) throws(IdentityError) {
        try run("DELETE FROM email_change WHERE account_id = $1", [.text(account)])
    }

    /// Signs out all devices except the given one, with one audit entry; returns the number of those not yet expired.
    ///
    /// Pending sign-ins and changes of address also end: a user who signs out other devices does not trust what was
    /// started there.
    @discardableResult
    package func revokeDevices(
        of account: String, except device: [UInt8]? = nil, because: Device.RevocationReason, at now: Date
    ) throws(IdentityError) -> Int {
        for table in ["sign_in_code", "sign_in_challenge", "address_challenge", "email_change"] {
            try run("DELETE FROM \(table) WHERE account_id = $1", [.text(account)])
        }
        // Expired devices too: a date that is set back must not restore them.
        let ended = try all(
            """
            UPDATE device SET revoked_at = $1, revoked_because = $2
            WHERE account_id = $3 AND revoked_at IS NULL AND id IS DISTINCT FROM $4 RETURNING \(EndedDevice.columns)
            """,
            [.date(now), .text(because.rawValue), .text(account), .blob(device)], read: EndedDevice.init)
        try addNotices(of: ended, at: now)
        let count = ended.count { $0.expiresAt > now }
        signedOutDevices += count
        if count > 0 { try audit("device.allSignedOut", account: account, detail: because.rawValue, at: now) }
        return count
    }

    /// Signs out all devices of an account that is removed; the caller adds an audit entry.
    func endDevices(of account: String, at now: Date) throws(IdentityError) {
        let ended = try all(
            """
            UPDATE device SET revoked_at = $1, revoked_because = $2
            WHERE account_id = $3 AND revoked_at IS NULL RETURNING \(EndedDevice.columns)
            """,
            [.date(now), .text(Device.RevocationReason.administrator.rawValue), .text(account)], read: EndedDevice.init)
        try addNotices(of: ended, at: now)
        signedOutDevices += ended.count { $0.expiresAt > now }
    }

    /// Signs out all devices that a client has signed in for an account; the caller adds an audit entry.
    func revokeDevices(
        of account: String, clientID: String, because: Device.RevocationReason, at now: Date
    ) throws(IdentityError) {
        let ended = try all(
            """
            UPDATE device SET revoked_at = $1, revoked_because = $2
            WHERE account_id = $3 AND app_id = $4 AND revoked_at IS NULL RETURNING \(EndedDevice.columns)
            """,
            [.date(now), .text(because.rawValue), .text(account), .text(clientID)], read: EndedDevice.init)
        try addNotices(of: ended, at: now)
        signedOutDevices += ended.count { $0.expiresAt > now }
    }
}

/// The times of a device that was removed for a newer one.
private struct RemovedDevice {
    let revokedAt: Date?
    let expiresAt: Date

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        revokedAt = try row.optionalDate(0)
        expiresAt = try row.date(1)
    }
}

extension SQLStatement {
    /// Returns the query for the row of a device's account, followed by the device's columns.
    fileprivate static func session(device id: [UInt8]) -> SQLStatement { SQLStatement(sessionQuery, [.blob(id)]) }

    private static let sessionQuery = """
        SELECT \(Account.Column.names(in: "account")), \(Device.Column.names(in: "device"))
        FROM device JOIN account ON account.id = device.account_id WHERE device.id = $1
        """
}

extension Device {
    /// The columns of `device`.
    package enum Column: Int32, TableColumn {
        case id, accountID, secret, counter, rotatedAt, rotationKey, createdAt, lastUsedAt, expiresAt, revokedAt
        case revokedBecause, userAgent, address, appID, scope, name, pushToken, factorAt, authenticatedAt
        case details, browserDevice, notifies

        package static let (list, insertion) = texts()

        package func value(of device: Device?) -> SQLValue {
            switch self {
            case .id: .blob(device?.id)
            case .accountID: .text(device?.accountID)
            case .secret: .blob(device?.secret)
            case .counter: .integer((device?.counter).map { Int64($0) })
            case .rotatedAt: .date(device?.rotatedAt)
            case .rotationKey: .blob(device?.rotationKey)
            case .createdAt: .date(device?.createdAt)
            case .lastUsedAt: .date(device?.lastUsedAt)
            case .expiresAt: .date(device?.expiresAt)
            case .revokedAt: .date(device?.revokedAt)
            case .revokedBecause: .text(device?.revocationReason?.rawValue)
            case .userAgent: .text(device?.userAgent)
            case .address: .text(device?.address)
            case .appID: .text(device?.clientID)
            case .scope: .text(device?.scope)
            case .name: .text(device?.name)
            // Set only by an earlier version.
            case .pushToken: .text(nil)
            case .factorAt: .date(device?.factorAt)
            case .authenticatedAt: .date(device?.authenticatedAt)
            case .details: .text(device?.details.column)
            case .browserDevice: .blob(device?.browserDevice)
            case .notifies: .integer((device?.notifies).map { $0 ? 1 : 0 })
            }
        }
    }

    /// Creates a device from a row; a generation out of range is damage.
    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) { try self.init(row, from: 0) }

    /// Creates a device from a row, starting at a column.
    fileprivate init(_ row: borrowing SQLRow, from first: Int32) throws(IdentityError) {
        guard let counter = UInt32(exactly: try row.integer(Column.counter, from: first)) else {
            throw .corruptStore("a device has a generation out of range")
        }
        self.init(
            id: try row.blob(Column.id, from: first), accountID: try row.text(Column.accountID, from: first),
            clientID: try row.optionalText(Column.appID, from: first),
            scope: try row.optionalText(Column.scope, from: first), secret: try row.blob(Column.secret, from: first),
            counter: counter, rotatedAt: try row.optionalDate(Column.rotatedAt, from: first),
            rotationKey: try row.optionalBlob(Column.rotationKey, from: first),
            createdAt: try row.date(Column.createdAt, from: first),
            lastUsedAt: try row.date(Column.lastUsedAt, from: first),
            expiresAt: try row.date(Column.expiresAt, from: first),
            revokedAt: try row.optionalDate(Column.revokedAt, from: first),
            revocationReason: try row.optionalText(Column.revokedBecause, from: first).flatMap(RevocationReason.init),
            userAgent: try row.optionalText(Column.userAgent, from: first),
            address: try row.optionalText(Column.address, from: first),
            name: try row.optionalText(Column.name, from: first),
            factorAt: try row.optionalDate(Column.factorAt, from: first),
            authenticatedAt: try row.optionalDate(Column.authenticatedAt, from: first),
            details: try GrantDetails(column: try row.optionalText(Column.details, from: first)),
            browserDevice: try row.optionalBlob(Column.browserDevice, from: first),
            notifies: try row.integer(Column.notifies, from: first) == 1)
    }
}
