// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

@Suite struct HealthTests {
    @Test(arguments: Way.allCases)
    func `The health of the server is good while tokens can be issued`(way: Way) async throws {
        let site = try await Site(way)
        try await expectEqual(site.get("/healthz").status, 200)
        try await expectEqual(site.get("/readyz").status, 200)
        await site.close()
    }

    @Test(.tags(.healthCheck))
    func `The health of the server is bad while the store cannot commit, and good again afterwards`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file(), busyTimeout: .milliseconds(20))
        var configuration = IdentityConfiguration()
        configuration.issuer = "http://127.0.0.1:8080"
        let clock = ManualClock(noon)
        let identity = try await Identity(
            configuration: configuration, store: store, mailer: MemoryMailer(), clock: clock.wallClock())
        let request = HTTPRequest(scheme: "http", authority: "127.0.0.1:8080", path: "/healthz")
        let other = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try other.run("BEGIN IMMEDIATE")
        let answer = Response(try await identity.handler.respond(to: request))
        expectEqual(answer.status, 503)
        expectEqual(answer.string("code"), "storeBusy")
        try other.run("ROLLBACK")
        clock.advance(by: 1)
        try await expectEqual(identity.handler.respond(to: request).status, .ok)
        await identity.close()
    }

    @Test(.tags(.healthCheck))
    func `The health of the server is bad when a commit hangs, without hanging itself`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file())
        let gate = DispatchSemaphore(value: 0)
        async let wedged: Void = store.write { _ throws(IdentityError) in gate.wait() }
        let clock = WallClock(now: { noon }, sleep: { _ in })
        let failure = await HealthCheck(store: store, clock: clock).failure()
        expectEqual(failure?.code, IdentityError.storeBusy.code)
        gate.signal()
        try await wedged
        await store.close()
    }

    @Test(.tags(.healthCheck))
    func `The health of the server is checked once for all concurrent callers`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file())
        let gate = DispatchSemaphore(value: 0)
        async let wedged: Void = store.write { _ throws(IdentityError) in gate.wait() }
        let check = HealthCheck(store: store, clock: ManualClock(noon).wallClock())
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let before = store.writeStatistics.jobs
        let failures = await withTaskGroup(of: IdentityError?.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    continuation.yield()
                    return await check.failure()
                }
            }
            var count = 0
            for await _ in begun {
                count += 1
                if count == 1000 { break }
            }
            gate.signal()
            return await group.reduce(into: []) { if let failure = $1 { $0.append(failure) } }
        }
        try await wedged
        #expect(failures.isEmpty)
        // The blocked write and one check; one more for whoever had begun and not asked yet when it ended.
        #expect(store.writeStatistics.jobs - before < 20)
        await store.close()
    }

    @Test(.tags(.healthCheck)) func `The health of the server is checked once a second, for any result`() async throws {
        let clock = ManualClock(noon)
        let probes = Mutex(0)
        let check = HealthCheck(clock: clock.wallClock()) { () throws(IdentityError) in
            guard
                probes.withLock({
                    $0 += 1; return $0
                }) > 1
            else { throw .storeFull }
        }
        for _ in 0..<50 { await expectEqual(check.failure(), .storeFull) }
        clock.advance(by: 0.999)
        await expectEqual(check.failure(), .storeFull)
        expectEqual(probes.withLock { $0 }, 1)
        clock.advance(by: 0.001)
        for _ in 0..<50 { await expectNil(check.failure()) }
        expectEqual(probes.withLock { $0 }, 2)
    }

    @Test
    func `The health of the server is checked without ending kept sessions, unlike every other write`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file())
        let version = store.version
        try await store.checkHealth(at: noon)
        #expect(store.version == version && store.writeStatistics.jobs == 1)
        _ = try await store.write { _ throws(IdentityError) in 1 }
        expectEqual(store.version, version + 1)
        // Its outcome may be unknown.
        await #expect(throws: IdentityError.storeBusy) {
            try await store.write { _ throws(IdentityError) -> Void in throw .storeBusy }
        }
        expectEqual(store.version, version + 2)
        await store.close()
    }

    @Test
    func `The health of the server does not affect its liveness, which needs no store and no keys`() async throws {
        let site = try await Site()
        await site.identity.close()
        try await expectEqual(site.get("/livez").status, 200)
        // Readers stay open until the last request has ended, writers do not.
        try await expectEqual(site.get("/healthz").status, 503)
    }

    @Test
    func `The health of the server ends its readiness when it drains, also through a reload, and serves on`()
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        site.identity.drain()
        let answer = try await site.get("/readyz")
        #expect(answer.status == 503 && answer.field(.retryAfter) != nil)
        try await expectEqual(site.get("/healthz").status, 200)
        try await expectEqual(site.logIn().status, 200)
        let next = try await site.identity.reconfigured(site.identity.services.configuration)
        let request = HTTPRequest(scheme: "http", authority: "127.0.0.1:8080", path: "/readyz")
        try await expectEqual(next.handler.respond(to: request).status, .serviceUnavailable)
        await next.close()
    }

    @Test(.tags(.healthCheck))
    func `The health of the server is not ready while the store cannot be read, without hanging itself`() async throws {
        let clock = WallClock(now: { noon }, sleep: { _ in })
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        let check = HealthCheck(clock: clock) { () throws(IdentityError) in
            for await _ in never {}
        }
        await expectEqual(check.failure()?.code, IdentityError.storeBusy.code)
        continuation.finish()
        let broken = HealthCheck(clock: .system) { () throws(IdentityError) in throw .storeClosed }
        await expectEqual(broken.failure()?.code, IdentityError.storeClosed.code)
    }

    @Test func `The health of the server is not ready before it knows its address, and issues nothing`() async throws {
        let folder = try TemporaryFolder()
        let identity = try await Identity(
            configuration: IdentityConfiguration(), storePath: folder.file(), mailer: MemoryMailer())
        let request = HTTPRequest(scheme: "http", authority: "127.0.0.1:8080", path: "/readyz")
        let answer = Response(try await identity.handler.respond(to: request))
        expectEqual(answer.status, 503)
        expectEqual(answer.field(.retryAfter), "1")
        identity.adoptIssuer("http://127.0.0.1:8080/")
        expectEqual(identity.issuer, "http://127.0.0.1:8080")
        identity.adoptIssuer("http://other.example")
        expectEqual(identity.issuer, "http://127.0.0.1:8080")
        try await expectEqual(identity.handler.respond(to: request).status, .ok)
        await identity.close()
    }
}

