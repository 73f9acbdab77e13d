// SPDX-License-Identifier: Apache-2.0

package import LatchPostgres

/// The schema as numbered migrations; a released migration is never changed, only followed by another.
package enum PostgresSchema {
    /// The version of the newest schema.
    package static var latest: Int { migrations.count }

    /// The minimum version of PostgreSQL; compatible engines report other versions.
    private static let minimumServer = 140_000

    /// Migrates the database to the newest schema, each migration in its own transaction.
    ///
    /// Nodes that start concurrently wait for the row with the version, and then find the migration done. The
    /// statements have no time limit, except that they wait for locks only as long as other statements may run.
    ///
    /// - Parameter migrations: The migrations; tests pass other ones.
    /// - Throws: `IdentityError.newerSchema` before any change, or the error of a migration. The database then has the
    ///   version of the last successful migration.
    package static func migrate(_ database: PostgresDatabase, by migrations: [Migration] = migrations) async throws {
        try await namingOldServer(database) {
            var found = try await createVersion(database, latest: migrations.count)
            while found < migrations.count {
                found = try await database.transaction(isLimited: false) { try advance($0, by: migrations) }
            }
        }
    }

    /// Runs statements; if the database is too old to understand them, throws its version as the error.
    ///
    /// An engine that reports an older version but understands all statements is accepted.
    static func namingOldServer(_ database: PostgresDatabase, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as PostgresError where error == .statementFailed {
            let version = try await database.withConnection { $0.serverVersion }
            guard version < minimumServer else { throw error }
            throw PostgresError.serverTooOld(version, minimum: minimumServer)
        }
    }

    /// Returns the version of the schema; 0 after creating the row for it.
    private static func createVersion(_ database: PostgresDatabase, latest: Int) async throws -> Int {
        do {
            if let found = try await database.read(version) { return try known(found, latest) }
        } catch let error as PostgresError where error.sqlState == "42P01" {
            // The table does not exist yet.
        }
        do {
            _ = try await database.transaction { connection in
                try connection.run(
                    "CREATE TABLE IF NOT EXISTS latch_schema (id bigint PRIMARY KEY CHECK (id = 1), version bigint NOT NULL)"
                )
            }
        } catch let error as PostgresError
            where error == .uniqueViolation || ["42710", "42P07"].contains(error.sqlState)
        {
            // Another node has created it concurrently. PostgreSQL reports that as a violation of its catalog's index,
            // or as an existing type or table.
        }
        return try await database.transaction { connection in
            try connection.run("INSERT INTO latch_schema (id, version) VALUES (1, 0) ON CONFLICT DO NOTHING")
            return try known(try version(connection) ?? 0, latest)
        }
    }

    /// Runs the next migration, and returns the version that the schema then has.
    private static func advance(_ connection: PostgresConnection, by migrations: [Migration]) throws -> Int {
        let row = try connection.first("SELECT version FROM latch_schema WHERE id = 1 FOR UPDATE") {
            row throws(PostgresError) in try row.integer(0)
        }
        let found = try known(row.map { Int($0) } ?? 0, migrations.count)
        guard found < migrations.count else { return found }
        try connection.limitLockWaits()
        let migration = migrations[found]
        if migration.endsSamples {
            try endSamples(connection)
        } else {
            for statement in migration.statements { try connection.run(statement) }
        }
        try connection.run("UPDATE latch_schema SET version = $1 WHERE id = 1", [.integer(Int64(found) + 1)])
        return found + 1
    }

    private static func version(_ connection: PostgresConnection) throws -> Int? {
        try connection.first("SELECT version FROM latch_schema WHERE id = 1") { row throws(PostgresError) in
            Int(try row.integer(0))
        }
    }

    private static func known(_ version: Int, _ latest: Int) throws(IdentityError) -> Int {
        guard (0...latest).contains(version) else { throw .newerSchema(found: version, known: latest) }
        return version
    }

    /// The migrations, each in files of `Migrations`; the one at index n changes version n to n + 1.
    package static let migrations: [Migration] = [
        Migration(
            number: 1, name: "Accounts",
            statements: accounts + versions + sessions + waiting + authorizations + operations),
        Migration(number: 2, name: "Leases", statements: leases),
        Migration(number: 3, name: "PasskeyDomains", statements: passkeyDomains),
        Migration(number: 4, name: "Registrations", statements: registrations),
        Migration(number: 5, name: "Samples", statements: [samplesEnd], endsSamples: true),
        Migration(number: 6, name: "Consents", statements: consents),
        Migration(number: 7, name: "MailCauses", statements: mailCauses),
        Migration(number: 8, name: "APIKeys", statements: apiKeys),
        Migration(number: 9, name: "Imports", statements: imports),
        Migration(number: 10, name: "Events", statements: events),
        Migration(number: 11, name: "Guests", statements: guests),
        Migration(number: 12, name: "FactorRecovery", statements: factorRecovery),
        Migration(number: 13, name: "Phones", statements: phones),
    ]

    /// The type of texts, which are compared and sorted by bytes, as in SQLite.
    package static let text = "text COLLATE \"C\""
}
