// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct DPoPWireTests {
    private func get(_ client: Client, _ path: String = "/notes") async throws -> HTTPResponse {
        try await client.respond(to: client.request(.get, RoutePath(path)))
    }

    @Test
    func `Bound tokens are proved again for each message, and cost one more message for the first nonce`() async throws
    {
        let backend = try DPoPBackend()
        let session = try await backend.session()
        let client = backend.client(session)
        for _ in 0..<3 { try await expectEqual(get(client).status, .ok) }
        expectEqual(backend.requests().count, 4)
        let proofs = backend.requests().flatMap { $0.values(of: "DPoP") }
        expectEqual(Set(proofs).count, 4)
        #expect(backend.refreshes.isEmpty)
        #expect(session.currentState.isSignedIn)
    }

    @Test
    func `Bound tokens take the nonce of any answer, and repeat only the requests that were too late for it`()
        async throws
    {
        let backend = try DPoPBackend()
        let client = backend.client(try await backend.session())
        try await expectEqual(get(client).status, .ok)
        // The nonce changes, and is accepted for as long again.
        backend.clock.advance(by: 160)
        try await expectEqual(get(client).status, .ok)
        backend.clock.advance(by: 160)
        try await expectEqual(get(client).status, .ok)
        expectEqual(backend.requests().count, 4)
        backend.clock.advance(by: 900)
        try await expectEqual(get(client).status, .ok)
        expectEqual(backend.requests().count, 6)
        #expect(backend.refreshes.isEmpty)
    }

    @Test func `Bound tokens are proved for the address that a redirect leads to`() async throws {
        let backend = try DPoPBackend()
        let client = backend.client(try await backend.session())
        try await expectEqual(get(client, "/moved").status, .ok)
        expectEqual(backend.requests("/notes?moved").count, 1)
        expectEqual(backend.requests("/notes?moved").first?.values(of: "DPoP").count, 1)
    }

    @Test func `Bound tokens go to no other origin, and neither does a proof`() async throws {
        let backend = try DPoPBackend()
        let stranger = try RawHTTPServer { _ in .response(200) }
        let address = "\(stranger.url)/notes"
        backend.change { $0.elsewhere = address }
        let client = backend.client(try await backend.session())
        try await expectEqual(get(client, "/elsewhere").status, .ok)
        let request = try #require(stranger.requests.first)
        #expect(request.values(of: "Authorization").isEmpty)
        #expect(request.values(of: "DPoP").isEmpty)
    }

    @Test func `Bound tokens repeat a request with its content`() async throws {
        let backend = try DPoPBackend()
        let client = backend.client(try await backend.session())
        let response = try await client.respond(to: client.request(.post, "notes", body: HTTPBody("one note")))
        expectEqual(response.body.text, "one note")
        expectEqual(backend.requests().count, 2)
    }

    @Test func `Bound tokens do not repeat content that can be read once, and do not refresh for it`() async throws {
        let backend = try DPoPBackend()
        let client = backend.client(try await backend.session())
        let once = HTTPBody(HTTPBodyStream.once("one note"))
        let response = try await client.respond(to: client.request(.post, "notes", body: once))
        expectEqual(response.status, .unauthorized)
        expectEqual(backend.requests().count, 1)
        #expect(backend.refreshes.isEmpty)
    }

    @Test
    func `Bound tokens are refreshed by proved requests, under one key and the token endpoint's nonce`() async throws {
        let backend = try DPoPBackend()
        let session = try await backend.session()
        backend.change { $0.token = "another" }
        let response = try await get(backend.client(session))
        expectEqual(response.status, .ok)
        expectEqual(backend.refreshes.count, 1)
        let refreshed = try #require(session.currentState.credential)
        expectEqual(refreshed.access, "access-1")
        expectEqual(refreshed.key, backend.key)
        // One origin: the resource's nonce will do at the token endpoint.
        expectEqual(
            backend.requests().map { $0.line.split(separator: " ")[1] }, ["/notes", "/notes", "/token", "/notes"])
    }

    @Test func `Bound tokens are refreshed with a nonce that the token endpoint asks for`() async throws {
        let backend = try DPoPBackend()
        let session = try await backend.session()
        _ = try await session.refreshed(replacing: backend.tokens())
        expectEqual(backend.requests("/token").count, 2)
        expectEqual(Set(backend.requests("/token").flatMap { $0.values(of: "Idempotency-Key") }).count, 1)
        expectEqual(backend.refreshes.count, 1)
    }

    @Test(arguments: [86_400.0, -86_400, 90, -90])
    func `Bound tokens correct the date of their proofs by the server's`(skew: Double) async throws {
        let backend = try DPoPBackend(skew: skew)
        let client = backend.client(CredentialInterceptor(backend.tokens(), for: .host("127.0.0.1")))
        try await expectEqual(get(client).status, .ok)
        try await expectEqual(get(client).status, .ok)
        // The first refusal brought the nonce and the date.
        expectEqual(backend.requests().count, 3)
    }

    @Test
    func `Bound tokens are sent at most twice, however many nonces a server asks for, and are not refreshed`()
        async throws
    {
        let backend = try DPoPBackend()
        backend.change { $0.isNeverContent = true }
        let session = try await backend.session()
        try await expectEqual(get(backend.client(session)).status, .unauthorized)
        expectEqual(backend.requests().count, 2)
        #expect(backend.refreshes.isEmpty)
        let fixed = backend.client(CredentialInterceptor(backend.tokens(), for: .host("127.0.0.1")))
        try await expectEqual(get(fixed).status, .unauthorized)
        expectEqual(backend.requests().count, 4)
    }

    @Test func `Bound tokens are worth nothing to a thief without the key`() async throws {
        let backend = try DPoPBackend()
        let bearer = backend.client(CredentialInterceptor(BearerToken("access-0"), for: .host("127.0.0.1")))
        try await expectEqual(get(bearer).status, .unauthorized)
        let other = Tokens(
            access: "access-0", tokenType: .dpop, key: try DPoPKey.generate(clock: backend.clock.wallClock()))
        let thief = backend.client(CredentialInterceptor(other, for: .host("127.0.0.1")))
        try await expectEqual(get(thief).status, .unauthorized)
    }

    @Test func `Bound tokens serve many requests at once, each with its own proof`() async throws {
        let backend = try DPoPBackend()
        let client = backend.client(try await backend.session())
        try await expectEqual(get(client).status, .ok)
        try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for _ in 0..<40 { group.addTask { try await self.get(client).status } }
            for try await status in group { expectEqual(status, .ok) }
        }
        expectEqual(backend.requests().count, 42)
        expectEqual(Set(backend.requests().flatMap { $0.values(of: "DPoP") }).count, 42)
    }
}
