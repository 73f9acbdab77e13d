// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import TestTags
import Testing

private let logout = "/api/auth/logout"

private enum SignOutTokens {
    static let tokens = Tokens(access: "a", refresh: "r", expiry: Date(timeIntervalSinceNow: 3_600))
}

@Suite struct SignOutTests {
    @Test(.tags(.accountLogout))
    func `Signing out sends both tokens to the server after this device has forgotten them`() async throws {
        let backend = ScriptedBackend()
        let store = InMemoryTokenStore(SignOutTokens.tokens)
        let client = try backend.client(store: store)
        backend.on(logout) { [session = client.session] _ in
            expectNil(store.load())
            expectEqual(session.currentState, .signedOut(.user))
            return HTTPResponse(status: .ok, body: HTTPBody(#"{"message":"bye"}"#))
        }
        #expect(try await client.signOut())
        let request = try #require(backend.requests(to: logout).first)
        expectEqual(request.fields[.authorization], "Bearer a")
        try expectEqual(backend.contents(of: logout), [["refreshToken": "r"]])
    }

    @Test(.tags(.accountLogout), arguments: [500, 404, 401, 0])
    func `Signing out forgets the tokens here for any answer of the server, and without one`(status: Int) async throws {
        let backend = ScriptedBackend()
        backend.on(logout) { _ in
            guard status > 0 else { throw HTTPError.offline }
            return HTTPResponse(status: HTTPStatus(rawValue: status))
        }
        let store = InMemoryTokenStore(SignOutTokens.tokens)
        let client = try backend.client(store: store)
        try await expectEqual(client.signOut(), false)
        expectNil(store.load())
        expectEqual(client.session.currentState, .signedOut(.user))
    }

    /// The answers to one sign-out, and whether the server is asked again.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: HTTPStatus
        var body = ""
        var challenge: String?
        /// The status and content of the refresh that follows a 401.
        var refresh: (HTTPStatus, String)?
        let isRepeated: Bool

        static let all: [Answer] = [
            Answer(testDescription: "a portal's redirect", status: 302, isRepeated: true),
            Answer(testDescription: "a filter's page", status: .forbidden, body: "<html>blocked", isRepeated: true),
            Answer(testDescription: "a proxy", status: 407, isRepeated: true),
            Answer(testDescription: "no route", status: .notFound, isRepeated: true),
            Answer(testDescription: "an outage", status: 503, isRepeated: true),
            Answer(testDescription: "a portal's page", status: .ok, body: "<html>log in to WiFi", isRepeated: true),
            Answer(
                testDescription: "the server's own 404", status: .notFound, body: #"{"message":"Unknown session"}"#,
                isRepeated: false),
            Answer(
                testDescription: "a staging server", status: .unauthorized, challenge: #"Basic realm="x""#,
                isRepeated: true),
            Answer(
                testDescription: "a session that has ended", status: .unauthorized, body: #"{"message":"jwt expired"}"#,
                refresh: (.unauthorized, #"{"message":"Invalid refresh token"}"#), isRepeated: false),
            Answer(
                testDescription: "a gateway before the refresh", status: .unauthorized,
                refresh: (.unauthorized, "<html>"), isRepeated: true),
            Answer(
                testDescription: "an outage of the refresh", status: .unauthorized,
                body: #"{"message":"jwt expired"}"#, refresh: (503, ""), isRepeated: true),
        ]
    }

    @Test(arguments: Answer.all)
    func `Signing out is repeated until the server itself has answered`(answer: Answer) async throws {
        let backend = ScriptedBackend()
        backend.on(logout) { _ in
            var response = HTTPResponse(status: answer.status, body: HTTPBody(answer.body))
            response.fields[.wwwAuthenticate] = answer.challenge
            return response
        }
        if let refresh = answer.refresh {
            backend.on("/api/auth/refresh-token") { _ in
                HTTPResponse(status: refresh.0, body: HTTPBody(refresh.1))
            }
        }
        let client = try backend.client(store: InMemoryTokenStore(SignOutTokens.tokens))
        try await expectEqual(client.signOut(), false)
        expectEqual(backend.requests(to: "/api/auth/refresh-token").count, answer.refresh == nil ? 0 : 1)
        backend.on(logout, .ok, [:])
        #expect(await client.session.revokeRemaining())
        expectEqual(backend.requests(to: logout).count, answer.isRepeated ? 2 : 1)
    }

    @Test func `Signing out uses a refreshed access token if the server no longer accepts the old one`() async throws {
        let backend = ScriptedBackend()
        backend.on(logout) { request in
            HTTPResponse(status: request.fields[.authorization] == "Bearer b" ? .ok : .unauthorized)
        }
        backend.on("/api/auth/refresh-token", .ok, ["accessToken": "b", "refreshToken": "s"])
        let store = InMemoryTokenStore(SignOutTokens.tokens)
        let client = try backend.client(store: store)
        #expect(try await client.signOut())
        try expectEqual(backend.contents(of: logout), [["refreshToken": "r"], ["refreshToken": "s"]])
        expectNil(store.load())
    }

    @Test(.tags(.accountLogout))
    func `Signing out sends the refresh cookie only if there is no refresh token`() async throws {
        for (tokens, cookie) in [
            (Tokens(access: "a", refresh: "r"), nil), (Tokens(access: "a", cookie: "refreshToken=c"), "refreshToken=c"),
        ] {
            let backend = ScriptedBackend()
            backend.on(logout, .ok, [:])
            #expect(try await backend.client(store: InMemoryTokenStore(tokens), refreshUsesCookie: true).signOut())
            expectEqual(backend.requests(to: logout).map { $0.fields[.cookie] }, [cookie])
        }
    }

    @Test(.tags(.accountLogout)) func `Signing out does nothing the second time`() async throws {
        let backend = ScriptedBackend()
        backend.on(logout, .ok, [:])
        let client = try backend.client(store: InMemoryTokenStore(SignOutTokens.tokens))
        #expect(try await client.signOut())
        try await expectEqual(client.signOut(), false)
        expectEqual(backend.requests.count, 1)
    }

    @Test(.tags(.accountLogout)) func `Signing out is not undone by a refresh in progress`() async throws {
        let backend = ScriptedBackend()
        let (arrived, signal) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        backend.on("/api/auth/refresh-token") { _ in
            signal.yield()
            for await _ in released { break }
            return HTTPResponse(status: .ok, body: HTTPBody(#"{"accessToken":"new","refreshToken":"r1"}"#))
        }
        backend.on(logout, .ok, [:])
        let expired = Tokens(access: "old", refresh: "r0", expiry: Date(timeIntervalSince1970: 1))
        let store = InMemoryTokenStore(expired)
        let client = try backend.client(store: store)
        let waiter = Task { try await client.session.credential() }
        for await _ in arrived { break }
        try await client.signOut()
        release.yield()
        await #expect(throws: AuthError.superseded) { try await waiter.value }
        expectNil(store.load())
        expectEqual(client.session.currentState, .signedOut(.user))
    }

    @Test func `Signing out makes the tokens worthless at the server if this device cannot forget them`() async throws {
        struct StubbornStore: TokenStore {
            func save(_ tokens: Tokens) {}
            func load() -> Tokens? { SignOutTokens.tokens }
            func clear() throws { throw AuthError.storeDenied }
        }
        let backend = ScriptedBackend()
        backend.on(logout, .ok, [:])
        let client = try backend.client(store: StubbornStore())
        try await client.session.restore()
        await #expect(throws: AuthError.storeDenied) { try await client.signOut() }
        try expectEqual(backend.contents(of: logout), [["refreshToken": "r"]])
    }
}
