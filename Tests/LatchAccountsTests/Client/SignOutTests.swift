// SPDX-License-Identifier: Apache-2.0

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

@Suite struct `Signing out` {
    @Test(.tags(.p5)) func `sends both tokens to the server after it has forgotten them here`() async throws {
        let backend = ScriptedBackend()
        let store = InMemoryTokenStore(SignOutTokens.tokens)
        let client = try backend.client(store: store)
        backend.on(logout) { [session = client.session] _ in
            #expect(store.load() == nil)
            #expect(session.currentState == .signedOut(.user))
            return HTTPResponse(status: .ok, body: HTTPBody(#"{"message":"bye"}"#))
        }
        #expect(try await client.signOut())
        let request = try #require(backend.requests(to: logout).first)
        #expect(request.fields[.authorization] == "Bearer a")
        #expect(try backend.contents(of: logout) == [["refreshToken": "r"]])
    }

    @Test(.tags(.p5), arguments: [500, 404, 401, 0])
    func `forgets here whatever the server says, or does not`(status: Int) async throws {
        let backend = ScriptedBackend()
        backend.on(logout) { _ in
            guard status > 0 else { throw HTTPError.offline }
            return HTTPResponse(status: HTTPStatus(rawValue: status))
        }
        let store = InMemoryTokenStore(SignOutTokens.tokens)
        let client = try backend.client(store: store)
        #expect(try await client.signOut() == false)
        #expect(store.load() == nil)
        #expect(client.session.currentState == .signedOut(.user))
    }

    @Test func `asks with a refreshed access token where the server no longer accepts the old one`() async throws {
        let backend = ScriptedBackend()
        backend.on(logout) { request in
            HTTPResponse(status: request.fields[.authorization] == "Bearer b" ? .ok : .unauthorized)
        }
        backend.on("/api/auth/refresh-token", .ok, ["accessToken": "b", "refreshToken": "s"])
        let store = InMemoryTokenStore(SignOutTokens.tokens)
        let client = try backend.client(store: store)
        #expect(try await client.signOut())
        #expect(try backend.contents(of: logout) == [["refreshToken": "r"], ["refreshToken": "s"]])
        #expect(store.load() == nil)
    }

    @Test(.tags(.p5)) func `sends the refresh cookie only where there is no refresh token`() async throws {
        for (tokens, cookie) in [
            (Tokens(access: "a", refresh: "r"), nil), (Tokens(access: "a", cookie: "refreshToken=c"), "refreshToken=c"),
        ] {
            let backend = ScriptedBackend()
            backend.on(logout, .ok, [:])
            #expect(try await backend.client(store: InMemoryTokenStore(tokens), refreshUsesCookie: true).signOut())
            #expect(backend.requests(to: logout).map { $0.fields[.cookie] } == [cookie])
        }
    }

    @Test(.tags(.p5)) func `does nothing the second time`() async throws {
        let backend = ScriptedBackend()
        backend.on(logout, .ok, [:])
        let client = try backend.client(store: InMemoryTokenStore(SignOutTokens.tokens))
        #expect(try await client.signOut())
        #expect(try await client.signOut() == false)
        #expect(backend.requests.count == 1)
    }

    @Test(.tags(.p5)) func `is not undone by a refresh that was under way`() async throws {
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
        #expect(store.load() == nil)
        #expect(client.session.currentState == .signedOut(.user))
    }

    @Test func `makes the tokens worthless at the server where this device cannot forget them`() async throws {
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
        #expect(try backend.contents(of: logout) == [["refreshToken": "r"]])
    }
}
