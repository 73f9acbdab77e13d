// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Takes the next due notice for the time of a lease; nil if none is due.
    ///
    /// It reads before it writes, so that an idle server costs no commit.
    package func claimNotice(at now: Date, until leaseEnd: Date) async throws(IdentityError) -> ClientNotice? {
        let isDue = try await first(
            "SELECT 1 FROM client_notice WHERE \(Self.isDue(at: "$1")) LIMIT 1", [.date(now)]
        ) { _ in true }
        guard isDue != nil else { return nil }
        // As for emails, PostgreSQL skips a notice that another server is taking.
        let lock = backend.dialect == .postgres ? "FOR UPDATE SKIP LOCKED" : ""
        return try await update(
            """
            UPDATE client_notice SET attempts = attempts + 1, leased_until = $1
            WHERE device_id = (
                SELECT device_id FROM client_notice WHERE \(Self.isDue(at: "$2"))
                ORDER BY due_at, device_id LIMIT 1 \(lock))
            RETURNING \(ClientNotice.Column.list)
            """, [.date(leaseEnd), .date(now)], read: ClientNotice.init)
    }

    /// Removes a notice that its client has accepted, or that has no recipient any more.
    package func remove(_ notice: ClientNotice) async throws(IdentityError) {
        _ = try await update("DELETE FROM client_notice WHERE device_id = $1", [.blob(notice.deviceID)]) { _ in }
    }

    /// Removes a notice that its client has not accepted, and records it in the audit log.
    package func abandon(_ notice: ClientNotice, at now: Date) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.run("DELETE FROM client_notice WHERE device_id = $1", [.blob(notice.deviceID)]) == 1 else {
                return
            }
            try db.audit("logout.abandoned", account: notice.accountID, detail: notice.clientID, at: now)
        }
    }

    /// Sets the time of the next attempt, unless another server has taken the notice in the meantime.
    package func postpone(_ notice: ClientNotice, until date: Date) async throws(IdentityError) {
        _ = try await update(
            "UPDATE client_notice SET due_at = $1, leased_until = NULL WHERE device_id = $2 AND attempts = $3",
            [.date(date), .blob(notice.deviceID), .integer(Int64(notice.attempts))]
        ) { _ in }
    }

    private static func isDue(at now: String) -> String {
        "due_at <= \(now) AND (leased_until IS NULL OR leased_until <= \(now))"
    }
}

extension SQLConnection {
    /// Adds a notice for each ended session of a client, in the transaction that ends it.
    ///
    /// A client with several devices in one session of a browser gets one notice.
    func addNotices(of ended: [EndedDevice], at now: Date) throws(IdentityError) {
        var sessions: Set<[UInt8]> = []
        var rows: [[SQLValue]] = []
        for device in ended where device.notifies && device.expiresAt > now {
            guard let clientID = device.clientID,
                sessions.insert((device.browserDevice ?? device.id) + Array(clientID.utf8)).inserted
            else { continue }
            rows.append(
                ClientNotice.Column.values(
                    of: ClientNotice(
                        deviceID: device.id, clientID: clientID, accountID: device.accountID,
                        browserDevice: device.browserDevice, expiresAt: now.addingTimeInterval(ClientNotice.lifetime))))
        }
        guard !rows.isEmpty else { return }
        try run("INSERT INTO client_notice \(ClientNotice.Column.insertion) ON CONFLICT DO NOTHING", each: rows)
    }
}

/// A device that was signed out.
struct EndedDevice {
    let id: [UInt8]
    let accountID: String
    let clientID: String?
    let expiresAt: Date
    let browserDevice: [UInt8]?
    let notifies: Bool

    /// The columns of a `RETURNING` clause.
    static let columns = "id, account_id, app_id, expires_at, browser_device, notifies"

    init(_ row: borrowing SQLRow) throws(IdentityError) {
        id = try row.blob(0)
        accountID = try row.text(1)
        clientID = try row.optionalText(2)
        expiresAt = try row.date(3)
        browserDevice = try row.optionalBlob(4)
        notifies = try row.integer(5) == 1
    }
}

extension ClientNotice {
    /// The columns of `client_notice`.
    enum Column: Int32, TableColumn {
        case deviceID, clientID, accountID, browserDevice, dueAt, leasedUntil, attempts, expiresAt

        static let (list, insertion) = texts()

        func value(of notice: ClientNotice?) -> SQLValue {
            switch self {
            case .deviceID: .blob(notice?.deviceID)
            case .clientID: .text(notice?.clientID)
            case .accountID: .text(notice?.accountID)
            case .browserDevice: .blob(notice?.browserDevice)
            // A failed attempt postpones the next one.
            case .dueAt: .date(notice?.expiresAt.addingTimeInterval(-lifetime))
            // Set by the server that sends the notice.
            case .leasedUntil: .date(nil)
            case .attempts: .integer((notice?.attempts).map { Int64($0) })
            case .expiresAt: .date(notice?.expiresAt)
            }
        }
    }

    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            deviceID: try row.blob(Column.deviceID), clientID: try row.text(Column.clientID),
            accountID: try row.text(Column.accountID), browserDevice: try row.optionalBlob(Column.browserDevice),
            attempts: Int(try row.integer(Column.attempts)), expiresAt: try row.date(Column.expiresAt))
    }
}
