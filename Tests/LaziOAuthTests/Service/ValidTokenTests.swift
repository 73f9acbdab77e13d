// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchTesting
import LaziOAuth
import TestTags
import Testing

private let refresh = "/oauth/token/refresh"

@MainActor
@Suite struct ValidTokenTests {
    @Test(.tags(.validToken), arguments: RealBackend.Connection.allCases)
    func `A valid token is the existing one while more than five minutes are left`(connection: RealBackend.Connection)
        async throws
    {
        try await RealBackend.run(connection) { backend in
            let service = try await backend.signedIn()
            let first = try #require(await service.getValidToken())
            backend.clock.advance(by: 3299)
            await expectEqual(service.getValidToken(), first)
            #expect(backend.requests(to: refresh).isEmpty)
            backend.clock.advance(by: 2)
            let second = try #require(await service.getValidToken())
            expectNotEqual(second, first)
            await expectEqual(service.getValidToken(), second)
            expectEqual(backend.requests(to: refresh).count, 1)
        }
    }

    @Test(.tags(.validToken), arguments: RealBackend.Connection.allCases)
    func `A valid token is refreshed once for 500 callers, and all get it`(connection: RealBackend.Connection)
        async throws
    {
        try await RealBackend.run(connection) { backend in
            let service = try await backend.signedIn()
            let first = await service.getValidToken()
            backend.clock.advance(by: 3601)
            let tokens = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<500 { group.addTask { await service.getValidToken() } }
                var all: Set<String?> = []
                for await token in group { all.insert(token) }
                return all
            }
            expectEqual(tokens.count, 1)
            #expect(tokens.first != .some(nil) && tokens.first != .some(first))
            expectEqual(backend.requests(to: refresh).count, 1)
        }
    }

    @Test(.tags(.validToken))
    func `A valid token is nil while no user is signed in, and no request is sent`() async throws {
        try await RealBackend.run { backend in
            let service = backend.service()
            await expectNil(service.getValidToken())
            await expectEqual(service.refreshToken(), false)
            #expect(backend.requests.isEmpty)
        }
    }

    @Test(.tags(.realServer))
    func `A valid token is refreshed in time by a device whose clock is wrong`() async throws {
        try await RealBackend.run { backend in
            for (name, skew) in [("slow", -7200.0), ("fast", 7200.0)] {
                _ = try await backend.signedIn(as: name)
                let service = backend.service(skew: skew)
                try await service.login(username: name, password: RealBackend.password)
                let before = backend.requests(to: refresh).count
                let first = try #require(await service.getValidToken())
                expectEqual(backend.requests(to: refresh).count, before)
                backend.clock.advance(by: 3601)
                await expectNotEqual(service.getValidToken(), first)
                expectEqual(backend.requests(to: refresh).count, before + 1)
            }
        }
    }
}

