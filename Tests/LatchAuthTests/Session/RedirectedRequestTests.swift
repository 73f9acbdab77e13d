// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RedirectedRequestTests {
    private let refreshes = Count()

    private func session() async throws -> Session<Tokens> {
        let refreshes = refreshes
        let session = Session(store: InMemoryTokenStore<Tokens>()) { _ in
            refreshes.number.withLock { $0 += 1 }
            return Tokens(access: "second", refresh: "r2")
        }
        try await session.signIn(
            Tokens(access: "first", refresh: "r1", expiry: Date(timeIntervalSinceNow: 3600), issued: Date()))
        return session
    }

    private func client(_ url: String, _ session: Session<Tokens>) throws -> Client {
        Client(
            baseURL: try #require(URL(string: url)),
            interceptors: [SessionInterceptor(session, for: .host("127.0.0.1"))])
    }

    @Test(arguments: [401, 400])
    func `A redirected request through a session refreshes nothing if another origin refuses it`(status: Int)
        async throws
    {
        let other = try RawHTTPServer { _ in
            .response(status, fields: ["WWW-Authenticate: Bearer", "Date: Sun, 06 Nov 1994 08:49:37 GMT"])
        }
        let server = try RawHTTPServer { _ in .response(302, fields: ["Location: \(other.url)/x"]) }
        let session = try await session()
        let client = try client(server.url, session)
        try await expectEqual(client.respond(to: client.request(.get, "a")).status.rawValue, status)
        expectEqual(refreshes.number.withLock { $0 }, 0)
        #expect(server.requests.count == 1 && other.requests.count == 1)
        expectEqual(other.requests.first?.values(of: "authorization"), [])
        // Nor does its clock say anything about the issuer's: by that one nothing would have expired for decades.
        try await expectEqual(session.credential().access, "first")
        #expect(session.currentState.isSignedIn)
    }

    @Test
    func `A redirected request through a session is refreshed and sent again if its own origin refuses it`()
        async throws
    {
        let server = try RawHTTPServer { request in
            if request.line.hasPrefix("GET /a") { return .response(302, fields: ["Location: /b"]) }
            return .response(request.values(of: "authorization") == ["Bearer second"] ? 200 : 401)
        }
        let session = try await session()
        let client = try client(server.url, session)
        try await expectEqual(client.respond(to: client.request(.get, "a")).status, .ok)
        expectEqual(refreshes.number.withLock { $0 }, 1)
        expectEqual(server.requests.map { $0.line.prefix(6) }, ["GET /a", "GET /b", "GET /a", "GET /b"])
    }
}

private final class Count: Sendable {
    let number = Mutex(0)
}