@Suite struct MetricsTests {
    @Test(arguments: Way.allCases)
    func `The metrics count the events that scripts rely on, in Prometheus' format`(way: Way) async throws {
        let site = try await Site(way)
        try await expectEqual(site.metric(#"latch_tokens_issued_total{grant="password"}"#), 0)
        try await expectEqual(site.metric("latch_families_revoked_total"), 0)
        try await site.signUp()
        let login = try await site.logIn()
        _ = try await site.renew(login.refresh)
        _ = try await site.logIn(password: "wrong")
        let answer = try await site.get("/metrics")
        expectEqual(answer.field(.contentType)?.hasPrefix("text/plain; version=0.0.4"), true)
        try await expectEqual(site.metric(#"latch_tokens_issued_total{grant="password"}"#), 1)
        try await expectEqual(site.metric(#"latch_tokens_issued_total{grant="refresh_token"}"#), 1)
        try await expectEqual(site.metric(#"latch_logins_total{result="success"}"#), 1)
        try await expectEqual(site.metric(#"latch_logins_total{result="failure"}"#), 1)
        for line in answer.text.split(separator: "\n") {
            #expect(["# HELP latch_", "# TYPE latch_", "latch_"].contains { line.hasPrefix($0) })
        }
        await site.close()
    }

    @Test func `The metrics are limited, since they need a read of the store, and health is not`() async throws {
        let site = try await Site { $0.requestLimitPerMinute = 2 }
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await site.get("/metrics").status) }
        expectEqual(statuses, [200, 200, 429])
        for path in ["/healthz", "/readyz", "/livez"] { try await expectEqual(site.get(path).status, 200) }
        await site.close()
    }

    @Test(.tags(.silentTokens)) func `The metrics hold no address, no token and no name`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        let text = try await site.get("/metrics").text
        for secret in ["ada", "example.com", login.refresh, login.access] { #expect(!text.contains(secret)) }
    }
}

@Suite struct RequestIDTests {
    @Test func `A request ID is kept if it is harmless, and made otherwise`() async throws {
        let site = try await Site()
        let kept = try await site.send(.get, "/readyz", fields: [.requestID: "abc-123"])
        expectEqual(kept.field(.requestID), "abc-123")
        let made = try await site.send(.get, "/readyz", fields: [.requestID: "evil\u{1B}[31m"])
        expectEqual(made.field(.requestID)?.contains("evil"), false)
    }
}

@Suite struct RestartTests {
    @Test func `A restart keeps keys, sessions and accounts`() async throws {
        let first = try await Site()
        try await first.signUp()
        let login = try await first.logIn()
        let keys = try await first.get("/.well-known/jwks.json").text
        await first.close()
        let second = try await Site(in: first.folder)
        try await expectEqual(second.get("/.well-known/jwks.json").text, keys)
        try await expectEqual(second.get("/user/profile", bearer: login.access).status, 200)
        try await expectEqual(second.renew(login.refresh).status, 200)
        try await expectEqual(second.logIn().status, 200)
        await second.close()
    }

    @Test func `A restart keeps a revoked device out`() async throws {
        let first = try await Site()
        try await first.signUp()
        let login = try await first.logIn()
        _ = try await first.post("/api/auth/logout", ["refreshToken": .string(login.refresh)])
        await first.close()
        let second = try await Site(in: first.folder)
        try await expectEqual(second.get("/user/profile", bearer: login.access).status, 401)
        try await expectEqual(second.renew(login.refresh).status, 401)
    }

    @Test func `A restart with another pepper makes every refresh token worthless, and no account`() async throws {
        let first = try await Site()
        try await first.signUp()
        let login = try await first.logIn()
        await first.close()
        let second = try await Site(in: first.folder) {
            ($0.tokenPepper, $0.acceptsAnotherPepper) = ("from outside", true)
        }
        try await expectEqual(second.renew(login.refresh).status, 401)
        try await expectEqual(second.logIn().status, 200)
        #expect(try await second.identity.audit.records(limit: 10).contains { $0.event == "pepper.replaced" })
    }

    @Test func `A restart removes rows that ended long ago`() async throws {
        let first = try await Site()
        try await first.signUp()
        let login = try await first.logIn()
        let id = try #require(RefreshToken(login.refresh)?.deviceID)
        await first.close()
        let second = try await Site(in: first.folder)
        second.clock.advance(by: 31 * 86_400)
        try await second.identity.services.store.prune(endedBefore: second.clock.now)
        try await expectNil(second.identity.services.store.device(id: id))
    }
}

@Suite struct ServerNumberTests {
    private func get(_ site: Site, _ path: String, _ fields: HTTPFields = [:], from address: String) async throws
        -> Response
    {
        var request = HTTPRequest(scheme: "http", authority: "127.0.0.1:8080", path: path, fields: fields)
        request.context[RemoteAddress.self] = address
        return Response(try await site.identity.handler.respond(to: request))
    }

    private static let strangers: [(String, HTTPFields)] = [
        ("192.0.2.1", [:]), ("2001:db8::1", [:]), ("127.0.0.1", ["X-Forwarded-For": "192.0.2.1"]),
        ("127.0.0.1", ["X-Real-IP": "192.0.2.1"]), ("127.0.0.1", ["X-Forwarded-Proto": "https"]),
        ("127.0.0.1", ["Forwarded": "for=192.0.2.1"]), ("::1", ["Via": "1.1 proxy"]),
        ("127.0.0.1", ["x-forwarded-server": "proxy"]), ("127.0.0.1", ["CF-Connecting-IP": "192.0.2.1"]),
    ]

    @Test(.tags(.accountEnumeration), arguments: strangers)
    func `The numbers of the server are for operators, since they would reveal accounts`(stranger: (String, HTTPFields))
        async throws
    {
        let site = try await Site()
        let (address, fields) = stranger
        for path in ["/metrics", "/%6detrics", "/metric%73"] {
            try await expectEqual(get(site, path, fields, from: address).status, 404)
        }
        let health = try await get(site, "/healthz", fields, from: address)
        #expect(health.status == 200 && health.json == ["status": "ok"])
        await site.close()
    }

    @Test(arguments: ["127.0.0.1", "::1", "127.8.9.10"])
    func `The numbers of the server are available to the machine itself`(address: String) async throws {
        let site = try await Site()
        try await expectEqual(get(site, "/metrics", from: address).status, 200)
        #expect(try await get(site, "/healthz", from: address).json["mail"] != nil)
        await site.close()
    }

    @Test(
        .tags(.accountEnumeration),
        arguments: [
            ("localhost", true), ("LOCALHOST:8080", true), ("127.0.0.1:8080", true), ("[::1]:8080", true),
            ("rebound.example", false), ("rebound.example:8080", false), ("127.0.0.1.example", false),
            ("localhost.example", false), ("id.example.com", false), ("192.0.2.1", false),
        ])
    func `The numbers of the server are available only by a name of the machine itself`(
        host: String, isShown: Bool
    ) async throws {
        let site = try await Site()
        var request = HTTPRequest(scheme: "http", authority: host, path: "/metrics")
        request.context[RemoteAddress.self] = "127.0.0.1"
        let status = try await site.identity.handler.respond(to: request).status
        expectEqual(status, isShown ? .ok : .notFound)
        await site.close()
    }

    @Test(.tags(.accountEnumeration))
    func `The numbers of the server are hidden from a request without Host, as an old proxy sends it`() async throws {
        let site = try await Site()
        try await serving(site.identity.handler) { address in
            for (fields, status) in [("", 404), ("Host:\r\n", 404), ("Host: localhost\r\n", 200)] {
                let client = try RawClient(port: address.port)
                await client.send("GET /metrics HTTP/1.0\r\n\(fields)\r\n")
                await expectEqual(client.receiveResponse()?.status.rawValue, status)
            }
        }
        await site.close()
    }

    @Test(.tags(.accountEnumeration))
    func `The numbers of the server are hidden behind a trusted proxy that loses its client's address`() async throws {
        let site = try await Site()
        var configuration = Server.Configuration.patient
        configuration.trustedProxies = TrustedProxies(["127.0.0.0/8"].compactMap(NetworkRange.init))
        let server = Server(handler: site.identity.handler, configuration: configuration)
        let address = try await server.start()
        let request = HTTPRequest(scheme: "http", authority: address.authority, path: "/metrics")
        try await expectEqual(Transport.live.respond(to: request).status, .notFound)
        await server.shutdown(grace: .seconds(5))
        await site.close()
    }

    @Test func `The numbers of the server are available on the operators' listener, under any name`() async throws {
        let site = try await Site()
        var request = HTTPRequest(scheme: "http", authority: "latch-1.internal:9091", path: "/metrics")
        request.context[RemoteAddress.self] = "10.0.0.7"
        request.context[OperatorListener.self] = true
        try await expectEqual(site.identity.handler.respond(to: request).status, .ok)
        await site.close()
    }
}

@Suite(.timeLimit(.minutes(1))) struct OperationTests {
    @Test func `The housekeeping of a server removes ended devices and old audit entries by itself`() async throws {
        let site = try await Site()
        try await site.signUp()
        let id = try #require(RefreshToken(try await site.logIn().refresh)?.deviceID)
        site.clock.advance(by: 401 * 86_400)
        // It may just have begun to sleep; an hour later it looks again.
        while try await site.identity.services.store.device(id: id) != nil {
            site.clock.advance(by: 3600)
            await Task.yield()
        }
        let isFirst = { (record: AuditRecord) in record.event == "account.created" }
        while try await site.identity.audit.records(limit: 100_000).contains(where: isFirst) {
            site.clock.advance(by: 3600)
            await Task.yield()
        }
        await site.close()
    }
}
