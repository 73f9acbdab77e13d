// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch

/// The exports of other systems, each played from the file to a sign-in.
@Suite(.timeLimit(.minutes(3))) struct ImportTests {
    static let password = "correct horse battery staple"

    /// An export in the form that its system documents; the hashes were made for the tests.
    struct Export: Sendable, CustomTestStringConvertible {
        let system: String
        let files: [String: String]
        var options: [String] = []
        /// What the command reports.
        let report: String
        /// Whether the user `ada@example.com` has a password.
        var hasPassword = true
        var name: String? = "Ada Lovelace"
        /// What differs from the form that the system documents today.
        var form: String?

        var testDescription: String { form.map { "\(system): \($0)" } ?? system }
    }

    static let exports = [
        Export(
            system: "auth0",
            files: [
                "export": """
                {"user_id":"auth0|5f7c8ec7c33c6c004bbafe82","email":"ada@example.com","email_verified":true,\
                "name":"Ada Lovelace","created_at":"2020-10-06T15:08:23.000Z",\
                "identities":[{"provider":"auth0","user_id":"5f7c8ec7c33c6c004bbafe82","isSocial":false}]}
                {"user_id":"auth0|5f7c8ec7c33c6c004bbafe83","email":"bob@example.com","email_verified":false,\
                "name":"bob@example.com","created_at":"2020-10-06T15:08:23.000Z","blocked":true}

                """,
                "second": """
                {"_id":{"$oid":"5f7c8ec7c33c6c004bbafe82"},"email_verified":true,"email":"ada@example.com",\
                "passwordHash":"$2b$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG",\
                "tenant":"example","connection":"Username-Password-Authentication"}

                """,
            ], options: ["--with", "second"],
            report: """
                Imported 2 accounts; 0 already in the store, 0 refused.
                1 record without a password.
                """),
        Export(
            system: "firebase",
            files: [
                "export": """
                {"users": [
                {"localId": "uid-1", "email": "ada@example.com", "emailVerified": true, "displayName": "Ada Lovelace",
                 "passwordHash": "LMTxTaaOQz6HjeM_mCYqVPwYHAldA7ULa_FZpeFgLKkxkztUpMpizhxVaCAvH8bBI4VWAcypylolkGgnsFVeaw==",
                 "salt": "c2FsdHNhbHQ=", "lastSignedInAt": "1700000000000", "createdAt": "1600000000000",
                 "providerUserInfo": []},
                {"localId": "uid-2", "email": "bob@example.com", "emailVerified": true, "createdAt": "1600000000000",
                 "providerUserInfo": [{"providerId": "google.com", "rawId": "1234", "email": "bob@example.com"}]}
                ]}
                """,
                "parameters": """
                hash_config {
                  algorithm: SCRYPT,
                  base64_signer_key: AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw==,
                  base64_salt_separator: Bw==,
                  rounds: 8,
                  mem_cost: 14,
                }
                """,
            ], options: ["--hash-config", "parameters", "--skip-links"],
            report: """
                Imported 2 accounts; 0 already in the store, 0 refused.
                1 record without a password.
                """),
        Export(
            system: "supabase",
            files: [
                "export": """
                id,email,encrypted_password,email_confirmed_at,raw_user_meta_data,created_at,banned_until
                0b7e9a4e-6f3b-4a53-9d6c-3c1f8f0a0001,ada@example.com,\
                $2a$10$zyxwvutsrqponmlkjihgfeULmbkp5YC8oiIFI/TNRzM/usgq0DzpO,2023-05-01 10:00:00.123456+00,\
                "{""full_name"": ""Ada Lovelace""}",2023-05-01 09:59:00.5+00,

                """
            ], report: "Imported 1 account; 0 already in the store, 0 refused."),
        Export(
            system: "keycloak",
            files: [
                "export": #"""
                {"realm": "example", "users": [
                {"id": "1f0c", "createdTimestamp": 1600000000000, "username": "ada", "enabled": true,
                 "emailVerified": true, "firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.com",
                 "credentials": [{"id": "c1", "type": "password", "createdDate": 1600000000000,
                 "secretData": "{\"value\":\"3mgstO7RrruaZAKnWUST+xlE1TX2ZzOyL0fYHKSaNEnIm+kZxefd8R2nHbloFcVLkcRoHBxXxAsemUvDdu846Q==\",\"salt\":\"MDEyMzQ1Njc4OWFiY2RlZg==\",\"additionalParameters\":{}}",
                 "credentialData": "{\"hashIterations\":2000,\"algorithm\":\"pbkdf2-sha512\",\"additionalParameters\":{}}"}],
                 "requiredActions": [], "realmRoles": ["default-roles-example"], "groups": []},
                {"id": "2e0d", "username": "service-account-api", "enabled": true, "serviceAccountClientId": "api"}
                ]}
                """#
            ],
            report: "Imported 1 account; 0 already in the store, 0 refused.\n1 record skipped: not an account."),
        Export(
            system: "cognito",
            files: [
                "export": """
                {"Users": [{"Username": "7d8ca528", "Attributes": [
                {"Name": "sub", "Value": "7d8ca528-4931-4254-9273-ea5ee853f271"},
                {"Name": "email_verified", "Value": "true"}, {"Name": "name", "Value": "Ada Lovelace"},
                {"Name": "email", "Value": "ada@example.com"}],
                "UserCreateDate": "2021-04-06T20:10:19.220000+00:00", "Enabled": true, "UserStatus": "CONFIRMED"}]}
                """
            ],
            report: """
                Imported 1 account; 0 already in the store, 0 refused.
                1 record without a password.
                """, hasPassword: false),
        Export(
            system: "django",
            files: [
                "export": """
                [{"model": "auth.user", "pk": 1, "fields": {
                "password": "pbkdf2_sha256$1000$c2VhLXNhbHQ$n0UscbBqD6xiWPW+l3yMzdob0aOiJwAzM1A6D4nmmBY=",
                "last_login": null, "is_superuser": true, "username": "ada", "first_name": "Ada",
                "last_name": "Lovelace", "email": "ada@example.com", "is_staff": true, "is_active": true,
                "date_joined": "2022-03-04T05:06:07.890Z", "groups": [], "user_permissions": []}},
                {"model": "auth.user", "pk": 2, "fields": {"password": "!unusable", "username": "bob",
                "first_name": "", "last_name": "", "email": "", "is_active": true,
                "date_joined": "2022-03-04T05:06:07Z"}}]
                """
            ],
            report: """
                Imported 1 account; 0 already in the store, 1 refused.
                1 record without a password.
                record 2 (2): 'email' is missing.
                """),
        Export(
            system: "better-auth",
            files: [
                "export": """
                [{"id": "u1", "name": "Ada Lovelace", "email": "ada@example.com", "emailVerified": true,
                "image": null, "createdAt": "2025-01-02T03:04:05.000Z", "updatedAt": "2025-01-02T03:04:05.000Z"}]
                """,
                "second": """
                [{"id": "a1", "accountId": "u1", "providerId": "credential", "userId": "u1",
                "password": "00112233445566778899aabbccddeeff:f5b22309b28fe412c82a4b2cab57498b8f8a42c849af16cb908974048f61c13933421858db3a8f111430bdc493c7cef90f61f904061c77206e3820a2e8b11bc2"}]
                """,
            ], options: ["--with", "second"], report: "Imported 1 account; 0 already in the store, 0 refused."),
        Export(
            system: "pocketbase",
            files: [
                "export": """
                [{"id":"y1h8x0x2c3v4b5n","email":"ada@example.com","verified":1,"name":"Ada Lovelace",
                "password":"$2y$04$ABCDEFGHIJKLMNOPQRSTUuHzrfeaHESIafIgIn5rRlQxo3XhcNIeq",
                "created":"2024-02-03 04:05:06.789Z"}]
                """
            ], report: "Imported 1 account; 0 already in the store, 0 refused."),
        Export(
            system: "latchwork",
            files: [
                "export": """
                \u{FEFF}email,email_verified,name,password_hash,attributes.company,roles\r
                ada@example.com,TRUE,"Ada ""the"" Lovelace",\
                $2b$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG,"Analytical Engines, Ltd.",editor\r

                """
            ], report: "Imported 1 account; 0 already in the store, 0 refused.", name: "Ada \"the\" Lovelace"),
    ]

    @Test(arguments: exports + variants)
    func `An export is imported, and its user signs in with the password`(export: Export) async throws {
        try await withTemporaryFolder { folder in
            for (name, content) in export.files {
                try Data(content.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            // The server makes the store.
            try await BuiltProgram.serving(in: folder) { _, _ in }
            let store = "sqlite:\(folder)/latch.sqlite"
            let arguments =
                ["admin", "user", "import", "\(folder)/export", "--store", store, "--from", export.system]
                + export.options.map { export.files[$0] == nil ? $0 : "\(folder)/\($0)" }
            let trial = try await run(arguments + ["--dry-run"], in: folder)
            #expect(trial.first?.hasPrefix("Would import ") == true, "\(trial)")
            try await expectEqual(run(arguments, in: folder).joined(separator: "\n"), export.report)
            // A second run changes nothing.
            let again = try await run(arguments, in: folder)
            #expect(again.first?.hasPrefix("Imported 0 accounts; ") == true, "\(again)")
            let shown = try await run(
                ["admin", "user", "show", "ada@example.com", "--store", store, "--json"], in: folder)
            expectEqual(try JSONValue(parsing: shown.joined())["name"]?.stringValue, export.name)
            try await BuiltProgram.serving(in: folder) { _, url in
                let client = Client(baseURL: try #require(URL(string: url)), transport: Transport.live)
                let content: JSONValue = ["email": "ada@example.com", "password": .string(Self.password)]
                let login = try await client.result(
                    of: Route.bytes(.post, "api/auth/clients/login", sending: .json(content)), failure: Refusal.self)
                guard case .failure(let refusal, _) = login else { return #expect(export.hasPassword) }
                #expect(!export.hasPassword, "\(refusal)")
            }
        }
    }

    private struct Refusal: Decodable {
        let code: String?
    }

    @Test func `Second factors that cannot be imported are not lost without a word`() async throws {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder) { _, _ in }
            let export = #"""
                [{"id": 1, "email": "ada@example.com", "emailVerified": 1, "twoFactorEnabled": true},
                {"id": 2, "email": "bob@example.com", "emailVerified": 0}]
                """#
            for (name, content) in [("users", export), ("accounts", "[]")] {
                try Data(content.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            let arguments = [
                "admin", "user", "import", "\(folder)/users", "--store", "sqlite:\(folder)/latch.sqlite", "--from",
                "better-auth", "--with", "\(folder)/accounts",
            ]
            let found = try await run(arguments, in: folder)
            expectEqual(found.first, "Imported 1 account; 0 already in the store, 1 refused.")
            #expect(found.contains { $0.hasPrefix("record 1 (ada@example.com): ") }, "\(found)")
            #expect(found.last?.hasPrefix("hint: --skip-factors") == true, "\(found)")
            expectEqual(
                try await run(arguments + ["--skip-factors"], in: folder).first,
                "Imported 1 account; 1 already in the store, 0 refused.")
        }
    }

    @Test func `Users of two systems with the same identifiers get a prefix, and unknown hashes can be left out`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder) { _, _ in }
            let exports = [
                "one": #"[{"model": "auth.user", "pk": 1, "fields": {"password": "", "email": "ada@example.com"}}]"#,
                "other": #"""
                [{"model": "accounts.user", "pk": 1, "fields": {"password": "md5$salt$0123", "email": "bob@example.com"}},
                {"model": "accounts.user", "pk": 2, "fields": {"password": "md5$salt$4567", "email": "eve@example.com"}}]
                """#,
            ]
            for (name, content) in exports {
                try Data(content.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            func insert(_ file: String, _ options: String...) async throws -> [String] {
                try await run(
                    [
                        "admin", "user", "import", "\(folder)/\(file)", "--from", "django", "--store",
                        "sqlite:\(folder)/latch.sqlite",
                    ] + options, in: folder)
            }
            try await expectEqual(insert("one").first, "Imported 1 account; 0 already in the store, 0 refused.")
            let refused = try await insert("other", "--prefix", "shop-")
            expectEqual(refused.first, "Imported 0 accounts; 0 already in the store, 2 refused.")
            expectEqual(refused.last, "hint: --skip-hashes imports accounts without such a hash.")
            // The hint with all formats is in the report once.
            expectEqual(refused.count { $0.hasPrefix("hint: Accepted are: ") }, 1)
            try await expectEqual(
                insert("other", "--skip-hashes"),
                [
                    "Imported 1 account; 0 already in the store, 1 refused.",
                    "2 records without the password, whose hash cannot be imported.",
                    "record 1 (bob@example.com): 'foreign_id' belongs to another account of the server.",
                    "hint: Two systems may have the same identifiers: 'latch admin user import --prefix' "
                        + "distinguishes them.",
                ])
            try await expectEqual(
                insert("other", "--skip-hashes", "--prefix", "shop-").first,
                "Imported 1 account; 0 already in the store, 1 refused.")
        }
    }

    @Test(arguments: [
        (#"a,"b ""c"", d",e"#, ["a", "b \"c\", d", "e"]), ("a,,\r", ["a", "", ""]), ("", [""]), (#""""#, [""]),
        ("\"two\nlines\",x", ["two\nlines", "x"]), (#"a"b,c"#, ["a\"b", "c"]), ("\"\"\"a\"\"\",b", ["\"a\"", "b"]),
    ])
    func `A row of CSV has the fields of RFC 4180`(text: String, fields: [String]) {
        var row = CSVRow()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { row.append(Array(line.utf8)) }
        expectEqual(row.isOpen, false)
        expectEqual(row.fields, fields)
    }

    @Test func `A row of CSV that is not closed, or not UTF-8, is not text`() {
        var open = CSVRow()
        open.append(Array(#"a,"b"#.utf8))
        #expect(open.isOpen)
        var foreign = CSVRow()
        foreign.append([0x4A, 0xF6])
        expectNil(foreign.fields)
    }

    private func run(_ arguments: [String], in folder: String) async throws -> [String] {
        let process = try BuiltProgram.start(arguments, in: folder)
        let outcome = await BuiltProgram.outcome(of: process, in: folder)
        expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
        return outcome.output
    }
}
