// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchAccounts

private let refresh = "/api/auth/refresh-token"

@Suite struct RefreshTests {
    static let expired = Tokens(access: "old", refresh: "r0", expiry: Date(timeIntervalSince1970: 1))

    @Test(.tags(.refreshOnDemand)) func `A refresh at an account backend is not made for a fresh token`() async throws {
        let backend = ScriptedBackend()
        let fresh = Tokens(access: "fresh", refresh: "r", expiry: Date(timeIntervalSinceNow: 3_600))
        let client = try backend.client(store: InMemoryTokenStore(fresh))
        try await expectEqual(client.session.credential(), fresh)
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.refreshOnDemand))
    func `A refresh at an account backend sends the token with an idempotency key, and keeps its successor`()
        async throws
    {
        let backend = ScriptedBackend()
        backend.on(refresh, .ok, ["accessToken": "new", "refreshToken": "r1", "expiresIn": 900])
        let store = InMemoryTokenStore(Self.expired)
        let refreshed = try await backend.client(store: store).session.credential()
        expectEqual(refreshed.access, "new")
        expectEqual(store.load()?.refresh, "r1")
        try expectEqual(backend.contents(of: refresh), [["refreshToken": "r0"]])
        let request = try #require(backend.requests.first)
        expectEqual(request.fields[.idempotencyKey]?.count, 32)
        expectNil(request.fields[.authorization])
        expectNil(request.fields[.cookie])
    }

    @Test(.tags(.refreshOnDemand))
    func `A refresh at an account backend keeps the refresh token if the answer brings no other`() async throws {
        let backend = ScriptedBackend()
        backend.on(refresh, .ok, ["accessToken": "new"])
        let store = InMemoryTokenStore(Self.expired)
        _ = try await backend.client(store: store).session.credential()
        expectEqual(store.load()?.refresh, "r0")
        expectEqual(store.load()?.access, "new")
    }

    @Test(.tags(.refreshOnDemand))
    func `A refresh at an account backend also reads the spelling of RFC 6749`() async throws {
        let backend = ScriptedBackend()
        backend.on(
            refresh, .ok, ["access_token": "new", "refresh_token": "r1", "expires_in": 60, "token_type": "Bearer"],
            fields: [.date: "Tue, 20 Nov 2040 10:00:00 GMT"])
        let store = InMemoryTokenStore(Self.expired)
        let refreshed = try await backend.client(store: store).session.refreshed(replacing: Self.expired)
        expectEqual(refreshed.refresh, "r1")
        let date = try #require(HTTPDate("Tue, 20 Nov 2040 10:01:00 GMT")).date
        expectEqual(refreshed.expiry, date)
    }

    @Test(arguments: [
        #"{"refreshToken":"r1"}"#, #"{"refresh_token":"r1"}"#, #"{"accessToken":null,"refreshToken":"r1"}"#,
        #"{"accessToken":"a","accessToken":"b","refreshToken":"r1"}"#, #"{"refreshToken":"r1","accessToken":"a"#,
    ])
    func `A refresh at an account backend keeps the refresh token of an answer that is unusable otherwise`(body: String)
        async throws
    {
        let backend = ScriptedBackend()
        backend.on(refresh) { _ in HTTPResponse(status: .ok, body: HTTPBody(body)) }
        let error = try await incompleteRefresh(at: backend, usesCookie: false)
        expectEqual(error.grant.access, "old")
        expectEqual(error.grant.refresh, "r1")
        expectEqual(error.error as? AccountError, .invalidResponse)
    }

    @Test
    func `A refresh at an account backend keeps the refresh cookie of an answer that is unusable otherwise`()
        async throws
    {
        let backend = ScriptedBackend()
        backend.on(refresh, .ok, [:], fields: [.setCookie: "refreshToken=c1; HttpOnly"])
        let error = try await incompleteRefresh(at: backend, usesCookie: true)
        expectEqual(error.grant.cookie, "refreshToken=c1")
        expectNil(error.grant.refresh)
    }

    @Test func `A refresh at an account backend has no limit of time once it is sent`() async throws {
        let backend = ScriptedBackend()
        backend.on(refresh) { request in
            #expect(request.timeLimit(usual: .seconds(60)) > .seconds(86_400))
            return HTTPResponse(status: .ok, body: HTTPBody(#"{"accessToken":"new"}"#))
        }
        let url = try #require(URL(string: "https://api.example.com"))
        let client = AuthClient(
            baseURL: url, store: InMemoryTokenStore(Self.expired), transport: backend,
            interceptors: [TimeoutInterceptor(.seconds(5))], timeout: .seconds(7))
        try await expectEqual(client.session.credential().access, "new")
    }

    private func incompleteRefresh(
        at backend: ScriptedBackend, usesCookie: Bool
    ) async throws -> IncompleteRefresh<Tokens> {
        let url = try #require(URL(string: "https://api.example.com"))
        let decoder = AccountTokenDecoder(endpoints: AccountEndpoints(), usesCookie: usesCookie, clock: .system)
        return try #require(
            await #expect(throws: IncompleteRefresh<Tokens>.self) {
                try await AuthClient.refresh(
                    RefreshRequest(credential: Self.expired, idempotencyKey: "k"), at: AccountEndpoints(),
                    over: Client(baseURL: url, transport: backend), decoding: decoder)
            })
    }

    @Test(.tags(.refreshOnDemand), arguments: ["{}", #"{"refreshToken":"r0"}"#, "oops"])
    func `A refresh at an account backend changes nothing if the answer has no access token`(body: String) async throws
    {
        let backend = ScriptedBackend()
        backend.on(refresh) { _ in HTTPResponse(status: .ok, body: HTTPBody(body)) }
        let store = InMemoryTokenStore(Self.expired)
        let client = try backend.client(store: store)
        await #expect(throws: AccountError.invalidResponse) { try await client.session.credential() }
        expectEqual(store.load(), Self.expired)
        #expect(client.session.currentState.isSignedIn)
    }

    @Test(.tags(.refreshOnDemand))
    func `A refresh at an account backend is made once for a hundred callers`() async throws {
        let backend = ScriptedBackend()
        backend.on(refresh, .ok, ["accessToken": "new", "refreshToken": "r1", "expiresIn": 900])
        let client = try backend.client(store: InMemoryTokenStore(Self.expired))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await client.session.credential().access } }
            for try await access in group { expectEqual(access, "new") }
        }
        expectEqual(backend.requests(to: refresh).count, 1)
    }

    @Test(.tags(.refreshOnDemand))
    func `A refresh at an account backend uses a cookie if so configured and the content has no token`()
        async throws
    {
        let backend = ScriptedBackend()
        let cookie: HTTPFields = [.setCookie: "refreshToken=c0; Path=/; HttpOnly; Secure", .setCookie: "other=1"]
        backend.on("/api/auth/clients/login", .ok, ["accessToken": "a", "expiresIn": 1], fields: cookie)
        backend.on(
            refresh, .ok, ["accessToken": "new", "expiresIn": 900], fields: [.setCookie: "refreshToken=c1; HttpOnly"])
        let store = InMemoryTokenStore<Tokens>()
        let client = try backend.client(store: store, refreshUsesCookie: true)
        let tokens = try await client.signIn(email: "a@b.c", password: "secret")
        expectNil(tokens.refresh)
        _ = try await client.session.refreshed(replacing: tokens)
        let request = try #require(backend.requests(to: refresh).first)
        expectEqual(request.fields.values(of: .cookie), ["refreshToken=c0"])
        expectEqual(request.body.text, "{}")
        expectEqual(store.load()?.cookie, "refreshToken=c1")
    }

    @Test(.tags(.refreshOnDemand))
    func `A refresh at an account backend prefers the content to the cookie`() async throws {
        let backend = ScriptedBackend()
        backend.on(
            "/api/auth/clients/login", .ok, ["accessToken": "a", "refreshToken": "r"],
            fields: [.setCookie: "refreshToken=c"])
        backend.on(refresh, .ok, ["accessToken": "new"])
        let client = try backend.client(refreshUsesCookie: true)
        let tokens = try await client.signIn(email: "a@b.c", password: "secret")
        _ = try await client.session.refreshed(replacing: tokens)
        try expectEqual(backend.contents(of: refresh), [["refreshToken": "r"]])
        expectNil(backend.requests(to: refresh).first?.fields[.cookie])
    }

    @Test(.tags(.refreshOnDemand))
    func `A refresh at an account backend ignores cookies unless they are configured`() async throws {
        let backend = ScriptedBackend()
        backend.on(
            "/api/auth/clients/login", .ok, ["accessToken": "a"], fields: [.setCookie: "refreshToken=c"])
        let client = try backend.client()
        let tokens = try await client.signIn(email: "a@b.c", password: "secret")
        expectNil(tokens.cookie)
        await #expect(throws: AuthError.notRefreshable) {
            try await client.session.refreshed(replacing: tokens)
        }
        #expect(backend.requests(to: refresh).isEmpty)
    }

    @Test
    func `A refresh at an account backend ends the session if the backend refuses the refresh token`() async throws {
        let backend = ScriptedBackend()
        backend.on(refresh, .unauthorized, ["message": "Invalid refresh token"])
        let store = InMemoryTokenStore(Self.expired)
        let client = try backend.client(store: store)
        await #expect(throws: AuthError.reauthenticationRequired) { try await client.session.credential() }
        expectNil(store.load())
        expectEqual(client.session.currentState, .signedOut(.issuer))
    }

    @Test(arguments: [
        "", "<html>Authorization required</html>", #"{"message":"Missing API key"}"#, #"{"message":"Unauthorized"}"#,
    ])
    func `A refresh at an account backend keeps the session if a gateway refuses it`(body: String) async throws {
        let backend = ScriptedBackend()
        backend.on(refresh) { _ in HTTPResponse(status: .unauthorized, body: HTTPBody(body)) }
        let store = InMemoryTokenStore(Self.expired)
        let client = try backend.client(store: store)
        await #expect(throws: HTTPError.unacceptableStatus) { try await client.session.credential() }
        expectEqual(store.load()?.refresh, Self.expired.refresh)
        #expect(client.session.currentState.isSignedIn)
    }

    @Test
    func `A session at an account backend authorizes its client's requests and refreshes after a refusal`() async throws
    {
        let backend = ScriptedBackend()
        backend.on(refresh, .ok, ["accessToken": "new", "refreshToken": "r1", "expiresIn": 900])
        backend.on("/notes") { request in
            HTTPResponse(status: request.fields[.authorization] == "Bearer new" ? .ok : .unauthorized)
        }
        let stale = Tokens(access: "stale", refresh: "r0", expiry: Date(timeIntervalSinceNow: 3_600))
        let client = try backend.client(store: InMemoryTokenStore(stale))
        let response = try await client.client.respond(to: client.client.request(.get, "notes"))
        expectEqual(response.status, .ok)
        expectEqual(backend.requests.map { String($0.pathWithoutQuery) }, ["/notes", refresh, "/notes"])
    }
}
