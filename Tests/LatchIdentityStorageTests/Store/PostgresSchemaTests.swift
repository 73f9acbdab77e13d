// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchPostgres
import TestSupport
import Testing

@testable import LatchIdentity

/// What a database behind a pooler, or one that is spread over several machines, could not serve, or would serialize.
@Suite struct PostgresSchemaTests {
    /// The sources whose texts PostgreSQL receives, and their migrations as they are sent.
    private static let texts: [(name: String, text: String)] = {
        let server = URL(filePath: #filePath).appending(path: "../../../../Sources/Server").standardized
        let folders = ["LatchIdentity/LatchIdentityStorage", "LatchPostgres"].map { server.appending(path: $0) }
        let files = folders.flatMap { folder in
            (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
                .compactMap { $0 as? URL }
        }
        // The other folders have the models of the rows, and no statements.
        let places: Set = ["LatchIdentityStorage", "SQL", "Postgres", "Transfer"]
        let sources = files.filter { file in
            let path = file.pathComponents
            return file.pathExtension == "swift" && !path.contains("SQLite")
                && (path.contains("LatchPostgres") || path.dropLast().last.map(places.contains) == true)
        }.map { file in
            (file.lastPathComponent, code(of: (try? String(contentsOf: file, encoding: .utf8)) ?? ""))
        }
        let migrations = PostgresSchema.migrations.map { ("migration", $0.statements.joined(separator: "\n")) }
        return sources + migrations
    }()

    /// Returns the lines of a source that are not comments.
    private static func code(of source: String) -> String {
        source.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    }

    @Test(arguments: [
        "(?i)advisory", #"(?i)\b(?:LISTEN|UNLISTEN|NOTIFY)\b"#, #"(?i)\b(?:next|curr|set|last)val\b"#,
        // A column has the name in small letters.
        #"\bSERIAL\b"#, #"(?i)\b(?:(?:big|small)serial|serial[248])\b"#, #"(?i)\bSEQUENCE\b"#,
        #"(?i)GENERATED\s+(?:ALWAYS|BY\s+DEFAULT)\s+AS\s+IDENTITY"#,
    ])
    func `The SQL of PostgreSQL uses no lock, message or number that only one server has`(pattern: String) throws {
        let regex = try Regex(pattern)
        #expect(Self.texts.count > 20)
        for (name, text) in Self.texts {
            expectNil(text.firstMatch(of: regex), "\(name)")
        }
    }

    /// Each of these writes the row of the account whose other row has changed, and so nothing that accounts share.
    private static let triggers: Set = [
        "account_credentials_change", "second_factor_changes_new", "second_factor_changes_old",
        "upstream_identity_changes_new", "upstream_identity_changes_old",
    ]

    @Test func `The SQL of PostgreSQL has only triggers that count an account's credentials`() throws {
        let regex = try Regex(#"CREATE\s+(?:OR\s+REPLACE\s+)?(?:CONSTRAINT\s+|EVENT\s+)?TRIGGER\s+(\S+)"#).ignoresCase()
        let found = Self.texts.filter { $0.name == "migration" }.flatMap { $0.text.matches(of: regex) }
        expectEqual(found.count, Self.triggers.count)
        expectEqual(Set(found.compactMap { $0.output[1].substring.map(String.init) }), Self.triggers)
    }

    @Test(needsPostgres)
    func `The SQL of PostgreSQL keys each table that grows by something random or an account`() async throws {
        let address = try await IdentityDatabase.create()
        await (try PostgresBackend.open(address)).close()
        let connection = try PostgresConnection(PostgresConfiguration(address))
        let keys = try connection.all(
            """
            SELECT c.relname::text, coalesce(format_type(a.atttypid, NULL), '')::text FROM pg_class c
            LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
            LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
            WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
            """
        ) { row throws(PostgresError) in (table: try row.text(0), type: try row.text(1)) }
        #expect(keys.count > StoreTable.all.count)
        // Digests, random numbers, names, and accounts; of the rows with a number there is one each.
        let others = keys.filter { !["text", "bytea"].contains($0.type) }.map(\.table)
        expectEqual(Set(others), ["heartbeat", "latch_schema"])
        let sequences = try connection.first("SELECT count(*) FROM pg_class WHERE relkind = 'S'") {
            row throws(PostgresError) in try row.integer(0)
        }
        expectEqual(sequences, 0)
    }
}