@MainActor
@Suite struct RefreshTests {
    @Test(.tags(.tokenRefresh))
    func `A refresh sends the JSON of the document, and stores the rotated token`() async throws {
        let backend = ScriptedBackend()
        let store = InMemoryTokenStore<Tokens>()
        let service = try await backend.signedIn(store: store)
        backend.on(refresh, .ok, ScriptedBackend.answer("a1", refresh: "r1"))
        #expect(await service.refreshToken())
        expectEqual(store.load()?.refresh, "r1")
        await expectEqual(service.getValidToken(), "a1")
        expectEqual(backend.requests(to: refresh).first?.body.text, #"{"refresh_token":"r0"}"#)
    }

    @Test(.tags(.tokenRefresh))
    func `A refresh keeps the refresh token, the scopes and the user if the response contains none`()
        async throws
    {
        let backend = ScriptedBackend()
        let store = InMemoryTokenStore<Tokens>()
        let service = try await backend.signedIn(store: store)
        backend.on(refresh, .ok, #"{"access_token":"a1","token_type":"bearer","expires_in":3600}"#)
        #expect(await service.refreshToken())
        expectEqual(store.load()?.refresh, "r0")
        expectEqual(service.grantedScopes, ["widgets:read", "widgets:write"])
        expectEqual(service.currentUser?.userId, "usr_1")
    }

    @Test(
        .tags(.tokenRefresh),
        arguments: [
            (400, #"{"error":"invalid_grant"}"#), (401, #"{"detail":"Invalid refresh token"}"#),
            (400, #"{"detail":"Invalid refresh token","error_code":"INVALID_REFRESH_TOKEN"}"#),
            (400, #"{"detail":"Refresh token expired"}"#),
        ] as [(HTTPStatus, String)])
    func `A refresh signs out once if the server refuses the refresh token`(status: HTTPStatus, body: String)
        async throws
    {
        let backend = ScriptedBackend()
        let store = InMemoryTokenStore<Tokens>()
        let service = try await backend.signedIn(store: store)
        backend.on(refresh, status, body)
        await expectEqual(service.refreshToken(), false)
        #expect(!service.isAuthenticated)
        expectEqual(service.authState, .signedOut)
        expectNil(store.load())
        await expectEqual(service.refreshToken(), false)
        await expectNil(service.getValidToken())
        expectEqual(backend.requests(to: refresh).count, 1)
        // Nothing is left to revoke, and nobody was told to.
        #expect(backend.requests(to: "/oauth/revoke").isEmpty)
    }

    @Test(.tags(.tokenRefresh), arguments: [500, 502, 503, 429, 404, 422] as [HTTPStatus])
    func `A refresh keeps the user signed in through a failure of the server`(status: HTTPStatus) async throws {
        let backend = ScriptedBackend()
        let service = try await backend.signedIn()
        backend.on(refresh, status, "<html>")
        await expectEqual(service.refreshToken(), false)
        #expect(service.isAuthenticated)
        #expect(service.lastError is OAuthError)
        await expectEqual(service.getValidToken(), "a0")
        #expect(backend.requests(to: "/oauth/revoke").isEmpty)
    }

    @Test(.tags(.tokenRefresh), arguments: [HTTPError.offline, .timeout])
    func `A refresh keeps the user signed in without a network; the old token serves while it is accepted`(
        error: HTTPError
    ) async throws {
        let backend = ScriptedBackend()
        let service = try await backend.signedIn()
        backend.on(refresh) { _ in throw error }
        backend.clock.advance(by: 3400)
        await expectEqual(service.getValidToken(), "a0")
        backend.clock.advance(by: 201)
        await expectNil(service.getValidToken())
        guard case .networkError = service.lastError as? OAuthError else {
            Issue.record("\(String(describing: service.lastError))")
            return
        }
        #expect(service.isAuthenticated)
        expectEqual(service.authState, .expired)
        backend.on(refresh, .ok, ScriptedBackend.answer("a1", refresh: "r1"))
        await expectEqual(service.getValidToken(), "a1")
        expectNil(service.lastError)
        expectEqual(service.authState, .authenticated)
    }

    @Test(.tags(.tokenRefresh)) func `A refresh continues when one of its waiters is canceled`() async throws {
        let backend = ScriptedBackend()
        let service = try await backend.signedIn()
        let (asked, tell) = AsyncStream.makeStream(of: Void.self)
        let (release, go) = AsyncStream.makeStream(of: Void.self)
        backend.on(refresh) { _ in
            tell.finish()
            for await _ in release {}
            return HTTPResponse(status: .ok, body: HTTPBody(ScriptedBackend.answer("a1", refresh: "r1")))
        }
        backend.clock.advance(by: 3601)
        let impatient = Task { await service.getValidToken() }
        let patient = Task { await service.getValidToken() }
        for await _ in asked {}
        impatient.cancel()
        await expectNil(impatient.value)
        go.finish()
        await expectEqual(patient.value, "a1")
        #expect(service.isAuthenticated)
        expectEqual(backend.requests(to: refresh).count, 1)
    }

    @Test(.tags(.realServer), arguments: RealBackend.Connection.allCases)
    func `A refresh rotates at the real server, whose family ends if an old token comes back`(
        connection: RealBackend.Connection
    ) async throws {
        try await RealBackend.run(connection) { backend in
            let store = InMemoryTokenStore<Tokens>()
            let service = try await backend.signedIn(store: store)
            let stolen = try #require(store.load())
            #expect(await service.refreshToken())
            expectNotEqual(store.load()?.refresh, stolen.refresh)
            #expect(await service.refreshToken())
            backend.clock.advance(by: 3601)
            // Somebody else with the first token, long after its replay window.
            let thief = backend.service(store: InMemoryTokenStore(stolen))
            await expectNil(thief.getValidToken())
            #expect(!thief.isAuthenticated)
            await expectNil(service.getValidToken())
            #expect(!service.isAuthenticated)
        }
    }
}
