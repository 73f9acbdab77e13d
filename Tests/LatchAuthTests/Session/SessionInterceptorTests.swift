// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization
import Testing

@Suite struct SessionInterceptorTests {
    let fixture = SessionFixture()

    /// Sends a GET to an authority through the fixture's client, whose scope is `api.example.com`.
    func send(
        to authority: String, scheme: String = "https", fields: HTTPFields = [:], over session: Session<Tokens>
    ) throws -> HTTPResponse {
        let client = fixture.client(session)
        return try fixture.run {
            try await client.respond(
                to: HTTPRequest(scheme: scheme, authority: authority, path: "/", fields: fields))
        }
    }

    func signedIn() throws -> Session<Tokens> {
        let session = fixture.makeSession()
        try fixture.run { try await session.signIn(fixture.issue(0)) }
        return session
    }

    @Test(arguments: [
        ("https", "evil.com"), ("https", "api.example.com.evil.com"), ("https", "xapi.example.com"),
        ("http", "api.example.com"), ("https", "api.example.com."),
    ])
    func `A request outside a session's scope carries no credential, and its refusal refreshes none`(
        scheme: String, authority: String
    ) throws {
        let session = try signedIn()
        try expectEqual(send(to: authority, scheme: scheme, over: session).status, .unauthorized)
        expectEqual(fixture.requests.count, 1)
        expectNil(fixture.requests.first?.fields[.authorization])
        expectEqual(fixture.refreshes, 0)
    }

    @Test func `A request outside a session's scope is sent although no user is signed in`() throws {
        try expectEqual(send(to: "evil.com", over: fixture.makeSession()).status, .unauthorized)
        expectEqual(fixture.requests.count, 1)
        expectEqual(fixture.loads, 0)
    }

    @Test func `A request in a session's scope carries its credential in place of any other`() throws {
        let session = try signedIn()
        let response = try send(to: "API.example.com:443", fields: [.authorization: "Bearer mine"], over: session)
        expectEqual(response.status, .ok)
        expectEqual(fixture.requests.map { $0.fields.values(of: .authorization) }, [["Bearer access-0"]])
    }

    @Test func `A request through a session that is refused twice is answered by the second refusal`() throws {
        let fixture = SessionFixture { _, fixture in fixture.tokens(1) }
        let session = fixture.makeSession()
        try fixture.run { try await session.signIn(fixture.tokens(0)) }
        let response = try fixture.run { try await fixture.client(session).respond(to: SessionFixture.request()) }
        expectEqual(response.status, .unauthorized)
        expectEqual(fixture.requests.map { $0.fields[.authorization] }, ["Bearer access-0", "Bearer access-1"])
        expectEqual(fixture.refreshes, 1)
        expectEqual(session.currentState, .signedIn(fixture.stored ?? Tokens(access: "")))
    }

    @Test func `A request through a session is sent again with the same content`() throws {
        let session = fixture.makeSession()
        try fixture.run { try await session.signIn(fixture.tokens(0)) }
        let request = SessionFixture.request(.post, body: "one note")
        let response = try fixture.run { try await fixture.client(session).respond(to: request) }
        expectEqual(response.status, .ok)
        expectEqual(fixture.requests.map { $0.body.text }, ["one note", "one note"])
        expectEqual(fixture.requests.map(\.method), [.post, .post])
    }

    @Test(arguments: [AuthError.storeLocked, .storeDenied, .storeCorrupt])
    func `A request through a session is not sent without its credential if the store cannot be read`(
        failure: AuthError
    ) throws {
        fixture.world.withLock { $0.loadFailure = failure }
        #expect(throws: failure) { try send(to: "api.example.com", over: fixture.makeSession()) }
        #expect(fixture.requests.isEmpty)
    }
}
