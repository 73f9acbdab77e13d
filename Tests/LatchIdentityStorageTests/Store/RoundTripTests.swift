// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import Synchronization
import TestSupport
import Testing

@testable import LatchIdentity

/// A database that counts the round trips of its reads.
private final class CountingBackend: SQLBackend {
    private let next: any SQLBackend
    private let count = Mutex(0)

    init(_ next: any SQLBackend) { self.next = next }

    /// The number of round trips since the last call.
    func taken() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    var dialect: SQLDialect { next.dialect }
    var writeStatistics: WriteStatistics { next.writeStatistics }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await next.read { db throws(IdentityError) in
            let counting = CountingConnection(db)
            defer { self.count.withLock { $0 += counting.count } }
            return try body(counting)
        }
    }

    func first<Result: Sendable>(
        _ sql: String, _ values: [SQLValue],
        read: @escaping @Sendable (borrowing SQLRow) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result? {
        count.withLock { $0 += 1 }
        return try await next.first(sql, values, read: read)
    }

    func snapshot<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await next.snapshot(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try await next.write(body)
    }

    func close() async { await next.close() }
}

/// A connection whose calls are counted: each of them is one round trip to PostgreSQL.
private final class CountingConnection: SQLConnection {
    private let next: any SQLConnection
    private(set) var count = 0

    init(_ next: any SQLConnection) { self.next = next }

    /// The connection, for one round trip.
    private var counted: any SQLConnection {
        count += 1
        return next
    }

    var dialect: SQLDialect { next.dialect }
    var statementCount: Int { next.statementCount }
    var hasRoomForMail: Bool { get throws(IdentityError) { try counted.hasRoomForMail } }

    var signedOutDevices: Int {
        get { next.signedOutDevices }
        set { next.signedOutDevices = newValue }
    }

    var auditChain: AuditChain? {
        get { next.auditChain }
        set { next.auditChain = newValue }
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(IdentityError) -> Int { try counted.run(sql, values) }

    func run(_ sql: String, each rows: [[SQLValue]]) throws(IdentityError) { try counted.run(sql, each: rows) }

    func first<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result? {
        try counted.first(sql, values, read: read)
    }

    func all<Result>(
        _ sql: String, _ values: [SQLValue], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [Result] {
        try counted.all(sql, values, read: read)
    }

    func all<Result>(
        _ sql: String, each rows: [[SQLValue]], read: (borrowing SQLRow) throws(IdentityError) -> Result
    ) throws(IdentityError) -> [[Result]] {
        try counted.all(sql, each: rows, read: read)
    }

    func addAuditEntry(
        _ event: String, account: String?, detail: String?, at now: Date
    ) throws(IdentityError) {
        try counted.addAuditEntry(event, account: account, detail: detail, at: now)
    }

    func chainAudit(_ chain: AuditChain) throws(IdentityError) { try counted.chainAudit(chain) }

    func verifyAudit(_ chain: AuditChain) throws(IdentityError) -> AuditVerification {
        try counted.verifyAudit(chain)
    }

    func auditAnchor(before date: Date) throws(IdentityError) -> AuditAnchor? { try counted.auditAnchor(before: date) }

    func pruneAudit(
        before date: Date, keeping count: Int, atMost batch: Int, at now: Date
    ) throws(IdentityError) -> Bool {
        try counted.pruneAudit(before: date, keeping: count, atMost: batch, at: now)
    }
}

@Suite(needsPostgres) struct RoundTripTests {
    @Test
    func `A page of accounts of PostgreSQL has as many round trips for many rows and classes as for one`() async throws
    {
        let backend = CountingBackend(try await PostgresBackend.open(try await IdentityDatabase.create()))
        let store = IdentityStore(backend)
        for number in 0..<60 {
            var account = Account(
                id: "id-\(100 + number)", email: try EmailAddress("u\(100 + number)@example.com"), name: nil,
                passwordHash: nil, passwordChangedAt: noon, createdAt: noon + Double(number))
            account.emailVerifiedAt = number % 2 == 0 ? noon : nil
            account.roles = [[], ["moderator"], ["admin"]][number % 3]
            try await store.insert(account, details: nil)
        }
        _ = backend.taken()
        for limit in [1, 7, 50] {
            for search in ["", "u1"] {
                var query = AccountQuery()
                (query.limit, query.search) = (limit, search)
                let page = try await store.accounts(query)
                expectEqual(page.accounts.map(\.account.id), (0..<limit).map { "id-\(159 - $0)" })
                #expect(page.total == 60 && page.next != nil)
                let expected = search.isEmpty ? 3 : 4
                expectEqual(backend.taken(), expected, "\(limit) rows")
            }
        }
        await store.close()
    }
}
