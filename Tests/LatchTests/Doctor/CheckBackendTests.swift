// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess
import TestSupport
import TestVectors
import Testing

@Suite struct `latch check-backend` {
    /// The marks and subjects of the findings, in their order.
    private func marks(_ outcome: BuiltProgram.Outcome) -> [String] {
        outcome.output.compactMap { line in
            guard let mark = line.first, "✓⚠✗".contains(mark) else { return nil }
            return line.components(separatedBy: "  ").first
        }
    }

    @Test func `finds Latchwork's server complete, and tells what an app sets`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            let outcome = try await home.latch("check-backend", server.url.absoluteString)
            #expect(outcome.ending == .exited(0), "\(outcome.output)")
            #expect(
                marks(outcome) == [
                    "✓ register", "✓ login", "✓ wrong password", "✓ refresh", "✓ logout", "✓ forgot password",
                    "✓ reset password", "✓ microsoft",
                ])
            #expect(outcome.output.contains { $0.contains("no sign-in with it") })
            #expect(
                outcome.output.suffix(3) == ["AuthConfiguration(", "  baseURL: URL(string: \"\(server.url)\")!", ")"])
        }
    }

    @Test(.enabled(if: PythonCommand.isPresent, Comment(rawValue: PythonCommand.hint)))
    func `accepts the backend of AuthPackage's guide, and warns of what is weak`() async throws {
        let backend = try await DocumentBackend()
        try await CommandHome.with { home in
            let outcome = try await home.latch("check-backend", backend.url.absoluteString)
            #expect(outcome.ending == .exited(0), "\(outcome.output)")
            #expect(
                marks(outcome) == [
                    "✓ register", "✓ login", "✓ wrong password", "✓ refresh", "⚠ logout", "✓ forgot password",
                    "✓ reset password", "✓ microsoft",
                ])
            let text = outcome.output.joined(separator: "\n")
            #expect(text.contains("400, \"Incorrect password\""))
            #expect(text.contains("the refresh token stays the same"))
            #expect(text.contains("  redirectScheme: \"authdemo\",\n  microsoftEnabled: true\n)"))
            #expect(!text.contains("eyJ"))
        }
    }

    @Test func `fails where the routes are not there, and says what came`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                let outcome = try await home.latch("check-backend", issuer.url, "--json")
                #expect(outcome.ending == .exited(1))
                let object = try JSONValue(parsing: outcome.output.joined())
                #expect(object["fine"] == false)
                let login = object["findings"]?.arrayValue?.first { $0["subject"] == "login" }
                #expect(login?["says"]?.stringValue?.hasPrefix("POST /api/auth/clients/login answered ") == true)
            }
        }
    }

    @Test func `says that nobody answers, once`() async throws {
        try await CommandHome.with { home in
            let outcome = try await home.latch("check-backend", "http://127.0.0.1:9")
            #expect(outcome.ending == .exited(1) && outcome.output.isEmpty)
            #expect(outcome.error.joined().contains("127.0.0.1:9 could not be reached"))
        }
    }

    @Test func `asks for the password of an account that exists on standard input alone`() async throws {
        try await CommandHome.with { home in
            let missing = try await home.latch("check-backend", "http://127.0.0.1:9", "--account", "a@b.com")
            #expect(missing.ending == .exited(2) && missing.error.joined().contains("--password-stdin"))
            let noURL = try await home.latch("check-backend", "localhost")
            #expect(noURL.ending == .exited(2))
        }
    }
}
