// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@Suite struct CookieLoginTests {
    let backend: CookieBackend
    let store = InMemoryTokenStore<[Cookie]>()

    init() throws { backend = try CookieBackend() }

    private func get(_ client: Client, _ path: String = "notes") async throws -> HTTPResponse {
        try await client.perform(.raw(.get, RoutePath(path)))
    }

    @Test(.tags(.cookieLogin)) func `A session of cookies logs in before its first request`() async throws {
        let session = backend.session(in: store)
        let client = backend.client(session)
        for _ in 0..<3 { try await expectEqual(get(client).status, .ok) }
        expectEqual(backend.sent, ["sid=s1; lang=en", "sid=s1; lang=en", "sid=s1; lang=en"])
        expectEqual(backend.logins, 1)
        expectEqual(store.load()?.map(\.name), ["sid", "lang"])
        expectEqual(store.load()?.first?.isHTTPOnly, true)
        #expect(session.currentState.isSignedIn)
    }

    @Test(.tags(.cookieLogin))
    func `A session of cookies logs in once for 50 requests that come at once`() async throws {
        let client = backend.client(backend.session())
        try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for _ in 0..<50 { group.addTask { try await self.get(client).status } }
            for try await status in group { expectEqual(status, .ok) }
        }
        expectEqual(backend.logins, 1)
        expectEqual(backend.sent, Array(repeating: "sid=s1; lang=en", count: 50))
    }

    @Test(.tags(.cookieLogin))
    func `A session of cookies logs in once more for 50 requests whose cookie was refused, and repeats them`()
        async throws
    {
        let client = backend.client(backend.session(in: store))
        _ = try await get(client)
        backend.change { $0.valid = "ended elsewhere" }
        try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for _ in 0..<50 { group.addTask { try await self.get(client).status } }
            for try await status in group { expectEqual(status, .ok) }
        }
        expectEqual(backend.logins, 2)
        expectEqual(backend.sent.filter { $0 == "sid=s2; lang=en" }.count, 50)
        expectEqual(store.load()?.first?.value, "s2")
    }

    @Test func `A session of cookies does not log in while its kept cookies are accepted`() async throws {
        _ = try await get(backend.client(backend.session(in: store)))
        try await expectEqual(get(backend.client(backend.session(in: store))).status, .ok)
        expectEqual(backend.logins, 1)
    }

    @Test func `A session of cookies answers with the second refusal if a login does not help`() async throws {
        let elsewhere = try CookieBackend()
        let session = Session(cookiesIn: store) { try await elsewhere.login() }
        try await expectEqual(get(backend.client(session)).status, .unauthorized)
        expectEqual(elsewhere.logins, 2)
        expectEqual(backend.sent, ["sid=s1; lang=en", "sid=s2; lang=en"])
    }

    @Test
    func `A session of cookies logs in before the request if the cookies that prove it have expired`() async throws {
        let clock = ManualClock(Date())
        backend.change { $0.attributes = "; Max-Age=100" }
        let client = backend.client(backend.session(named: ["sid"], clock: clock.wallClock()))
        _ = try await get(client)
        clock.advance(by: 200)
        backend.change { $0.attributes = "" }
        _ = try await get(client)
        expectEqual(backend.sent, ["sid=s1; lang=en", "sid=s2; lang=en"])
    }

    @Test
    func `A login without a network is reported as a network error, and tried again`() async throws {
        let isDown = Mutex(true)
        let session = backend.session(in: store) {
            if isDown.withLock({ $0 }) { throw HTTPError.offline }
        }
        let client = backend.client(session)
        for _ in 0..<3 { await #expect(throws: HTTPError.offline) { try await get(client) } }
        expectEqual(backend.sent, [])
        isDown.withLock { $0 = false }
        try await expectEqual(get(client).status, .ok)
        expectEqual(backend.logins, 1)
    }

    @Test func `A session of cookies does not repeat a refused login until it is told to`() async throws {
        backend.change {
            $0.loginStatus = 401
            $0.loginBody = #"{"message":"Wrong password"}"#
        }
        let session = backend.session(in: store)
        let client = backend.client(session)
        for _ in 0..<3 { await #expect(throws: AuthError.reauthenticationRequired) { try await get(client) } }
        expectEqual(backend.logins, 1)
        await #expect(throws: HTTPError.unacceptableStatus) { try await session.signIn() }
        backend.change { $0.loginStatus = 204 }
        try await session.signIn()
        try await expectEqual(get(client).status, .ok)
        expectEqual(backend.logins, 3)
        expectEqual(store.load()?.first?.value, "s3")
    }

    @Test(arguments: ["", "<html>Authorization required</html>"])
    func `A session of cookies is not ended by a gateway's refusal of a login`(body: String) async throws {
        backend.change {
            $0.loginStatus = 401
            $0.loginBody = body
        }
        let session = backend.session(in: store)
        await #expect(throws: HTTPError.unacceptableStatus) { try await get(backend.client(session)) }
        #expect(session.currentState.isSignedIn || session.currentState.credential != nil)
        backend.change { $0.loginStatus = 204 }
        try await session.signIn()
        try await expectEqual(get(backend.client(session)).status, .ok)
    }

    @Test func `A session of cookies logs in on a device whose clock is ahead`() async throws {
        let clock = ManualClock()
        let server = clock.now.addingTimeInterval(-7200)
        let jar = CookieJar(clock: clock.wallClock())
        let transport = ClosureHandler { _ in
            HTTPResponse(
                status: .noContent,
                fields: [
                    .date: HTTPDate(server).description,
                    .setCookie: "sid=1; Expires=\(HTTPDate(server.addingTimeInterval(3600)))",
                ])
        }
        let session = Session(cookiesIn: store, named: ["sid"], clock: clock.wallClock()) {
            let client = Client(baseURL: backend.url, transport: transport, interceptors: [CookieInterceptor(jar)])
            try await client.perform(.post("login", sending: .form([])))
            return jar.cookies
        }
        try await session.signIn()
        let expiry = try #require(try await session.credential().expiry)
        #expect(abs(expiry.timeIntervalSince(clock.now) - 3600) < 2)
    }

    @Test func `A session of cookies does not take a server's failure to log in for a refusal`() async throws {
        backend.change { $0.loginStatus = 503 }
        let client = backend.client(backend.session(in: store))
        await #expect(throws: HTTPError.unacceptableStatus) { try await get(client) }
        backend.change { $0.loginStatus = 204 }
        try await expectEqual(get(client).status, .ok)
    }

    @Test func `A session of cookies keeps nothing of a login that set no cookie`() async throws {
        backend.change { $0.setsCookie = false }
        let client = backend.client(backend.session(in: store))
        await #expect(throws: AuthError.loginWithoutCookies) { try await get(client) }
        expectNil(store.load())
        expectEqual(backend.sent, [])
    }

    @Test func `A session of cookies does not accept a login without the cookie that proves it`() async throws {
        let client = backend.client(backend.session(in: store, named: ["sid", "mac"]))
        await #expect(throws: AuthError.loginWithoutCookies) { try await get(client) }
        expectNil(store.load())
    }

    @Test(.tags(.cookieLogin))
    func `A session of cookies sends its cookies to no other host, nor logs in for it`() async throws {
        let session = backend.session(in: store)
        try await expectEqual(get(backend.client(session, host: "localhost")).status, .unauthorized)
        expectEqual(backend.logins, 0)
        _ = try await get(backend.client(session))
        _ = try await get(backend.client(session, host: "localhost"))
        expectEqual(backend.sent, ["", "sid=s1; lang=en", ""])
    }

    @Test(.tags(.cookieLogin))
    func `A session of cookies sends no cookie along if a redirect leaves the origin`() async throws {
        let target = try CookieBackend()
        let away = try RawHTTPServer { _ in .response(302, fields: ["Location: \(target.server.url)/notes"]) }
        let session = backend.session(in: store)
        let client = Client(
            baseURL: try #require(URL(string: away.url)), transport: CurlTransport(),
            interceptors: [SessionInterceptor(session, for: .host("127.0.0.1"))])
        _ = try await get(client)
        expectEqual(away.requests.first?.values(of: "Cookie"), ["sid=s1; lang=en"])
        #expect(target.sent.allSatisfy { $0.isEmpty })
    }

    @Test func `A session of cookies can log in through its own client`() async throws {
        let jar = CookieJar()
        let clients = Mutex<Client?>(nil)
        let session = Session(cookiesIn: store) {
            let client = clients.withLock { $0 }
            try await client?.perform(.post("login", sending: .form([])))
            return jar.cookies
        }
        let client = Client(
            baseURL: backend.url, transport: CurlTransport(),
            interceptors: [SessionInterceptor(session, for: .host("127.0.0.1")), CookieInterceptor(jar)])
        clients.withLock { $0 = client }
        try await expectEqual(get(client).status, .ok)
        clients.withLock { $0 = nil }
        expectEqual(backend.sent, ["sid=s1; lang=en"])
    }
}
