// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct StoreClockTests {
    @Test func `The date of a store is this machine's for a file`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file())
        try await expectNil(StoreClock(of: store, local: .system))
        await store.close()
    }

    @Test(needsPostgres)
    func `The date of a store is the database's, continued by the time that passes here`() async throws {
        let store = try await IdentityStore.open(try await IdentityDatabase.create())
        let local = ManualClock(Date(timeIntervalSince1970: 0))
        let clock = try #require(try await StoreClock(of: store, local: local.wallClock())).clock
        let first = clock.now
        #expect(abs(first.timeIntervalSinceNow) < 3600)
        local.advance(by: 10)
        expectEqual(clock.now, first + 10)
        // The date of this machine is set, while the time goes on.
        local.jump(by: 1_000_000)
        expectEqual(clock.now, first + 10)
        await store.close()
    }

    @Test(needsPostgres) func `The date of a store is requested again if the first answer comes late`() async throws {
        let store = try await IdentityStore.open(try await IdentityDatabase.create())
        // The first round trip takes ten seconds, and each later reading of the time none.
        let readings = Mutex(0)
        let slow = WallClock(
            now: { noon }, sleep: { _ in },
            uptime: {
                readings.withLock {
                    $0 += 1
                    return $0 == 1 ? .zero : .seconds(10)
                }
            })
        let before = try #require(try await store.date(by: .system)).date
        let clock = try #require(try await StoreClock(of: store, local: slow)).clock
        let after = try #require(try await store.date(by: .system)).date
        #expect((before...after).contains(clock.now))
        await store.close()
    }

    @Test(.tags(.parallelRefresh), needsPostgres)
    func `All nodes use the store's clock, however wrong their own clocks are`() async throws {
        let address = try await IdentityDatabase.create()
        var configuration = IdentityConfiguration()
        (configuration.argon2MemoryKiB, configuration.argon2Passes) = (64, 1)
        var nodes: [Identity] = []
        for seconds in [0, 1_800_000_000, 4_000_000_000.0] {
            let clock = ManualClock(Date(timeIntervalSince1970: seconds))
            let node = try await Identity(
                configuration: configuration, storePath: address, mailer: MemoryMailer(), clock: clock.wallClock())
            node.adoptIssuer("http://127.0.0.1:8080")
            nodes.append(node)
        }
        _ = try await nodes[0].accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        func post(_ node: Identity, _ path: String, _ json: JSONValue) async throws -> Response {
            Response(
                try await node.handler.respond(
                    to: HTTPRequest(
                        method: .post, scheme: "http", authority: "127.0.0.1:8080", path: path,
                        fields: [.contentType: "application/json"], body: HTTPBody(json.serialized()))))
        }
        let login = try await post(
            nodes[0], "/api/auth/clients/login", ["email": "ada@example.com", "password": .string(Site.password)])
        expectEqual(login.status, 200)
        let old: JSONValue = ["refreshToken": .string(login.refresh)]
        var successors: Set<String> = []
        for node in nodes {
            // Within the window on each: nobody takes the repetition for a copy.
            successors.insert(try await post(node, "/api/auth/refresh-token", old).refresh)
            let request = HTTPRequest(
                scheme: "http", authority: "127.0.0.1:8080", path: "/user/profile",
                fields: [.authorization: "Bearer \(login.access)"])
            try await expectEqual(node.handler.respond(to: request).status, .ok)
        }
        #expect(successors.count == 1 && !successors.contains(""))
        for node in nodes { await node.close() }
    }
}
