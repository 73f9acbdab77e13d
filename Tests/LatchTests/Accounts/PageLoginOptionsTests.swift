// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchProcess
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import latch

/// The options of a sign-in on the issuer's page, at a server on loopback and through a browser that curl plays.
@Suite(.timeLimit(.minutes(2))) struct PageLoginOptionsTests {
    private func browser(_ home: CommandHome) throws -> [String: String] {
        let path = "\(home.folder)/browser"
        try Data("#!/bin/sh\ncurl -sSL -b '' -o page.html \"$1\"\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return ["BROWSER": path]
    }

    private func login(
        _ home: CommandHome, _ provider: ScriptedProvider, _ arguments: [String] = []
    ) async throws -> BuiltProgram.Outcome {
        let usual = ["login", "--issuer", provider.base.absoluteString, "--browser", "--client-id", "notes"]
        return try await home.start(usual + arguments, environment: try browser(home)).outcome()
    }

    private func pages(_ provider: ScriptedProvider) -> [[String: String]] {
        provider.requests(to: "/authorize").map { ScriptedProvider.parameters(String($0.query ?? "")) }
    }

    private static let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#

    @Test
    func `The page of a sign-in on the command line gets the claims that an API requires by its challenge`()
        async throws
    {
        try await ScriptedProvider.serving { provider in
            let encoded = Data(Self.claims.utf8).base64EncodedString()
            provider.deviate { deviations in
                deviations.response = { [unowned provider] request in
                    guard request.pathWithoutQuery == "/me" else { return nil }
                    let isMet = provider.requests(to: "/authorize").contains { $0.query?.contains("claims=") == true }
                    guard !isMet else { return HTTPResponse(status: .ok, body: HTTPBody("ada")) }
                    let challenge = "Bearer realm=\"\", error=\"insufficient_claims\", claims=\"\(encoded)\""
                    return HTTPResponse(status: .unauthorized, fields: [.wwwAuthenticate: challenge])
                }
            }
            try await CommandHome.with { home in
                try await expectEqual(login(home, provider).ending, .exited(0))
                let refused = try await home.latch("request", "GET", "/me")
                #expect(refused.ending == .exited(1) && refused.output.isEmpty)
                let hint = try #require(refused.error.last)
                let command = try #require(hint.firstRange(of: "latch login ")).upperBound
                let arguments = ["login"] + hint[command...].split(separator: " ").map(String.init)
                expectEqual(arguments.dropLast(), ["login", "--browser", "--account", "ada@example.com", "--claims"])
                // The challenge is about the user: it spends no refresh.
                expectEqual(provider.requests(to: "/token").count, 1)
                let again = try await home.start(arguments, environment: try browser(home)).outcome()
                expectEqual(again.ending, .exited(0), "\(again.error)")
                expectEqual(pages(provider).map { $0["claims"] }, [nil, Self.claims])
                try await expectEqual(home.latch("request", "GET", "/me").output, ["ada"])
                expectEqual(provider.requests(to: "/token").count, 2)
            }
        }
    }

    @Test
    func `The page of a sign-in on the command line gets claims as JSON, and none that cannot be read`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                try await expectEqual(login(home, provider, ["--claims", Self.claims]).ending, .exited(0))
                expectEqual(pages(provider).map { $0["claims"] }, [Self.claims])
                for text in ["", "[]", "e30!", "W10"] {
                    try await expectEqual(login(home, provider, ["--claims", text]).ending, .exited(2), "\(text)")
                }
                let device = try await home.start(
                    [
                        "login", "--issuer", provider.base.absoluteString, "--device", "--client-id", "notes",
                        "--claims", "{}",
                    ]
                ).outcome()
                expectEqual(device.ending, .exited(2))
                #expect(provider.requests(to: "/authorize").count == 1 && provider.requests(to: "/device").isEmpty)
            }
        }
    }

    @Test func `The page of a sign-in on the command line returns to the redirect URI of the call`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let probe = Server(
                    handler: ClosureHandler { _ in HTTPResponse(status: .ok) },
                    configuration: Server.Configuration(host: "127.0.0.1", port: 0))
                let port = try await probe.start().port
                await probe.shutdown(grace: .zero)
                for uri in ["http://127.0.0.1:\(port)/callback", "http://localhost:\(port)/"] {
                    let login = try await login(home, provider, ["--redirect-uri", uri])
                    expectEqual(login.ending, .exited(0), "\(login.error)")
                    expectEqual(pages(provider).last?["redirect_uri"], uri)
                }
                // Entra's portal registers a name without a port.
                let named = try await login(home, provider, ["--redirect-uri", "http://localhost/back"])
                expectEqual(named.ending, .exited(0), "\(named.error)")
                let sent = pages(provider).last?["redirect_uri"]
                #expect(sent?.hasPrefix("http://localhost:") == true && sent?.hasSuffix("/back") == true)
                for text in ["8400", "https://localhost/", "http://example.com/", "http://127.0.0.1:0/", "", "x"] {
                    let wrong = try await login(home, provider, ["--redirect-uri", text])
                    expectEqual(wrong.ending, .exited(2), "\(text)")
                }
            }
        }
    }

    @Test func `The page of a sign-in on the command line says when the refresh token expires`() async throws {
        try await ScriptedProvider.serving { provider in
            provider.deviate { $0.tokenResponse = { $0["refresh_token_expires_in"] = 604_800 } }
            try await CommandHome.with { home in
                let login = try await login(home, provider)
                #expect(login.output.contains { $0.hasPrefix("The refresh token expires in ") }, "\(login.output)")
                let json = try JSONValue(parsing: try await self.login(home, provider, ["--json"]).output.joined())
                expectEqual(json["refresh_token_expires_at"]?.stringValue?.hasSuffix("Z"), true)
            }
        }
    }

    @Test
    func `The page of a sign-in on the command line is named with that of another device after an end`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                try await expectEqual(login(home, provider).ending, .exited(0))
                provider.deviate { deviations in
                    deviations.response = { request in
                        guard request.pathWithoutQuery == "/token" else { return nil }
                        return HTTPResponse(status: .badRequest, body: HTTPBody(#"{"error":"invalid_grant"}"#))
                    }
                }
                let ended = try await home.latch("token", "--refresh")
                expectEqual(
                    ended.error.last,
                    "hint: Sign in again: latch login --browser --account ada@example.com, or with --device")
            }
        }
    }
}
