// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import Synchronization
import TestSupport
import TestTags
import Testing

/// A site that knows one session cookie at a time.
private final class CookieServer: Sendable {
    let backend = Backend()
    let logins = Mutex(0)
    let kept = InMemoryStorage()

    init() {
        backend.on("/a") { [weak self] request in
            let current = "sid=\(self?.logins.withLock { $0 } ?? 0)"
            return request.fields[.cookie]?.contains(current) == true
                ? .json(#"{"id":7,"name":"Ada"}"#) : .init(status: .unauthorized)
        }
    }

    func login() throws -> CookieToken {
        let number = logins.withLock { number in
            number += 1
            return number
        }
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "sid", .value: "\(number)", .domain: "127.0.0.1", .path: "/",
        ]
        return CookieToken(sessionCookies: [try #require(HTTPCookie(properties: properties))])
    }

    func provider(
        _ url: URL, login: (@Sendable () async throws -> CookieToken)? = nil
    ) -> (NetworkProvider, TokenStorage<CookieToken>) {
        let storage = TokenStorage<CookieToken>(storage: kept)
        let auth = CookieAuthenticationInterceptor(
            cookieStorage: storage, loginStrategy: login ?? { try self.login() })
        return (NevodTests.provider(url, interceptor: auth), storage)
    }
}

@Suite struct CookieLoginTests {
    @Test(.tags(.cookieLogin), arguments: [1, 50])
    func `A login by cookies precedes the first request, once for all`(count: Int) async throws {
        let site = CookieServer()
        try await site.backend.serve { url in
            let (provider, storage) = site.provider(url)
            let users = await atOnce(count) { _ -> User? in try? await provider.get("a") }
            #expect(users.allSatisfy { $0 != nil })
            expectEqual(site.logins.withLock { $0 }, 1)
            expectEqual(site.backend.requests.count, count)
            #expect(site.backend.requests.allSatisfy { $0.fields[.cookie] == "sid=1" })
            await expectEqual(storage.load()?.sessionCookies.map(\.value), ["1"])
        }
    }

    @Test(.tags(.cookieLogin)) func `A login by cookies is repeated after a 401, once for all`() async throws {
        let site = CookieServer()
        try await site.backend.serve { url in
            let (provider, _) = site.provider(url)
            let _: User = try await provider.get("a")
            // The server forgets the session: its next login makes number 3.
            site.logins.withLock { $0 = 2 }
            let users = await atOnce(50) { _ -> User? in try? await provider.get("a") }
            #expect(users.allSatisfy { $0 != nil })
            expectEqual(site.logins.withLock { $0 }, 3)
        }
    }

    @Test(.tags(.cookieLogin))
    func `A login by cookies succeeds on a device that is ahead of the server`() async throws {
        let site = CookieServer()
        let date = Date().addingTimeInterval(-7200)
        let server = try RawHTTPServer { _ in .response(fields: ["Date: \(HTTPDate(date))"], body: "{}") }
        let open = NevodTests.provider(try #require(URL(string: server.url)))
        try await site.backend.serve { url in
            let (provider, storage) = site.provider(url) {
                let _: EmptyResponse = try await open.post("login")
                _ = try site.login()
                let expiry = HTTPDate(date.addingTimeInterval(3600))
                return CookieToken(
                    sessionCookies: try cookies("sid=1; Path=/; Expires=\(expiry)", from: "http://127.0.0.1/"))
            }
            let user: User = try await provider.get("a")
            expectEqual(user.name, "Ada")
            expectEqual(site.logins.withLock { $0 }, 1)
            let expiry = try #require(await storage.load()?.sessionCookies.first?.expiresDate)
            #expect(abs(expiry.timeIntervalSinceNow - 3600) < 60)
        }
    }

    @Test(.tags(.cookieLogin)) func `A login by cookies is not needed while stored cookies are valid`() async throws {
        let site = CookieServer()
        try await site.backend.serve { url in
            let _: User = try await site.provider(url).0.get("a")
            let _: User = try await site.provider(url).0.get("a")
            expectEqual(site.logins.withLock { $0 }, 1)
        }
    }

    @Test(.tags(.cookieLogin)) func `A login by cookies stores cookies that responses set`() async throws {
        let site = CookieServer()
        site.backend.on("/roll") { request in
            let number = request.fields[.cookie].flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
            return .json(
                #"{"id":\#(number),"name":"Ada"}"#,
                fields: [.setCookie: "sid=\(number + 1); Path=/; HttpOnly", .setCookie: "theme=dark; Path=/other"])
        }
        try await site.backend.serve { url in
            let (provider, storage) = site.provider(url)
            var seen: [Int] = []
            for _ in 0..<3 {
                let user: User = try await provider.get("roll")
                seen.append(user.id)
            }
            expectEqual(seen, [1, 2, 3])
            expectEqual(site.logins.withLock { $0 }, 1)
            let kept = await storage.load()?.sessionCookies ?? []
            expectEqual(Set(kept.map { "\($0.name)=\($0.value)" }), ["sid=4", "theme=dark"])
            expectEqual(kept.first { $0.name == "sid" }?.isHTTPOnly, true)
            // Another process finds the same.
            let again = TokenStorage<CookieToken>(storage: site.kept)
            await expectEqual(again.load()?.sessionCookies.first { $0.name == "sid" }?.value, "4")
        }
    }

    @Test(.tags(.cookieLogin))
    func `A login by cookies follows even when cookies were rotated while the session ended`() async throws {
        let site = CookieServer()
        let refused = Gate()
        site.backend.on("/roll") { _ in .json("{}", fields: [.setCookie: "sid=rotated; Path=/"]) }
        site.backend.on("/late") { request in
            if request.fields[.cookie] == "sid=1" { await refused.pass() }
            return request.fields[.cookie] == "sid=2" ? .json(#"{"id":7,"name":"Ada"}"#) : .init(status: .unauthorized)
        }
        try await site.backend.serve { url in
            let (provider, _) = site.provider(url)
            async let late: User = provider.get("late")
            await refused.reached()
            let _: EmptyResponse = try await provider.get("roll")
            refused.open()
            try await expectEqual(late.id, 7)
            expectEqual(
                site.backend.requests(to: "/late").map { $0.fields[.cookie] }, ["sid=1", "sid=rotated", "sid=2"])
        }
    }

    @Test(.tags(.cookieLogin))
    func `A login by cookies that fails is reported with its error, sends nothing, and is tried again`() async throws {
        let site = CookieServer()
        try await site.backend.serve { url in
            let failures = Mutex<[NetworkError]>([.unauthorized, .noConnection, .timeout])
            let (provider, _) = site.provider(url) {
                if let error = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
                return try site.login()
            }
            for expected in [NetworkError.unauthorized, .noConnection, .timeout] {
                await expectEqual(failure { () -> User in try await provider.get("a") }, expected)
            }
            #expect(site.backend.requests.isEmpty)
            let _: User = try await provider.get("a")
        }
    }

    @Test(.tags(.cookieLogin)) func `A login by cookies without cookies is a failed one`() async throws {
        let site = CookieServer()
        try await site.backend.serve { url in
            let (provider, storage) = site.provider(url) { CookieToken(sessionCookies: []) }
            let error = await failure { () -> User in try await provider.get("a") }
            expectEqual(error, .authenticationFailed)
            #expect(site.backend.requests.isEmpty)
            await expectNil(storage.load())
        }
    }

    @Test(.tags(.cookieLogin)) func `A login by cookies is repeated when all cookies have expired`() async throws {
        let site = CookieServer()
        try await site.backend.serve { url in
            let (provider, storage) = site.provider(url)
            let old = try cookies("sid=9; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "http://127.0.0.1/")
            await storage.save(CookieToken(sessionCookies: old))
            let _: User = try await provider.get("a")
            expectEqual(site.backend.requests.map { $0.fields[.cookie] }, ["sid=1"])
        }
    }

    @Test(.tags(.cookieLogin)) func `A login by cookies uses no cookies but its own`() async throws {
        let site = CookieServer()
        site.backend.on("/set") { _ in .json("{}", fields: [.setCookie: "stray=1; Path=/"]) }
        try await site.backend.serve { url in
            let plain = NevodTests.provider(url)
            let _: EmptyResponse = try await plain.get("set")
            let _: EmptyResponse = try await plain.get("set")
            #expect(site.backend.requests.allSatisfy { $0.fields[.cookie] == nil })
        }
    }
}
