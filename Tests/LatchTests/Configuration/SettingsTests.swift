// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchIdentity
import LatchTesting
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct SettingsTests {
    static func file(_ text: String, named name: String = "latch.toml", in folder: String) throws -> ConfigurationFile {
        let path = folder + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        return try ConfigurationFile(readingFrom: path)
    }

    static func failure(_ body: () throws -> some Any) -> CommandError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? CommandError
        }
    }

    @Test func `The settings have safe defaults that a file could hold`() throws {
        let settings = try Settings()
        expectEqual(settings.text(of: "listen"), "127.0.0.1:8080")
        expectEqual(settings.text(of: "access_token_lifetime"), "900")
        #expect(settings.all.allSatisfy { $0.source == .standard })
        expectEqual(settings.configuration.identity, IdentityConfiguration())
    }

    @Test func `The settings take a flag before the environment, then the file, then the default`() async throws {
        try await withTemporaryFolder { folder in
            let file = try Self.file(
                "issuer = \"http://file\"\nreplay_window = 7\naccess_token_lifetime = 5\n", in: folder)
            let settings = try Settings(
                flags: ["issuer": "http://flag"],
                environment: ["LATCH_ISSUER": "http://environment", "LATCH_REPLAY_WINDOW": "8"], file: file)
            func source(_ key: String) -> String? {
                settings.all.first { $0.setting.key == key }.map { "\($0.text) from \($0.source)" }
            }
            expectEqual(source("issuer"), "http://flag from --issuer")
            expectEqual(source("replay_window"), "8 from LATCH_REPLAY_WINDOW")
            expectEqual(source("access_token_lifetime"), "5 from \(folder)/latch.toml:3")
            expectEqual(source("argon2_passes"), "2 from default")
            let configuration = settings.configuration.identity
            expectEqual(configuration.issuer, "http://flag")
            expectEqual(configuration.replayWindow, .seconds(8))
            expectEqual(configuration.accessTokenLifetime, .seconds(5))
        }
    }

    @Test func `The settings come from JSON or from TOML`() async throws {
        try await withTemporaryFolder { folder in
            let toml = """
                access_token_lifetime = 60
                require_verified_email = true
                allowed_origins = ["https://a.example", "https://b.example"]
                """
            let json = """
                {"access_token_lifetime": 60, "require_verified_email": true,
                 "allowed_origins": ["https://a.example", "https://b.example"]}
                """
            let first = try Settings(file: Self.file(toml, in: folder)).configuration.identity
            let second = try Settings(file: Self.file(json, named: "latch.json", in: folder)).configuration.identity
            expectEqual(first, second)
            #expect(first.requireVerifiedEmail)
            expectEqual(first.allowedOrigins, ["https://a.example", "https://b.example"])
        }
    }

    @Test(arguments: [
        ("latch.toml", "listen = \n", "latch.toml:1:10: a value is missing."),
        ("latch.toml", "\nlisten = \"8080\"", "latch.toml:2: '8080' is not an address"),
        ("latch.toml", "lisen = \"127.0.0.1:0\"", "latch.toml:1: there is no setting 'lisen'."),
        ("latch.toml", "access_token_lifetime = \"soon\"", "latch.toml:1: The setting 'access_token_lifetime' must be"),
        ("latch.toml", "access_token_lifetime = 1.5", "latch.toml:1: The setting"),
        ("latch.toml", "[server]\nlisten = \"127.0.0.1:0\"", "'server' is a table"),
        ("latch.toml", "allowed_origins = [1]", "'allowed_origins' has a value of a wrong type"),
        ("latch.toml", "admin_listen = \"9090\"", "latch.toml:1: '9090' is not an address"),
        ("latch.json", "{\"listen\":\n  8080,}", "latch.json:2:8:"), ("latch.json", "[]", "is not a JSON object"),
        ("latch.json", "{\"listen\": null}", "'listen' has a value of a wrong type"),
        ("latch.json", "{\"listen\": \"a:1\", \"listen\": \"b:1\"}", "is repeated"),
    ])
    func `The settings report the place of an error in a file`(name: String, text: String, message: String) async throws
    {
        try await withTemporaryFolder { folder in
            let error = try #require(
                Self.failure { try Settings(file: Self.file(text, named: name, in: folder)) })
            #expect(error.message.contains(message), "\(error.message)")
            expectEqual(error.hint?.isEmpty, false)
            expectEqual(error.exitCode, .failure)
        }
    }

    @Test func `The settings report a file that is missing, unreadable or too large`() async throws {
        try await withTemporaryFolder { folder in
            let missing = Self.failure { try ConfigurationFile(readingFrom: folder + "/none.toml") }
            expectEqual(missing?.message.contains("there is no such file"), true)
            try Data([0xFF, 0xFE]).write(to: URL(filePath: folder + "/bytes.toml"))
            expectEqual(
                Self.failure { try ConfigurationFile(readingFrom: folder + "/bytes.toml") }?.message
                    .contains("not UTF-8"), true)
            try Data(repeating: 0x23, count: 2 << 20).write(to: URL(filePath: folder + "/large.toml"))
            expectEqual(
                Self.failure { try ConfigurationFile(readingFrom: folder + "/large.toml") }?.message
                    .contains("too large"), true)
        }
    }

    @Test func `The settings name the variable or the flag that is wrong`() throws {
        let variable = try #require(Self.failure { try Settings(environment: ["LATCH_ARGON2_PASSES": "many"]) })
        #expect(variable.message.hasPrefix("LATCH_ARGON2_PASSES: "))
        expectEqual(variable.exitCode, .failure)
        let flag = try #require(Self.failure { try Settings(flags: ["listen": "nowhere"]) })
        #expect(flag.message.hasPrefix("--listen: "))
        expectEqual(flag.exitCode, .usage)
    }

    @Test func `The settings give the meaning and the default of a setting with a wrong value`() throws {
        let number = try #require(Self.failure { try Settings(environment: ["LATCH_DRAIN_DELAY": "soon"]) })
        expectEqual(number.hint?.hasSuffix("before shutdown. The default is 0."), true)
        let issuer = try #require(Self.failure { try Settings(flags: ["issuer": "id.example.com"]) })
        expectEqual(issuer.hint, "'issuer' means: the public URL of the server.")
        let proxies = try #require(Self.failure { try Settings(environment: ["LATCH_TRUSTED_PROXIES": "proxy"]) })
        expectEqual(proxies.hint?.hasPrefix("Write addresses and networks"), true)
    }

    @Test func `The settings notice unknown names in the environment`() {
        let names = ["LATCH_ISUER": "x", "LATCH_HOME": "x", "LATCH_LISTEN": "x", "PATH": "x", "LATCH_QQQQ": "x"]
        let unknown = Settings.unknownNames(in: names)
        expectEqual(unknown.map(\.name), ["LATCH_ISUER", "LATCH_QQQQ"])
        expectEqual(unknown.map(\.suggestion), ["LATCH_ISSUER", nil])
    }

    @Test func `The settings print as a file that reads back the same`() async throws {
        try await withTemporaryFolder { folder in
            let environment = ["LATCH_MAIL_DIRECTORY": "a \"b\"\\c\u{1}", "LATCH_REQUIRE_VERIFIED_EMAIL": "yes"]
            let settings = try Settings(flags: ["listen": "[::1]:0"], environment: environment)
            let again = try Settings(file: Self.file(settings.toml, in: folder))
            expectEqual(again.all.map(\.text), settings.all.map(\.text))
        }
    }

    @Test func `The settings are never shown with a secret in them`() throws {
        let settings = try Settings(environment: [
            "LATCH_TOKEN_PEPPER": "hunter2", "LATCH_SMTP_URL": "smtps://ada:hunter2@mail.example.com",
        ])
        let shown = settings.toml + String(decoding: settings.json.serialized(), as: UTF8.self)
        #expect(!shown.contains("hunter2"))
        #expect(shown.contains("token_pepper = \"(redacted)\""))
    }

    @Test func `The settings print an empty value that is not the default`() async throws {
        try await withTemporaryFolder { folder in
            let text = "first_party_grants = []\ninvitation_roles = \"\"\n"
            let settings = try Settings(file: Self.file(text, in: folder))
            #expect(settings.toml.contains("\nfirst_party_grants = \"none\"  # "))
            let again = try Settings(file: Self.file(settings.toml, named: "again.toml", in: folder))
            expectEqual(again.configuration.identity, settings.configuration.identity)
        }
    }
}
