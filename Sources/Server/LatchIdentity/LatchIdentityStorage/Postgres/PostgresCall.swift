// SPDX-License-Identifier: Apache-2.0

package import LatchPostgres

/// A connection to PostgreSQL during one call of the store, on the connection's queue.
final class PostgresCall: SQLConnection {
    private let connection: PostgresConnection
    /// The error of the last failed statement, which decides whether the transaction can be repeated.
    private(set) var failure: PostgresError?
    /// The state of the audit log that the connections share.
    let audit: PostgresAudit

    init(_ connection: PostgresConnection, audit: PostgresAudit) {
        self.connection = connection
        self.audit = audit
    }

    let dialect = SQLDialect.postgres
    var signedOutDevices = 0
    var toldListeners: Set<String> = []
    var statementCount: Int { connection.preparedCount }

    var auditChain: AuditChain? {
        get { audit.chain }
        set { audit.chain = newValue }
    }

    var eventListeners: [EventListener] {
        get { audit.listeners }
        set { audit.listeners = newValue }
    }

    /// Whether the outbox has room, by the server's estimate.
    ///
    /// Counting the rows in the transaction would make it conflict with every other one that inserts an email.
    var hasRoomForMail: Bool {
        get throws(IdentityError) {
            let estimate = try number(
                "SELECT coalesce(max(reltuples), 0)::bigint FROM pg_catalog.pg_class WHERE oid = to_regclass('mail')")
            return estimate < Self.maximumMails
        }
    }

    @discardableResult
    func run(_ sql: String, _ values: [SQLValue]) throws(IdentityError) -> Int {
        try execute(sql, values).changedRows
    }

    func run(_ sql: String, each rows: [[SQLValue]]) throws(IdentityError) {
        guard !rows.isEmpty else { return }
        try execute(rows.map { PostgresStatement(sql, $0.map(\.postgres)) })
    }

    func first<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result? {
        let result = try execute(sql, values)
        return result.count > 0 ? try read(.postgres(PostgresRow(result, 0))) : nil
    }

    func all<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [Result] {
        try Self.rows(of: try execute(sql, values), read: read)
    }

    func all<Result>(
        _ sql: String, each rows: [[SQLValue]], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [[Result]] {
        guard !rows.isEmpty else { return [] }
        var results: [[Result]] = []
        for result in try execute(rows.map({ PostgresStatement(sql, $0.map(\.postgres)) })) {
            results.append(try Self.rows(of: result, read: read))
        }
        return results
    }

    static func rows<Result>(
        of result: PostgresResult, read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [Result] {
        var results: [Result] = []
        for row in 0..<Int32(clamping: result.count) { results.append(try read(.postgres(PostgresRow(result, row)))) }
        return results
    }

    private func execute(_ sql: String, _ values: [SQLValue]) throws(IdentityError) -> PostgresResult {
        try execute([PostgresStatement(sql, values.map(\.postgres))])[0]
    }

    @discardableResult
    private func execute(_ statements: [PostgresStatement]) throws(IdentityError) -> [PostgresResult] {
        do throws(PostgresError) { return try connection.pipeline(statements) } catch {
            failure = error
            throw IdentityError(error)
        }
    }
}

extension SQLValue {
    /// The value in the form of PostgreSQL's client.
    package var postgres: PostgresValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        case .blob(let bytes): .blob(bytes)
        }
    }
}
