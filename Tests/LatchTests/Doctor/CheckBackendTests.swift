// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchProcess
import LatchTesting
import Synchronization
import TestSupport
import TestVectors
import Testing

@Suite struct CheckBackendTests {
    /// The marks and subjects of the findings, in their order.
    private func marks(_ outcome: BuiltProgram.Outcome) -> [String] {
        outcome.output.compactMap { line in
            guard let mark = line.first, "✓⚠✗".contains(mark) else { return nil }
            return line.components(separatedBy: "  ").first
        }
    }

    @Test func `latch check-backend finds Latchwork's server complete, and prints an app's settings`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            let outcome = try await home.latch("check-backend", server.url.absoluteString)
            expectEqual(outcome.ending, .exited(0), "\(outcome.output)")
            expectEqual(
                marks(outcome),
                [
                    "✓ register", "✓ login", "✓ wrong password", "✓ refresh", "✓ logout", "✓ forgot password",
                    "✓ reset password", "✓ microsoft",
                ])
            #expect(outcome.output.contains { $0.contains("no sign-in with it") })
            expectEqual(
                outcome.output.suffix(3), ["AuthConfiguration(", "  baseURL: URL(string: \"\(server.url)\")!", ")"])
        }
    }

    @Test(.enabled(if: PythonCommand.isPresent, Comment(rawValue: PythonCommand.hint)))
    func `latch check-backend accepts the backend of AuthPackage's guide, and warns of weaknesses`() async throws {
        let backend = try await DocumentBackend()
        try await CommandHome.with { home in
            let outcome = try await home.latch("check-backend", backend.url.absoluteString)
            expectEqual(outcome.ending, .exited(0), "\(outcome.output)")
            expectEqual(
                marks(outcome),
                [
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

    @Test func `latch check-backend fails if the routes are missing, and shows the response`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                let outcome = try await home.latch("check-backend", issuer.url, "--json")
                expectEqual(outcome.ending, .exited(1))
                let object = try JSONValue(parsing: outcome.output.joined())
                expectEqual(object["fine"], false)
                let login = object["findings"]?.arrayValue?.first { $0["subject"] == "login" }
                expectEqual(login?["says"]?.stringValue?.hasPrefix("POST /api/auth/clients/login answered "), true)
            }
        }
    }

    /// Answers of a backend that has the refresh token in a cookie alone, or none at all.
    private func backend(cookie: String?, _ seen: @escaping @Sendable (HTTPRequest) -> Void) -> some Handler {
        ClosureHandler { request in
            seen(request)
            var response = HTTPResponse(status: .ok, fields: [.contentType: "application/json"])
            switch request.path {
            case "/api/clients/register":
                let email = (try? JSONValue(parsing: request.body.bytes))?["email"]?.stringValue ?? ""
                response.body = HTTPBody(#"{"id":"1","email":"\#(email)"}"#)
            case "/api/auth/clients/login" where request.body.text?.contains("not the password") == true:
                response.status = .unauthorized
            case "/api/auth/clients/login":
                response.body = HTTPBody(#"{"accessToken":"opaque"}"#)
                if let cookie { response.fields.append("refreshToken=\(cookie)1; HttpOnly", for: .setCookie) }
            case "/api/auth/refresh-token":
                guard request.fields[.cookie] == cookie.map({ "refreshToken=\($0)1" }) else {
                    return HTTPResponse(status: .unauthorized)
                }
                response.body = HTTPBody(#"{"accessToken":"opaque2"}"#)
                if let cookie { response.fields.append("refreshToken=\(cookie)2; HttpOnly", for: .setCookie) }
            case "/api/auth/reset-password": response.status = .badRequest
            case "/api/auth/microsoft": response.status = .notFound
            default: response.body = HTTPBody(#"{"message":"ok"}"#)
            }
            return response
        }
    }

    @Test(arguments: [Optional("R"), nil])
    func `latch check-backend follows a refresh token in a cookie, and reports its absence`(cookie: String?)
        async throws
    {
        let cookies = Mutex<[String]>([])
        let backend = backend(cookie: cookie) { request in
            guard request.path == "/api/auth/logout" else { return }
            cookies.withLock { $0.append(request.fields[.cookie] ?? "") }
        }
        try await serving(backend.respond(to:)) { url in
            try await CommandHome.with { home in
                let outcome = try await home.latch("check-backend", url.absoluteString)
                expectEqual(outcome.ending, .exited(0), "\(outcome.output)")
                let text = outcome.output.joined(separator: "\n")
                expectEqual(text.contains("with a new refresh token each time"), cookie != nil)
                expectEqual(text.contains("and the refresh token has ended"), cookie != nil)
                expectEqual(text.contains("there is nothing to end"), cookie == nil)
            }
        }
        expectEqual(cookies.withLock(\.self), [cookie == nil ? "" : "refreshToken=R2"])
    }

    @Test func `latch check-backend refuses another provider, and a password without encryption`() async throws {
        try await CommandHome.with { home in
            let provider = try await home.latch("check-backend", "http://127.0.0.1:9", "--provider", "foo")
            #expect(provider.ending == .exited(2) && provider.error.joined().contains("microsoft, google or facebook"))
            let plain = try await home.latch(
                "check-backend", "http://192.0.2.1", "--account", "a@b.com", "--password-stdin")
            #expect(plain.ending == .exited(2) && plain.error.joined().contains("without encryption"))
        }
    }

    @Test func `latch check-backend reports a missing server once`() async throws {
        try await CommandHome.with { home in
            let outcome = try await home.latch("check-backend", "http://127.0.0.1:9")
            #expect(outcome.ending == .exited(1) && outcome.output.isEmpty)
            #expect(outcome.error.joined().contains("127.0.0.1:9 could not be reached"))
        }
    }

    @Test
    func `latch check-backend asks for the password of an existing account only on standard input`() async throws {
        try await CommandHome.with { home in
            let missing = try await home.latch("check-backend", "http://127.0.0.1:9", "--account", "a@b.com")
            #expect(missing.ending == .exited(2) && missing.error.joined().contains("--password-stdin"))
            let noURL = try await home.latch("check-backend", "localhost")
            expectEqual(noURL.ending, .exited(2))
        }
    }
}
