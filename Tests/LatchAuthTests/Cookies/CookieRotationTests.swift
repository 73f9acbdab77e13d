// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@Suite struct CookieRotationTests {
    let backend: CookieBackend
    let store = InMemoryTokenStore<[Cookie]>()

    init() throws {
        backend = try CookieBackend()
        backend.change { $0.rotates = true }
    }

    private func get(_ client: Client, _ path: String = "notes") async throws -> HTTPResponse {
        try await client.perform(.raw(.get, RoutePath(path)))
    }

    @Test(.tags(.cookieLogin))
    func `A server that rotates the cookies of a session is followed from answer to answer without a new login`()
        async throws
    {
        let session = backend.session(in: store)
        let client = backend.client(session)
        for _ in 0..<4 { try await expectEqual(get(client).status, .ok) }
        expectEqual(backend.sent, ["sid=s1; lang=en", "sid=r1; lang=en", "sid=r2; lang=en", "sid=r3; lang=en"])
        expectEqual(backend.logins, 1)
        expectEqual(store.load()?.map(\.value), ["r4", "en"])
        expectEqual(session.currentState.credential?.cookies.map(\.value), ["r4", "en"])
    }

    @Test(.tags(.cookieLogin))
    func `A server that rotates the cookies of a session finds its last cookie in the next process`() async throws {
        _ = try await get(backend.client(backend.session(in: store)))
        try await expectEqual(get(backend.client(backend.session(in: store))).status, .ok)
        expectEqual(backend.logins, 1)
        expectEqual(backend.sent.last, "sid=r1; lang=en")
    }

    @Test
    func `A server that rotates the cookies of a session is followed from one redirect to the next`() async throws {
        let client = backend.client(backend.session(in: store))
        try await expectEqual(get(client, "moved").status, .ok)
        expectEqual(backend.sent, ["sid=s1; lang=en", "sid=r1; lang=en"])
        expectEqual(backend.logins, 1)
    }

    @Test func `A rotated cookie of a session is stored before the answer is returned`() async throws {
        let client = backend.client(backend.session(in: store))
        for number in 1...3 {
            _ = try await get(client)
            expectEqual(store.load()?.first?.value, "r\(number)")
        }
    }

    @Test func `A server that deletes the last cookie of a session makes the next request sign in`() async throws {
        let session = backend.session(in: store)
        let client = backend.client(session)
        backend.change {
            $0.setsCookie = true
            $0.rotates = false
        }
        _ = try await get(client)
        backend.change {
            $0.rotates = true
            $0.attributes = "; Max-Age=0"
        }
        _ = try await get(client)
        expectEqual(session.currentState.credential?.cookies.map(\.name), ["lang"])
        backend.change {
            $0.rotates = false
            $0.attributes = ""
        }
        try await expectEqual(get(client).status, .ok)
        expectEqual(backend.sent.suffix(2), ["lang=en", "sid=s2; lang=en"])
    }

    @Test
    func `A server that rotates the cookies of a session is followed although the store has no room`() async throws {
        let full = FillingStore()
        let session = backend.session(in: full)
        let client = backend.client(session)
        for _ in 0..<3 { try await expectEqual(get(client).status, .ok) }
        expectEqual(backend.sent, ["sid=s1; lang=en", "sid=r1; lang=en", "sid=r2; lang=en"])
        expectEqual(full.load()?.first?.value, "s1")
    }

    @Test
    func `A server that rotates the cookies of a session that is now another user's changes nothing`() async throws {
        let (held, gate) = (SharedResult<Void>(), SharedResult<Void>())
        let session = backend.session(in: store)
        let slow = ClosureInterceptor { request, next in
            let response = try await next.respond(to: request)
            held.finish(.success(()))
            try await gate.value()
            return response
        }
        let client = Client(
            baseURL: backend.url, transport: CurlTransport().intercepted(by: [slow]),
            interceptors: [SessionInterceptor(session, for: .host("127.0.0.1"))])
        let late = Task { try await get(client) }
        try await held.value()
        let other = try #require(Cookie(name: "sid", value: "other", domain: "127.0.0.1", created: Date()))
        try await session.signIn(CookieCredential([other]))
        gate.finish(.success(()))
        try await expectEqual(late.value.status, .ok)
        expectEqual(store.load()?.map(\.value), ["other"])
        expectEqual(session.currentState.credential?.cookies.map(\.value), ["other"])
    }
}

/// A store with room for one record.
private final class FillingStore: TokenStore {
    private let kept = InMemoryTokenStore<[Cookie]>()

    func save(_ cookies: [Cookie]) throws {
        guard kept.load() == nil else { throw AuthError.storeFull }
        kept.save(cookies)
    }

    func load() -> [Cookie]? { kept.load() }

    func clear() { kept.clear() }
}
