// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchServer
import LatchTesting
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct StartupWarningTests {
    /// Secrets that nobody guesses.
    private static let secrets = [
        "LATCH_STORE_KEY": String(repeating: "0a", count: 32), "LATCH_TOKEN_PEPPER": String(repeating: "a", count: 16),
    ]

    private func warnings(_ environment: [String: String]) throws -> [String] {
        let settings = try Settings(environment: environment)
        let configuration = try settings.serverConfiguration()
        return settings.warnings(
            listeningOn: ListenAddress(host: configuration.host, port: configuration.port),
            isEncrypted: configuration.tls != nil
        ).flatMap { [$0.message, $0.hint] }
    }

    @Test func `A starting server has no warning on loopback with a mailer`() throws {
        #expect(try warnings(["LATCH_MAIL_DIRECTORY": "mails"]).isEmpty)
        #expect(try warnings(["LATCH_SMTP_URL": "smtp://127.0.0.1:25", "LATCH_LISTEN": "[::1]:0"]).isEmpty)
    }

    @Test(arguments: ["0.0.0.0:80", "[::]:80", "192.0.2.1:443", "id.example.com:443"])
    func `A starting server warns if passwords would cross a network in the clear`(address: String) throws {
        let environment = ["LATCH_MAIL_DIRECTORY": "mails", "LATCH_LISTEN": address]
        let found = try warnings(environment.merging(Self.secrets) { $1 })
        expectEqual(found.count, 2)
        expectEqual(found.first?.contains("unencrypted"), true)
        expectEqual(found.last?.contains("tls_certificate"), true)
    }

    @Test func `A starting server warns of passwords in the clear once, if the issuer is also without https`() throws {
        let environment = [
            "LATCH_MAIL_DIRECTORY": "mails", "LATCH_LISTEN": "0.0.0.0:80", "LATCH_ISSUER": "http://id.example.com",
        ]
        let found = try warnings(environment.merging(Self.secrets) { $1 })
        #expect(found.count == 2 && found[0].hasPrefix("The issuer is http"), "\(found)")
    }

    @Test(arguments: [
        ["LATCH_LISTEN": "0.0.0.0:80"], ["LATCH_LISTEN": "id.example.com:443"],
        ["LATCH_ISSUER": "https://id.example.com", "LATCH_TRUSTED_PROXIES": "127.0.0.1"],
    ])
    func `A starting server warns of missing secrets if others use it`(environment: [String: String]) throws {
        let environment = environment.merging(["LATCH_MAIL_DIRECTORY": "mails"]) { $1 }
        let found = try warnings(environment)
        #expect(found.count >= 4 && found[0].contains("signing keys are unencrypted"), "\(found)")
        #expect(found[1].contains("store_key_file") && found[2].hasPrefix("token_pepper is not set"), "\(found)")
        let file = try warnings(environment.merging(["LATCH_STORE_KEY_FILE": "/run/key"]) { $1 })
        #expect(file.allSatisfy { !$0.contains("signing keys") })
        let set = try warnings(environment.merging(Self.secrets) { $1 })
        #expect(set.allSatisfy { !$0.contains("signing keys") && !$0.contains("token_pepper") }, "\(set)")
    }

    @Test(arguments: [(0o600, 0), (0o640, 2), (0o604, 2)])
    func `A starting server warns of a store key that other users can read`(mode: Int, lines: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/key"
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: mode]
            #expect(FileManager.default.createFile(atPath: path, contents: Data("0a".utf8), attributes: attributes))
            let found = try warnings(["LATCH_MAIL_DIRECTORY": "mails", "LATCH_STORE_KEY_FILE": path])
            expectEqual(found.count, lines)
            #expect(found.allSatisfy { $0.contains(path) })
        }
    }

    @Test(arguments: [
        ("smtps://ada:p%40ss@mail.example.com", "", true), ("smtp://mail.example.com:587", "Acme <a@localhost>", true),
        ("smtp://mail.example.com:587", "a@example.com", false), ("smtp://ada:x@[::1]:25", "", false),
        ("smtp://localhost", "", false),
    ])
    func `A starting server warns of a sender at localhost for another mail server`(
        url: String, sender: String, warns: Bool
    ) throws {
        var environment = ["LATCH_SMTP_URL": url]
        if !sender.isEmpty { environment["LATCH_MAIL_SENDER"] = sender }
        let found = try warnings(environment)
        expectEqual(found.contains { $0.hasPrefix("mail_sender is at localhost") }, warns, "\(found)")
        #expect(!found.joined().contains("p%40ss"))
    }

    @Test(arguments: [
        ("require_pkce=false;grants=authorization_code", 1),
        ("require_pkce=false;require_nonce;grants=authorization_code", 0), ("grants=authorization_code", 0),
        ("require_pkce=false;grants=client_credentials", 0),
    ])
    func `A starting server warns of a client with neither PKCE nor a nonce`(parts: String, count: Int) throws {
        let word = "web;confidential;\(parts);redirects=https://a.example/b"
        let found = try warnings([
            "LATCH_MAIL_DIRECTORY": "mails", "LATCH_CLIENTS": word,
            "LATCH_CLIENT_SECRETS": "web=" + String(repeating: "0a", count: 32),
        ]).filter { $0.contains("'web' needs neither PKCE nor a nonce") }
        expectEqual(found.count, count)
    }

    @Test func `A starting server warns that no emails can be sent`() throws {
        try expectEqual(warnings([:]).first?.contains("No email can be sent"), true)
    }

    @Test func `A starting server warns if all clients would share the address of a proxy`() throws {
        let environment = Self.secrets.merging([
            "LATCH_MAIL_DIRECTORY": "mails", "LATCH_ISSUER": "https://id.example.com",
        ]) { $1 }
        let found = try warnings(environment)
        expectEqual(found.count, 2)
        expectEqual(found.last?.contains("trusted_proxies"), true)
        #expect(try warnings(environment.merging(["LATCH_TRUSTED_PROXIES": "127.0.0.1"]) { $1 }).isEmpty)
    }

    @Test(arguments: [
        (["LATCH_TOKEN_PEPPER": "hunter2"], "token_pepper"),
        (["LATCH_PASSKEY_DOMAIN": "example.com"], "passkey_domain"),
        (["LATCH_ISSUER": "http://login.example.com"], "unencrypted"),
    ])
    func `A starting server warns of weak settings, and of those without effect`(
        environment: [String: String], said: String
    ) throws {
        let found = try warnings(environment.merging(["LATCH_MAIL_DIRECTORY": "mails"]) { $1 })
        #expect(found.count == 2 && found.first?.contains(said) == true, "\(found)")
        #expect(!found.joined().contains("hunter2"))
    }

    @Test func `A starting server has no warning with a long pepper, and an issuer on this machine`() throws {
        #expect(
            try warnings([
                "LATCH_MAIL_DIRECTORY": "mails", "LATCH_TOKEN_PEPPER": String(repeating: "a", count: 16),
                "LATCH_ISSUER": "http://localhost:8080",
            ]).isEmpty)
    }

    @Test func `A starting server has a loop for each processor core, or the number in the settings`() throws {
        let loops = { (environment: [String: String]) in
            try Settings(environment: environment).serverConfiguration().loops
        }
        try expectEqual(loops([:]), ProcessInfo.processInfo.activeProcessorCount)
        try expectEqual(loops(["LATCH_EVENT_LOOPS": "7"]), 7)
    }

    @Test func `A starting server takes limits from the settings`() throws {
        let settings = try Settings(environment: [
            "LATCH_LISTEN": "[::1]:81", "LATCH_MAXIMUM_CONNECTIONS": "5", "LATCH_MAXIMUM_CONNECTIONS_PER_ADDRESS": "4",
            "LATCH_MAXIMUM_BODY_BYTES": "2048", "LATCH_SHUTDOWN_GRACE": "3",
        ])
        let configuration = try settings.serverConfiguration()
        expectEqual(configuration.host, "::1")
        expectEqual(configuration.port, 81)
        expectEqual(configuration.maximumConnections, 5)
        expectEqual(configuration.maximumConnectionsPerAddress, 4)
        expectEqual(configuration.maximumBodyBytes, 2048)
        expectEqual(configuration.grace, .seconds(3))
        expectNil(configuration.tls)
    }

    @Test func `A starting server reads certificate and key, and reports missing ones`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/pem"
            try Data("PEM".utf8).write(to: URL(filePath: path))
            let both = try Settings(environment: ["LATCH_TLS_CERTIFICATE": path, "LATCH_TLS_KEY": path])
            #expect(try both.serverConfiguration().tls != nil)
            let one = try Settings(environment: ["LATCH_TLS_CERTIFICATE": path])
            let alone = #expect(throws: CommandError.self) { try one.serverConfiguration() }
            expectEqual(alone?.message.contains("belong together"), true)
            let none = try Settings(environment: ["LATCH_TLS_CERTIFICATE": path, "LATCH_TLS_KEY": folder + "/none"])
            let unread = #expect(throws: CommandError.self) { try none.serverConfiguration() }
            expectEqual(unread?.message.contains(folder + "/none"), true)
        }
    }
}

@Suite struct ExchangeableHandlerTests {
    @Test func `An exchangeable handler answers each request by the current one`() async throws {
        let handler = SwappableHandler(ClosureHandler { _ in HTTPResponse(status: .ok) })
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        let first = try await handler.respond(to: request)
        handler.replace(with: ClosureHandler { _ in HTTPResponse(status: .noContent) })
        let second = try await handler.respond(to: request)
        expectEqual([first.status, second.status], [.ok, .noContent])
    }

    @Test func `An exchangeable handler lets a request that has begun end where it began`() async throws {
        let (reached, reach) = AsyncStream.makeStream(of: Void.self)
        let (release, go) = AsyncStream.makeStream(of: Void.self)
        let handler = SwappableHandler(
            ClosureHandler { _ in
                reach.yield()
                for await _ in release { break }
                return HTTPResponse(status: .ok)
            })
        async let slow = handler.respond(to: HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/"))
        for await _ in reached { break }
        handler.replace(with: ClosureHandler { _ in HTTPResponse(status: .noContent) })
        go.yield()
        let status = try await slow.status
        expectEqual(status, .ok)
    }
}
