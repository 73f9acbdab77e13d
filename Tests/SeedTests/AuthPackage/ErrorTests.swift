// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import TestTags
import Testing

/// An answer of a backend and the error that the guide promises for it.
private struct Case: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let error: APIError

    var testDescription: String { "\(status) \(body)" }

    static let all: [Case] =
        [400, 403, 404, 409, 422, 429, 500, 503].map { status in
            Case(status: status, body: #"{"message":"why"}"#, error: .server(status: status, message: "why"))
        } + [
            Case(status: 400, body: "", error: .server(status: 400, message: nil)),
            Case(status: 502, body: "<html>", error: .server(status: 502, message: nil)),
            Case(status: 401, body: #"{"message":"wrong"}"#, error: .unauthorized),
            Case(status: 200, body: "{}", error: .unauthorized),
            Case(status: 200, body: "not JSON", error: .unauthorized),
        ]
}

@Suite struct ErrorTests {
    private func client(_ url: String, transport: any Handler = Transport.live) throws -> AuthClient {
        AuthClient(config: AuthConfiguration(baseURL: try #require(URL(string: url))), transport: transport)
    }

    @Test(.tags(.errorMapping), arguments: Case.all)
    private func `The errors of AuthPackage report the backend's answer`(answer: Case) async throws {
        let server = try RawHTTPServer { _ in
            .response(answer.status, fields: ["Content-Type: application/json"], body: answer.body)
        }
        await #expect(throws: answer.error) {
            try await client("http://127.0.0.1:\(server.port)").login(email: "a@b.c", password: "secret")
        }
    }

    @Test(.tags(.errorMapping)) func `A wrong password is not a network error`() async throws {
        let server = try RawHTTPServer { _ in .response(401, body: #"{"message":"Incorrect password"}"#) }
        await #expect(throws: APIError.unauthorized) {
            try await client("http://127.0.0.1:\(server.port)").login(email: "a@b.c", password: "wrong")
        }
    }

    @Test(.tags(.errorMapping)) func `No connection is a network error with its code`() async throws {
        await #expect(throws: APIError.network(URLError(.cannotConnectToHost))) {
            try await client("http://127.0.0.1:1").login(email: "a@b.c", password: "secret")
        }
    }

    @Test(.tags(.errorMapping)) func `A server that speaks no TLS is a separate network error`() async throws {
        let server = Server(handler: Router(), configuration: .patient)
        let port = try await server.start().port
        await #expect(throws: APIError.network(URLError(.secureConnectionFailed))) {
            try await client("https://127.0.0.1:\(port)").login(email: "a@b.c", password: "secret")
        }
        await server.shutdown(grace: .seconds(1))
    }

    @Test(.tags(.errorMapping)) func `A missing answer in time is a separate network error`() async throws {
        let late = ClosureHandler { _ in throw HTTPError.timeout }
        await #expect(throws: APIError.network(URLError(.timedOut))) {
            try await client("https://api.example.com", transport: late).login(email: "a@b.c", password: "secret")
        }
    }

    @Test(.tags(.errorMapping)) func `A canceled task is reported as canceled`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        let auth = try client("http://127.0.0.1:\(server.port)")
        let task = Task { try await auth.login(email: "a@b.c", password: "secret") }
        for await event in server.events {
            guard case .received = event else { continue }
            task.cancel()
            break
        }
        await #expect(throws: APIError.cancelled) { try await task.value }
    }

    @Test(.tags(.errorMapping), arguments: ["http://api.example.com", "ftp://api.example.com", "https://"])
    func `An address that cannot be requested is reported before anything is sent`(url: String) async throws {
        await #expect(throws: APIError.invalidURL) {
            try await client(url).login(email: "a@b.c", password: "secret")
        }
    }

    @Test(.tags(.errorMapping)) func `An answer without content is accepted if none is expected`() async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 204 No Content\r\n\r\n") }
        try await expectNil(client("http://127.0.0.1:\(server.port)").requestPasswordReset(email: "a@b.c"))
    }

    @Test(.tags(.errorMapping)) func `An account without an identifier is not decoded`() async throws {
        let server = try RawHTTPServer { _ in .response(201, body: #"{"email":"a@b.c"}"#) }
        await #expect(throws: APIError.decodingFailed) {
            try await client("http://127.0.0.1:\(server.port)").register(email: "a@b.c", password: "secret")
        }
    }

    @Test(.tags(.errorMapping))
    func `A lost network during a refresh stays a network error, and the user signed in`() async throws {
        let expired = Tokens(accessToken: "old", refreshToken: "r", expiry: Date(timeIntervalSince1970: 1))
        let offline = ClosureHandler { _ in throw HTTPError.offline }
        let url = try #require(URL(string: "https://api.example.com"))
        let auth = AuthClient(
            config: AuthConfiguration(baseURL: url), tokenStore: InMemoryTokenStore(expired), transport: offline)
        await #expect(throws: APIError.network(URLError(.cannotConnectToHost))) { try await auth.refreshIfNeeded() }
        expectEqual(auth.tokens, expired)
    }

    @Test(.tags(.silentTokens)) func `The errors of AuthPackage show no token in any text`() async throws {
        let canary = "canary-0ff1ce"
        let tokens = Tokens(accessToken: canary, refreshToken: canary)
        var text = "\(tokens)" + String(reflecting: tokens)
        dump(tokens, to: &text)
        let url = try #require(URL(string: "https://api.example.com"))
        let auth = AuthClient(config: AuthConfiguration(baseURL: url), tokenStore: InMemoryTokenStore(tokens))
        try await auth.restore()
        expectEqual(auth.tokens, tokens)
        dump(auth, to: &text)
        #expect(!text.contains(canary))
    }
}
