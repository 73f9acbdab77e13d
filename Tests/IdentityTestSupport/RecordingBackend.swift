// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LatchIdentity
import Synchronization

/// A database that records the statements of its reads, in the order of the round trips to PostgreSQL.
package final class RecordingBackend: SQLBackend {
    private let next: any SQLBackend
    private let recorded = Mutex<[String]>([])

    package init(_ next: any SQLBackend) { self.next = next }

    /// Returns the texts of the statements since the last call.
    package func taken() -> [String] {
        recorded.withLock { recorded in
            defer { recorded = [] }
            return recorded
        }
    }

    package var dialect: SQLDialect { next.dialect }
    package var writeStatistics: WriteStatistics { next.writeStatistics }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await next.read { db throws(IdentityError) in
            let recording = RecordingConnection(db)
            defer { self.recorded.withLock { $0 += recording.statements } }
            return try body(recording)
        }
    }

    package func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue],
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        recorded.withLock { $0.append(sql) }
        return try await next.first(sql, values, read: read)
    }

    package func snapshot<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await next.snapshot(body)
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await next.write(body)
    }

    package func close() async { await next.close() }
}

/// A connection whose calls are recorded: each of them is one round trip to PostgreSQL.
private final class RecordingConnection: SQLConnection {
    private let next: any SQLConnection
    private(set) var statements: [String] = []

    init(_ next: any SQLConnection) { self.next = next }

    /// Returns the connection, for one round trip.
    private func recording(_ statement: String) -> any SQLConnection {
        statements.append(statement)
        return next
    }

    var dialect: SQLDialect { next.dialect }
    var statementCount: Int { next.statementCount }
    var hasRoomForMail: Bool { get throws(IdentityError) { try recording("room for mail").hasRoomForMail } }

    var signedOutDevices: Int {
        get { next.signedOutDevices }
        set { next.signedOutDevices = newValue }
    }

    var toldListeners: Set<String> {
        get { next.toldListeners }
        set { next.toldListeners = newValue }
    }

    var eventListeners: [EventListener] {
        get { next.eventListeners }
        set { next.eventListeners = newValue }
    }

    var auditChain: AuditChain? {
        get { next.auditChain }
        set { next.auditChain = newValue }
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(IdentityError) -> Int { try recording(sql).run(sql, values) }

    func run(_ sql: String, each rows: [[SQLValue]]) throws(IdentityError) { try recording(sql).run(sql, each: rows) }

    func first<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result? {
        try recording(sql).first(sql, values, read: read)
    }

    func all<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [Result] {
        try recording(sql).all(sql, values, read: read)
    }

    func all<Result>(
        _ sql: String, each rows: [[SQLValue]], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [[Result]] {
        try recording(sql).all(sql, each: rows, read: read)
    }

    func addAuditEntry(
        _ event: String, account: String?, detail: String?, at now: Date
    ) throws(IdentityError) -> AuditRecord {
        try recording("audit").addAuditEntry(event, account: account, detail: detail, at: now)
    }

    func chainAudit(_ chain: AuditChain) throws(IdentityError) { try recording("audit").chainAudit(chain) }

    func verifyAudit(_ chain: AuditChain) throws(IdentityError) -> AuditVerification {
        try recording("audit").verifyAudit(chain)
    }

    func auditAnchor(before date: Date) throws(IdentityError) -> AuditAnchor? {
        try recording("audit").auditAnchor(before: date)
    }

    func pruneAudit(
        before date: Date, keeping count: Int, atMost batch: Int, at now: Date
    ) throws(IdentityError) -> Bool {
        try recording("audit").pruneAudit(before: date, keeping: count, atMost: batch, at: now)
    }
}
