// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchFoundation
import LatchIdentity
import LatchServer
import LatchTesting
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct EverySettingTests {
    static let keys = ServeConfiguration.settings.map(\.key)

    /// Three values that a setting takes and that are not its default.
    static func samples(_ setting: Setting) -> [String] {
        // A default may be the most that is allowed.
        let sign = setting.problem(in: String((Int(setting.standard) ?? 0) + 3)) != nil ? -1 : 1
        if let number = Int(setting.standard) { return (1...3).map { String(number + sign * $0) } }
        return switch setting.key {
        case "listen", "admin_listen": (1...3).map { "127.0.0.1:\($0)" }
        case "store": (1...3).map { "sqlite:file\($0)" }
        case "issuer", "allowed_origins", "passkey_origins", "mtls_url": (1...3).map { "https://host\($0).example" }
        case "user_service", "sign_in_notices": ["false", "no", "off"]
        case "require_verified_email", "guests", "require_owner_proof", "sign_in_codes", "browser_tokens",
            "client_metadata_documents":
            ["true", "yes", "on"]
        case "resources": (1...3).map { "https://tools\($0).example.com/mcp;scopes=tools:use" }
        case "clients": (1...3).map { "app\($0);grants=password" }
        case "client_secrets": (1...3).map { "app\($0)=" + String(repeating: "0\($0)", count: 32) }
        case "upstreams": (1...3).map { "staff\($0);kind=openid;client_id=ID;issuer=https://sso\($0).example.com" }
        case "upstream_secrets": (1...3).map { "staff\($0)=secret-\($0)" }
        case "hooks": (1...3).map { "gate;on=sign_up;url=https://app.example.com/gate\($0)" }
        case "hook_secrets": (1...3).map { "gate=whsec_secret-\($0)" }
        case "breached_passwords_url": (1...3).map { "https://leaks\($0).example.com/range" }
        case "sign_in_redirects", "token_redirects": (1...3).map { "notes\($0)://auth/callback" }
        case "apple_app_ids": (1...3).map { "TEAMID000\($0).com.example.notes" }
        case "android_apps":
            (1...3).map { "com.example.notes\($0)=" + Array(repeating: "0\($0)", count: 32).joined(separator: ":") }
        case "app_url": (1...3).map { "notes\($0)://open" }
        case "passkey_domain": (1...3).map { "host\($0).example" }
        case "registration_scopes": (1...3).map { "files:read\($0)" }
        case "access_token_algorithm": ["RS256", "EdDSA", "RS256"]
        case "sign_in_ways": ["passkey code", "password", "password code provider"]
        case "signup": ["closed", "invitation", "closed"]
        case "signup_domains": (1...3).map { "host\($0).example" }
        case "phone_prefixes": (1...3).map { "+4\($0) +1" }
        case "logo_file", "favicon_file": (1...3).map { imageFile($0) }
        case "mail_templates": (1...3).map { emptyFolder($0) }
        case "accent_color", "background_color": (1...3).map { "#10203\($0)" }
        case "terms_url", "privacy_url", "support_url": (1...3).map { "https://host\($0).example/page" }
        case "registration": ["token", "open", "token"]
        case "client_certificates": ["tls", "proxy", "tls"]
        case "client_certificate_field": (1...3).map { "X-Client-Cert-\($0)" }
        case "first_party_grants": ["password", "refresh_token", "none"]
        case "invitation_roles": ["none", "editor", "client editor"]
        case "attributes": ["department", "department;values=Sales,R%26D;scope=work", "seats;type=number;write=user"]
        case "signup_attributes": ["company", "company newsletter", "plan"]
        case "factor_recovery_delay": (1...3).map { "17280\($0)" }
        case "first_administrator": (1...3).map { "admin\($0)@example.com" }
        case "store_key": (1...3).map { String(repeating: "0\($0)", count: 32) }
        case "trusted_proxies": ["10.0.0.0/8", "::1 192.0.2.1", "2001:db8::/32, 127.0.0.1"]
        case "access_log": ["json", "logfmt", "off"]
        case "otlp_endpoint": (1...3).map { "http://127.0.0.1:431\($0)" }
        case "otlp_headers": (1...3).map { "x-key=\($0)" }
        case "trace_ratio": ["0.1", "0.2", "0"]
        case "trace_origins": (1...3).map { "https://host\($0).example" }
        case "trace_parents": ["10.0.0.0/8", "::1 192.0.2.1", "2001:db8::/32, 127.0.0.1"]
        case "forwarded_field": ["forwarded", "Forwarded", "FORWARDED"]
        case "mail_sender": (1...3).map { "sender\($0)@example.com" }
        case "mail_hello_name": (1...3).map { "mx\($0).example.com" }
        case "default_language": ["de", "de", "de"]
        case "smtp_url": (1...3).map { "smtp://127.0.0.\($0):25" }
        default: (1...3).map { "text \($0)" }
        }
    }

    /// Returns the path of an image of the documentation.
    private static func imageFile(_ number: Int) -> String {
        let names = ["refresh", "request", "generation"]
        return URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Documentation/Pictures/\(names[number - 1]).svg").path
    }

    private static func emptyFolder(_ number: Int) -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latch-mail-templates-\(number)")
        do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
            Issue.record(error)
        }
        return folder.path
    }

    private static func setting(_ key: String) throws -> Setting {
        try #require(ServeConfiguration.settings.first { $0.key == key })
    }

    private static func quoted(_ text: String) -> String { Int(text) == nil && text != "true" ? "\"\(text)\"" : text }

    @Test(arguments: keys)
    func `Every setting comes from the flag, then the environment, then the file, then its default`(key: String)
        async throws
    {
        let setting = try Self.setting(key)
        let values = Self.samples(setting)
        try await withTemporaryFolder { folder in
            let file = try SettingsTests.file("# first\n\(key) = \(Self.quoted(values[0]))\n", in: folder)
            let name = setting.environmentName
            let expected = [
                (try Settings(), setting.standard, SettingSource.standard),
                (try Settings(file: file), values[0], .file(path: file.path, line: 2)),
                (try Settings(environment: [name: values[1]], file: file), values[1], .environment(name: name)),
                (
                    try Settings(flags: [key: values[2]], environment: [name: values[1]], file: file), values[2],
                    .flag(name: key)
                ),
            ]
            for (settings, text, source) in expected {
                expectEqual(settings.text(of: key), text)
                expectEqual(settings.all.first { $0.setting.key == key }?.source, source)
                expectEqual(
                    settings.all.filter { $0.source != .standard }.map(\.setting.key),
                    source == .standard ? [] : [key])
            }
        }
    }

    @Test(arguments: keys) func `Every setting reaches its own property and no other`(key: String) throws {
        let setting = try Self.setting(key)
        let value = Self.samples(setting)[0]
        let configuration = try Settings(environment: [setting.environmentName: value]).configuration
        for other in ServeConfiguration.settings {
            expectEqual(other.text(configuration), other.key == key ? value : other.standard, "\(other.key)")
        }
    }

    @Test(arguments: keys) func `Every setting is shown only if it is not a secret`(key: String) throws {
        let setting = try Self.setting(key)
        let value = Self.samples(setting)[0]
        let configuration = try Settings(environment: [setting.environmentName: value]).configuration
        expectEqual(setting.shown(in: configuration), setting.isSecret ? "(redacted)" : value)
    }

    @Test func `Every setting of the HTTP server has the default of the library`() throws {
        let (standard, server) = (Server.Configuration(), try Settings().serverConfiguration())
        expectEqual(server.maximumConnections, standard.maximumConnections)
        expectEqual(server.maximumConnectionsPerAddress, standard.maximumConnectionsPerAddress)
        expectEqual(server.maximumBodyBytes, standard.maximumBodyBytes)
        expectEqual(server.grace, standard.grace)
        expectEqual(server.keepAliveTimeout, standard.keepAliveTimeout)
        expectEqual(server.trustedProxies, standard.trustedProxies)
    }

    @Test func `Every setting means the same in TOML, in JSON and in the environment`() async throws {
        try await withTemporaryFolder { folder in
            let values = ServeConfiguration.settings.map { ($0.key, Self.samples($0)[0]) }
            let toml = values.map { "\($0) = \(Self.quoted($1))\n" }.joined()
            let json = values.map { "\"\($0)\": \(Self.quoted($1))" }.joined(separator: ",\n")
            let fromTOML = try Settings(file: SettingsTests.file(toml, in: folder))
            let fromJSON = try Settings(file: SettingsTests.file("{\(json)}", named: "latch.json", in: folder))
            let fromEnvironment = try Settings(
                environment: Dictionary(
                    uniqueKeysWithValues: ServeConfiguration.settings.map { ($0.environmentName, Self.samples($0)[0]) })
            )
            expectEqual(fromTOML.all.map(\.text), values.map(\.1))
            for settings in [fromJSON, fromEnvironment] {
                expectEqual(settings.all.map(\.text), fromTOML.all.map(\.text))
                expectEqual(settings.configuration.identity, fromTOML.configuration.identity)
            }
        }
    }

    @Test func `Every setting has its own name that no other is taken for`() {
        expectEqual(Set(Self.keys).count, Self.keys.count)
        for setting in ServeConfiguration.settings {
            #expect(setting.key.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" })
            #expect(!setting.summary.isEmpty)
            #expect(Settings.unknownNames(in: [setting.environmentName: ""]).isEmpty)
            #expect(setting.standard.isEmpty || setting.problem(in: setting.standard) == nil, "\(setting.key)")
        }
    }
}

