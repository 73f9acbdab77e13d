// SPDX-License-Identifier: Apache-2.0

/// The schema as numbered migrations; a released migration is never changed, only followed by another.
package enum SQLiteSchema {
    /// The application id "Ltch" (https://sqlite.org/fileformat2.html#application_id).
    package static let applicationID = 0x4C74_6368

    /// The version of the newest schema.
    package static var latest: Int { migrations.count }

    /// Migrates the file to the newest schema, each migration in its own transaction.
    ///
    /// - Throws: `IdentityError.newerSchema` before any change, or the error of a migration. The file then has the
    ///   version of the last successful migration.
    package static func migrate(_ connection: SQLiteConnection) throws(IdentityError) {
        while try version(of: connection) < latest {
            // After an error the connection is closed, which rolls the transaction back.
            try connection.run("BEGIN IMMEDIATE")
            // Read again under the lock: another node that starts concurrently may have migrated.
            let found = try version(of: connection)
            if found < latest {
                let migration = migrations[found]
                for statement in migration.statements {
                    // The rows of an operator must not be lost.
                    if migration.endsSamples, try !StoreTable.leftOut(of: connection).isEmpty { continue }
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
    package static let migrations: [Migration] = [
        Migration(number: 1, name: "Accounts", statements: accounts),
        Migration(number: 2, name: "Usernames", statements: usernames),
        Migration(number: 3, name: "AccountDetails", statements: accountDetails),
        Migration(number: 4, name: "AccountLists", statements: accountLists),
        Migration(number: 5, name: "Mails", statements: mails),
        Migration(number: 6, name: "KeyRotation", statements: keyRotation),
        Migration(number: 7, name: "Credentials", statements: credentials),
        Migration(number: 8, name: "AuditChain", statements: auditChain),
        Migration(number: 9, name: "UpstreamIdentities", statements: upstreamIdentities),
        Migration(number: 10, name: "Authorizations", statements: authorizations),
        Migration(number: 11, name: "AddressChallenges", statements: addressChallenges),
        Migration(number: 12, name: "MailLanguages", statements: mailLanguages),
        Migration(number: 13, name: "Passkeys", statements: passkeys),
        Migration(number: 14, name: "Leases", statements: leases),
        Migration(number: 15, name: "PasskeyDomains", statements: passkeyDomains),
        Migration(number: 16, name: "Registrations", statements: registrations),
        Migration(number: 17, name: "Samples", statements: [samplesEnd], endsSamples: true),
        Migration(number: 18, name: "Consents", statements: consents),
        Migration(number: 19, name: "MailCauses", statements: mailCauses),
        Migration(number: 20, name: "APIKeys", statements: apiKeys),
        Migration(number: 21, name: "Imports", statements: imports),
        Migration(number: 22, name: "Events", statements: events),
        Migration(number: 23, name: "Guests", statements: guests),
        Migration(number: 24, name: "FactorRecovery", statements: factorRecovery),
        Migration(number: 25, name: "Phones", statements: phones),
    ]
}
