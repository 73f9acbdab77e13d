// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchIdentity
import LatchTesting
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct SettingTableTests {
    private static let tables = """
        scopes = ["notes:read"]

        [[clients]]
        id = "notes"
        trusted = true
        grants = ["authorization_code", "refresh_token"]
        redirects = ["https://notes.example.com/callback", "notes://callback"]
        logout = ["notes://bye"]

        [[clients]] # a confidential one
        id = "reports"
        confidential = true
        grants = []
        scopes = ["notes:read"]

        [[upstreams]]
        name = "apple"
        client_id = "com.example.web"
        app_ids = ["com.example.notes"]
        team_id = "T"
        key_id = "K"
        secret_file = "/etc/latch/apple key.p8"

        [[upstreams]]
        name = "work"
        kind = "microsoft"
        client_id = "ID"
        tenant = "common"
        tenants = ["Example.com"]
        email_domains = ["Example.com"]
        scopes = ["openid", "email"]

        """

    @Test func `The tables of clients and providers are the clients and the providers of the server`() async throws {
        try await withTemporaryFolder { folder in
            let file = try SettingsTests.file(Self.tables, in: folder)
            let identity = try Settings(file: file).configuration.identity
            let notes = try #require(identity.clients.first)
            expectEqual(identity.clients.map(\.id), ["notes", "reports"])
            #expect(notes.isTrusted && !notes.isConfidential && notes.scopes == nil)
            expectEqual(notes.redirectURIs, ["https://notes.example.com/callback", "notes://callback"])
            expectEqual(notes.postLogoutRedirectURIs, ["notes://bye"])
            #expect(identity.clients[1].isConfidential && identity.clients[1].grants.isEmpty)
            expectEqual(identity.clients[1].scopes?.text, "notes:read")
            expectEqual(identity.upstreams.map(\.name), ["apple", "work"])
            #expect(identity.upstreams[0].kind == .apple && identity.upstreams[0].appIDs == ["com.example.notes"])
            expectEqual(identity.upstreams[0].secretFile, "/etc/latch/apple key.p8")
            #expect(identity.upstreams[1].kind == .microsoft && identity.upstreams[1].tenant == "common")
            expectEqual(identity.upstreams[1].tenants, ["example.com"])
            expectEqual(identity.upstreams[1].emailDomains, ["example.com"])
            expectEqual(identity.upstreams[1].scopes?.text, "openid email")
        }
    }

    @Test func `The tables of clients and providers are printed as a file that reads back the same`() async throws {
        try await withTemporaryFolder { folder in
            let settings = try Settings(file: SettingsTests.file(Self.tables, in: folder))
            let again = try Settings(file: SettingsTests.file(settings.toml, named: "again.toml", in: folder))
            expectEqual(again.configuration.identity, settings.configuration.identity)
            expectEqual(again.all.map(\.text), settings.all.map(\.text))
            #expect(settings.toml.contains("# \(folder)/latch.toml:3\n[[clients]]\nid = \"notes\"\n"))
        }
    }

    @Test func `The tables of clients and providers mean in JSON, and as words, what they mean in TOML`() async throws {
        try await withTemporaryFolder { folder in
            let toml = """
                [[clients]]
                id = "phone"
                grants = ["password"]
                [[upstreams]]
                name = "staff"
                client_id = "latch"
                issuer = "https://sso.example.com"
                """
            let json = """
                {"clients": [{"id": "phone", "grants": ["password"]}],
                 "upstreams": [{"name": "staff", "client_id": "latch", "issuer": "https://sso.example.com"}]}
                """
            let words = [
                "LATCH_CLIENTS": "phone;grants=password",
                "LATCH_UPSTREAMS": "staff;client_id=latch;issuer=https://sso.example.com",
            ]
            let first = try Settings(file: SettingsTests.file(toml, in: folder))
            let second = try Settings(file: SettingsTests.file(json, named: "latch.json", in: folder))
            let third = try Settings(environment: words)
            expectEqual(first.configuration.identity, second.configuration.identity)
            expectEqual(first.configuration.identity, third.configuration.identity)
            #expect(first.keysNeedingRestart(since: third).isEmpty)
        }
    }

    @Test(arguments: [
        (
            "[[clients]]\nid = \"a\"\n[[clients]]\nid = \"b\"\ngrant = []", 3,
            "there is no member 'grant'; known are id, "
        ),
        ("[[clients]]\ntrusted = true", 1, "'id' is missing"), ("[[clients]]\nid = \"\"", 1, "'id' is missing"),
        ("[[clients]]\nid = 1", 1, "'id' must be a text"), ("[[clients]]\nid = \"a b\"", 1, "an id has 1 to 100"),
        ("[[clients]]\nid = \"first-party\"", 1, "'first-party' is reserved"),
        ("[[clients]]\nid = \"a\"\ntrusted = \"yes\"", 1, "'trusted' must be true or false"),
        ("[[clients]]\nid = \"a\"\ngrants = \"password\"", 1, "'grants' must be a list of texts"),
        ("[[clients]]\nid = \"a\"\nscopes = [1]", 1, "'scopes' must be a list of texts"),
        ("[[clients]]\nid = \"a\"\n\n[[clients]]\nid = \"a\"", 4, "'id' is that of an earlier table, 'a'"),
        ("[[clients]]\nid = \"a\"\ngrants = [\"magic\"]", 1, "the client 'a' has the unknown grant 'magic'"),
        ("[[clients]]\nid = \"a\"\nredirects = [\"hunter2\"]", 1, "has a URL in 'redirects' that is not allowed"),
        ("[[upstreams]]\nclient_id = \"a\"", 1, "'name' is missing"),
        ("[[upstreams]]\nname = \"google\"", 1, "'client_id' is missing"),
        ("[[upstreams]]\nname = \"links\"\nclient_id = \"a\"", 1, "'name' has 1 to 40"),
        ("[[upstreams]]\nname = \"google\"\nclient_id = \"a\"\nsecret = \"hunter2\"", 1, "no member 'secret'"),
        (
            "[[upstreams]]\nname = \"x\"\nclient_id = \"a\"\nkind = \"hunter2\"", 1,
            "'kind' that cannot be used; known are"
        ),
        ("[[upstreams]]\nname = \"x\"\nclient_id = \"a\"\nissuer = \"hunter2\"", 1, "value in 'issuer' that cannot"),
        ("[[upstreams]]\nname = \"x\"\nclient_id = \"a\"\nteam_id = \"\"", 1, "value in 'team_id' that cannot"),
        ("[[upstreams]]\nname = \"x\"\nclient_id = \"a\"\ntenants = []", 1, "value in 'tenants' that cannot"),
        (
            "[[upstreams]]\nname = \"x\"\nclient_id = \"a\"\n[[upstreams]]\nname = \"x\"\nclient_id = \"b\"", 4,
            "'name' is that of an earlier table, 'x'"
        ), ("[[scopes]]\nid = \"a\"", 1, "'scopes' has a value of a wrong type"),
    ])
    func `The tables of clients and providers are refused with their line and the member, and without a value`(
        text: String, line: Int, said: String
    ) async throws {
        try await withTemporaryFolder { folder in
            let file = try SettingsTests.file(text, in: folder)
            let error = #expect(throws: CommandError.self) { try Settings(file: file) }
            expectEqual(error?.message.hasPrefix("\(folder)/latch.toml:\(line): "), true, "\(error?.message ?? "")")
            expectEqual(error?.message.contains(said), true, "\(error?.message ?? "")")
            #expect(error?.description.contains("hunter2") == false && error?.hint?.isEmpty == false)
        }
    }

    @Test func `The tables of clients and providers name a setting that stands below them`() async throws {
        try await withTemporaryFolder { folder in
            let file = try SettingsTests.file("[[clients]]\nid = \"a\"\n\nlisten = \"127.0.0.1:9\"", in: folder)
            let error = #expect(throws: CommandError.self) { try Settings(file: file) }
            expectEqual(error?.message.contains("there is no member 'listen'"), true)
            expectEqual(error?.hint, "'listen' is a setting of the server: write it before the first table.")
        }
    }

    @Test func `The tables of clients and providers keep an empty list of scopes`() async throws {
        try await withTemporaryFolder { folder in
            let text = "[[upstreams]]\nname = \"github\"\nclient_id = \"x\"\nscopes = []\n"
            let settings = try Settings(file: SettingsTests.file(text, in: folder))
            expectEqual(settings.configuration.identity.upstreams.map(\.scopes?.count), [0])
            let again = try Settings(file: SettingsTests.file(settings.toml, named: "again.toml", in: folder))
            expectEqual(again.configuration.identity.upstreams, settings.configuration.identity.upstreams)
            expectEqual(settings.json.arrayValue?.contains { $0["tables"]?.arrayValue?.count == 1 }, true)
        }
    }

    @Test func `The tables of clients and providers are not printed for words that are only spaces`() async throws {
        try await withTemporaryFolder { folder in
            let settings = try Settings(file: SettingsTests.file("clients = \" \"\n", in: folder))
            let warnings = settings.warnings(listeningOn: try ListenAddress("127.0.0.1:0"), isEncrypted: false)
            #expect(warnings.allSatisfy { !$0.message.contains("'clients'") })
        }
    }

    @Test
    func `The tables of clients and providers replace the words of a file, which warn with the tables to copy`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let words = """
                clients = ["phone;grants=password", "web;confidential;scopes=files:read"]
                upstreams = "staff;client_id=latch;issuer=https://sso.example.com;secret_file=/s.txt"
                mail_directory = "mails"
                scopes = ["files:read"]
                token_pepper = "hunter2hunter2hunter2"

                """
            let settings = try Settings(file: SettingsTests.file(words, in: folder))
            let warnings = settings.warnings(listeningOn: try ListenAddress("127.0.0.1:0"), isEncrypted: false)
            #expect(warnings.count == 2 && warnings.allSatisfy { $0.message.hasPrefix("\(folder)/latch.toml:") })
            expectEqual(warnings.map { $0.message.contains("'clients'") }, [true, false])
            let lines = warnings.flatMap(\.lines).joined(separator: "\n")
            #expect(lines.contains("[[clients]]\nid = \"phone\"\ngrants = [\"password\"]\n"))
            #expect(lines.contains("secret_file = \"/s.txt\"") && !lines.contains("hunter2"))
            let rest = words.split(separator: "\n").dropFirst(2).joined(separator: "\n")
            let copied = try SettingsTests.file(rest + "\n\n" + lines, named: "new.toml", in: folder)
            let again = try Settings(file: copied)
            expectEqual(again.configuration.identity, settings.configuration.identity)
            #expect(again.warnings(listeningOn: try ListenAddress("127.0.0.1:0"), isEncrypted: false).isEmpty)
        }
    }

    @Test
    func `The tables of clients and providers replace the words of a JSON file by a member to copy`() async throws {
        try await withTemporaryFolder { folder in
            let words = #"{"mail_directory": "mails", "clients": "phone;grants=password"}"#
            let settings = try Settings(file: SettingsTests.file(words, named: "latch.json", in: folder))
            let warnings = settings.warnings(listeningOn: try ListenAddress("127.0.0.1:0"), isEncrypted: false)
            expectEqual(warnings.map(\.lines), [[#""clients": [{"id":"phone","grants":["password"]}]"#]])
        }
    }

    @Test func `The tables of clients and providers are not asked for in the environment, which has words`() throws {
        let environment = ["LATCH_CLIENTS": "phone;grants=password", "LATCH_MAIL_DIRECTORY": "mails"]
        let warnings = try Settings(environment: environment)
            .warnings(listeningOn: try ListenAddress("127.0.0.1:0"), isEncrypted: false)
        #expect(warnings.isEmpty)
    }

    @Test func `The tables of clients and providers are printed by the doctor where a file has words`() async throws {
        try await CommandHome.with { home in
            let path = home.folder + "/words.toml"
            try Data("clients = \"phone;grants=password\"\n".utf8).write(to: URL(filePath: path))
            let report = try await DoctorReport.of(home, [], ["LATCH_CONFIG": path])
            #expect(report.says("configuration", "[[clients]]\nid = \"phone\"\ngrants = [\"password\"]"))
        }
    }
}
