// SPDX-License-Identifier: Apache-2.0

/// The schema as numbered migrations; a released migration is never changed, only followed by another.
enum SQLiteSchema {
    /// The application id "Ltch" (https://sqlite.org/fileformat2.html#application_id).
    static let applicationID = 0x4C74_6368

    /// The version of the newest schema.
    static var latest: Int { migrations.count }

    /// Migrates the file to the newest schema, each migration in its own transaction.
    ///
    /// - Throws: `IdentityError.newerSchema` before any change, or the error of a migration. The file then has the
    ///   version of the last successful migration.
    static func migrate(_ connection: SQLiteConnection) throws(IdentityError) {
        while try version(of: connection) < latest {
            // After an error the connection is closed, which rolls the transaction back.
            try connection.run("BEGIN IMMEDIATE")
            // Read again under the lock: another node that starts concurrently may have migrated.
            let found = try version(of: connection)
            if found < latest {
                for statement in migrations[found] {
                    // The rows of an operator must not be lost.
                    if statement == samplesEnd, try !StoreTable.leftOut(of: connection).isEmpty { continue }
                    try connection.run(statement)
                }
                try connection.run("PRAGMA application_id = \(applicationID)")
                try connection.run("PRAGMA user_version = \(found + 1)")
            }
            try connection.run("COMMIT")
        }
    }

    /// Returns the version of the file's schema, including the content of the log.
    private static func version(of connection: SQLiteConnection) throws(IdentityError) -> Int {
        let found = try connection.number("PRAGMA user_version")
        guard (0...latest).contains(found) else { throw .newerSchema(found: found, known: latest) }
        return found
    }

    /// The migrations, each in a file of `Migrations`; the one at index n changes version n to n + 1.
    static let migrations: [[String]] = [
        accounts, usernames, accountDetails, accountLists, mails, keyRotation, credentials, auditChain,
        upstreamIdentities, authorizations, addressChallenges, mailLanguages, passkeys, leases, passkeyDomains,
        registrations, [samplesEnd],
    ]
}