@Suite struct SettingSourceTests {
    private func source(_ file: String, environment: [String: String] = [:]) -> SettingsLoader {
        var invocation = Invocation()
        invocation.add(ServeSubcommand.config, value: file)
        return SettingsLoader(invocation, variables: environment)
    }

    private func write(_ text: String, to path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    @Test(arguments: ServeConfiguration.settings.filter { $0.problem(in: "n o !") != nil }.map(\.key))
    func `The source of a server's settings names file and line of an invalid value`(key: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/latch.toml"
            try write("# a remark\n\n  \(key) = \"n o !\"  # here\n", to: path)
            let error = try #require(throws: CommandError.self) { try source(path).load() }
            #expect(error.message.hasPrefix("\(path):3: "), "\(error.message)")
            expectEqual(error.exitCode, .failure)
        }
    }

    @Test(arguments: [
        ("latch.toml", "smtp_url = \"gopher://ada:hunter2@x\""), ("latch.toml", "store = \"mysql://ada:hunter2@x/y\""),
        ("latch.toml", "token_pepper = hunter2"), ("latch.toml", "token_pepper = \"hunter2\n"),
        ("latch.toml", "token_pepper = [\"hunter2\", 1]"), ("latch.json", "{\"token_pepper\": hunter2}"),
        ("latch.json", "{\"token_pepper\": {\"a\": \"hunter2\"}}"), ("latch.json", "{\"token_pepper\": \"hunter2"),
    ])
    func `The source of a server's settings never quotes a possible secret`(name: String, text: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/" + name
            try write(text, to: path)
            let error = try #require(throws: CommandError.self) { try source(path).load() }
            #expect(error.message.hasPrefix(path))
            #expect(!error.message.contains("hunter2") && error.hint?.contains("hunter2") != true, "\(error.message)")
        }
    }

    @Test
    func `The source of a server's settings reads the file again each time, of the flag before the environment`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let (first, second) = (folder + "/first.toml", folder + "/second.toml")
            try write("replay_window = 1\n", to: first)
            try write("replay_window = 2\n", to: second)
            let both = source(first, environment: ["LATCH_CONFIG": second])
            try expectEqual(both.load().text(of: "replay_window"), "1")
            try write("replay_window = 3\n", to: first)
            try expectEqual(both.load().text(of: "replay_window"), "3")
            let alone = SettingsLoader(Invocation(), variables: ["LATCH_CONFIG": second])
            try expectEqual(alone.load().text(of: "replay_window"), "2")
        }
    }

    @Test
    func `The source of a server's settings takes other defaults from a file that everything else overrides`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let (own, image) = (folder + "/own.toml", folder + "/image.toml")
            try write("listen = \"0.0.0.0:8080\"\naccess_log = \"json\"\nreplay_window = 7\n", to: image)
            try write("listen = \"127.0.0.1:9\"\n", to: own)
            let loader = SettingsLoader(
                Invocation(),
                variables: ["LATCH_DEFAULTS": image, "LATCH_CONFIG": own, "LATCH_REPLAY_WINDOW": "8"])
            let settings = try loader.load()
            #expect(settings.text(of: "listen") == "127.0.0.1:9" && settings.text(of: "access_log") == "json")
            expectEqual(settings.text(of: "replay_window"), "8")
            #expect(loader.environmentWarnings.isEmpty)
            try expectEqual(
                SettingsLoader(Invocation(), variables: ["LATCH_DEFAULTS": image]).load().text(of: "replay_window"), "7"
            )
            try expectNotEqual(
                SettingsLoader(Invocation(), variables: ["LATCH_DEFAULTS": ""]).load().text(of: "replay_window"), "7")
            try write("lisen = \"0.0.0.0:8080\"\n", to: image)
            let error = #expect(throws: CommandError.self) { try loader.load() }
            expectEqual(error?.message.hasPrefix(image), true)
        }
    }

    @Test func `The source of a server's settings warns once of each name that has no effect`() {
        let kept = RecordingEnvironment()
        let names = ["LATCH_ISUER": "hunter2", "LATCH_QQQQ": "hunter2", "LATCH_ISSUER": "http://a"]
        for warning in SettingsLoader(Invocation(), variables: names).environmentWarnings {
            ServerLog(.text, kept.environment).warn(warning)
        }
        let lines = kept.error.split(separator: "\n").map(String.init)
        expectEqual(lines.count, 4)
        expectEqual(lines[0], "latch: warning: LATCH_ISUER is not a setting and has no effect.")
        expectEqual(lines[1], "hint: Did you mean LATCH_ISSUER?")
        #expect(!kept.error.contains("hunter2"))
    }
}
