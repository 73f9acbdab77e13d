// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchServer
import LatchTesting
import LaziOAuth
import TestTags
import Testing

private let refresh = "/oauth/token/refresh"

@MainActor
@Suite struct LogoutTests {
    @Test(.tags(.tokenRevocation), arguments: RealBackend.Connection.allCases)
    func `A logout revokes both tokens at the real server, effective at once`(connection: RealBackend.Connection)
        async throws
    {
        try await RealBackend.run(connection) { backend in
            let store = InMemoryTokenStore<Tokens>()
            let service = try await backend.signedIn(store: store)
            let tokens = try #require(store.load())
            await service.logout()
            #expect(!service.isAuthenticated)
            expectNil(service.currentUser)
            expectNil(store.load())
            let forms = try backend.requests(to: "/oauth/revoke").map { try $0.formFields() }
            expectEqual(forms.map { $0["token_type_hint"] }, ["refresh_token", "access_token"])
            expectEqual(forms.map { $0["token"] }, [tokens.refresh, tokens.access])

            let other = backend.service(store: InMemoryTokenStore(tokens))
            await #expect { try await APIClient(service: other).get("widgets", as: [String: [String]].self) } throws: {
                if case APIError.notAuthenticated = $0 { true } else { false }
            }
            #expect(!other.isAuthenticated)
        }
    }

    @Test func `A logout leaves no error to show, and no tokens for another server`() async throws {
        let backend = ScriptedBackend()
        let service = try await backend.signedIn()
        backend.on("/oauth/revoke", .ok, "{}")
        await service.logout()
        #expect(await service.getValidToken() == nil && service.lastError == nil)
        let records = try ["https://a.example", "https://b.example", "https://a.example/v1", "http://a.example"].map {
            OAuthService.account(at: try #require(URL(string: $0)))
        }
        #expect(records[0] == records[2] && Set(records).count == 3)
    }

    @Test(.tags(.tokenRevocation))
    func `A logout happens here at once, before any request, and without a network too`() async throws {
        let backend = ScriptedBackend()
        let store = InMemoryTokenStore<Tokens>()
        let service = try await backend.signedIn(store: store)
        let session = service.session
        backend.on("/oauth/revoke") { _ in
            expectNil(store.load())
            #expect(!session.currentState.isSignedIn)
            throw HTTPError.offline
        }
        await service.logout()
        #expect(!service.isAuthenticated)
        expectNil(service.lastError)
        expectEqual(backend.requests(to: "/oauth/revoke").count, 2)
    }

    @Test(.tags(.tokenRevocation)) func `A logout can be done twice`() async throws {
        let backend = ScriptedBackend()
        backend.on("/oauth/revoke", .ok, "")
        let service = try await backend.signedIn()
        await service.logout()
        await service.logout()
        expectEqual(backend.requests(to: "/oauth/revoke").count, 2)
        expectEqual(service.authState, .signedOut)
    }

    @Test(.tags(.tokenRevocation)) func `A logout is not undone by a refresh that was in progress`() async throws {
        let backend = ScriptedBackend()
        let store = InMemoryTokenStore<Tokens>()
        let service = try await backend.signedIn(store: store)
        let (asked, tell) = AsyncStream.makeStream(of: Void.self)
        let (release, go) = AsyncStream.makeStream(of: Void.self)
        backend.on("/oauth/revoke", .ok, "")
        backend.on(refresh) { _ in
            tell.finish()
            for await _ in release {}
            return HTTPResponse(status: .ok, body: HTTPBody(ScriptedBackend.answer("a1", refresh: "r1")))
        }
        let renewal = Task { await service.refreshToken() }
        for await _ in asked {}
        await service.logout()
        go.finish()
        await expectEqual(renewal.value, false)
        expectNil(store.load())
        #expect(!service.isAuthenticated)
        await expectNil(service.getValidToken())
    }

    @Test(.tags(.keychainRecord))
    func `A logout reports if the device cannot forget, and the tokens are still worthless`()
        async throws
    {
        let backend = ScriptedBackend()
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a0", refresh: "r0"))
        backend.on("/oauth/revoke", .ok, "")
        let secrets = StubbornSecretStore()
        let service = backend.service(store: SecretTokenStore<Tokens>(secrets, name: "session"))
        try await service.login(username: "ada", password: "p")
        await service.logout()
        expectEqual(service.lastError as? AuthError, .storeDenied)
        #expect(service.isAuthenticated)
        expectEqual(backend.requests(to: "/oauth/revoke").count, 2)
    }
}

/// Keeps and reads, and forgets nothing.
private struct StubbornSecretStore: SecretStore {
    private let kept = InMemorySecretStore()
    func read(_ name: String) -> [UInt8]? { kept.read(name) }
    func write(_ secret: [UInt8], for name: String) { kept.write(secret, for: name) }
    func remove(_ name: String) throws { throw AuthError.storeDenied }
    func names() -> [String] { kept.names() }
}
