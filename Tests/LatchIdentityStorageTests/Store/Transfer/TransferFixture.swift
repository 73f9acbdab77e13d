// SPDX-License-Identifier: Apache-2.0

import Foundation
import IdentityTestSupport
import LatchCore
import LatchPostgres
import LatchTesting
import Testing

@testable import LatchIdentity

/// A store that a server has filled, with a session, and rows in every table.
struct TransferFixture {
    let site: Site
    let location: String
    let login: Response

    /// - Parameter location: Nil for a SQLite file.
    init(storedAt location: String? = nil) async throws {
        site = try await Site(storedAt: location) { $0.signUpAttributes = ["company"] }
        self.location = location ?? site.folder.file()
        try await site.signUp()
        var registration = Registration()
        (registration.attributes, registration.acceptedTerms) = (["company": "Söhne"], "2026-01")
        _ = try await site.identity.accounts.signUp(
            email: "bob@example.com", password: Site.password, isVerified: true, registration: registration)
        login = try await site.logIn()
        _ = try await site.logIn(password: "wrong")
        let store = site.identity.services.store
        try await store.checkHealth(at: noon)
        try await store.write { db throws(IdentityError) -> Void in
            let bob = try db.first("SELECT id FROM account WHERE email_key = 'bob@example.com'") {
                row throws(IdentityError) in try row.text(0)
            }
            for table in StoreTable.all {
                let isEmpty = try db.number("SELECT count(*) FROM \(table.name)") == 0
                guard isEmpty else { continue }
                let names = table.columns.map(\.name)
                let values = (1...names.count).map { "$\($0)" }.joined(separator: ", ")
                // More than a page of a table whose key is a digest.
                for number in 0..<(table.name == "spent_sign_in" ? 600 : 1) {
                    try db.run(
                        "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(values))",
                        table.columns.map { Self.value(of: $0, number, bob) })
                }
            }
        }
    }

    /// A value of a column, and NULL for one that may be it and is named so here.
    static func value(of column: StoreTable.Column, _ number: Int, _ account: String?) -> SQLValue {
        switch (column.name, column.kind) {
        case ("account_id", _): .text(account)
        case ("decision", _), ("detail", _), ("language", _): .text(nil)
        case ("status", _): .text("active")
        case ("content", _): .text("{}")
        case ("is_confirmed", _): .integer(1)
        // A date after that of the tests, which a pruning at the start leaves.
        case (_, .integer): .integer(4_000_000_000_000)
        case (_, .text): .text("Ünïcode \(column.name) \(number)")
        case (_, .blob): .blob([0, 255, UInt8(number / 256), UInt8(number % 256)])
        }
    }

    /// Adds the table of the sample resource, as a store of an earlier version has it, with a row.
    static func addSample(to location: String) throws {
        let statements = [
            """
            CREATE TABLE sample_item (
                id TEXT PRIMARY KEY NOT NULL, account_id TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
                created_at BIGINT NOT NULL
            )
            """,
            "INSERT INTO sample_item VALUES ('a', 'b', 'widgets', 'c', 1)",
        ]
        if IdentityStore.isDatabase(location) {
            let connection = try PostgresConnection(PostgresConfiguration(location))
            for statement in statements { try connection.run(statement) }
        } else {
            let connection = try SQLiteConnection(path: location, access: .readWrite)
            for statement in statements { try connection.run(statement) }
        }
    }

    static func summaries(of location: String) throws -> [StoreTableSummary] {
        try StoreConnections.snapshot(of: location) { db throws(IdentityError) in try StoreRows(db: db).send() }
    }
}

extension StoreAdministration {
    static func plain() throws -> StoreAdministration {
        try StoreAdministration(storeKey: nil, clock: ManualClock(noon).wallClock())
    }
}
