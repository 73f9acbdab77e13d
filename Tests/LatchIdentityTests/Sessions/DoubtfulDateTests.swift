// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@testable import LatchIdentity

private let day = 86_400.0

@Suite struct DoubtfulDateTests {
    /// A server over the store of a folder, as it starts with a date, and its handler.
    private func identity(
        in folder: TemporaryFolder, _ clock: ManualClock, synchronized: @escaping DateCheck.Synchronized = { nil }
    ) async throws -> Identity {
        var configuration = IdentityConfiguration()
        (configuration.argon2MemoryKiB, configuration.argon2Passes) = (64, 1)
        let identity = try await Identity(
            configuration: configuration, store: try IdentityStore(path: folder.file()), mailer: nil,
            clock: clock.wallClock(), synchronized: synchronized)
        identity.adoptIssuer("http://127.0.0.1:8080")
        return identity
    }

    @Test(arguments: Way.allCases)
    func `A server whose date has leapt refuses sign-ins and refreshes for a while, and ends no session`(way: Way)
        async throws
    {
        let site = try await Site(way)
        try await site.signUp()
        let first = try await site.logIn()
        site.clock.jump(by: 100 * day)
        let refused = try await site.renew(first.refresh)
        expectEqual(refused.status, 503)
        let health = try await site.get("/healthz")
        #expect(health.status == 503 && health.string("code") == "doubtfulDate")
        expectEqual(refused.field(.retryAfter), "60")
        try await expectEqual(site.logIn().status, 503)
        let grant = try await site.post("/oauth/token", form: "grant_type=refresh_token&refresh_token=\(first.refresh)")
        expectEqual(grant.status, 503)
        expectEqual(grant.string("error"), "temporarily_unavailable")
        site.clock.jump(by: -100 * day)
        let second = try await site.renew(first.refresh)
        expectEqual(second.status, 200)
        try await expectEqual(site.renew(second.refresh).status, 200)
        try await expectEqual(site.get("/healthz").status, 200)
        await site.close()
    }

    @Test func `A server whose date has leapt uses up no recovery code`() async throws {
        let site = try await Site()
        let (app, access) = try await site.enrol()
        let id = try await site.bearer(access).accountID
        site.clock.jump(by: 100 * day)
        let refused = await refusal {
            try await site.signIns.signIn(
                name: "ada@example.com", password: Site.password, code: app.recoveryCodes[0], from: .tests)
        }
        expectEqual(refused, "doubtfulDate")
        try expectEqual(site.recoveryCodeCount(of: id), app.recoveryCodes.count)
        await site.close()
    }

    @Test func `A server whose date has leapt uses up no code of a sign-in through a provider`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        let app = UpstreamApp()
        var agent = UserAgent(site)
        let returned = try await site.visit(&agent, upstream, app)
        let code = try #require(returned.parameters["code"])
        site.clock.jump(by: 100 * day)
        let refused = try await site.exchange(code, app)
        #expect(refused.status == 503 && refused.string("code") == "doubtfulDate")
        site.clock.jump(by: -100 * day)
        try await expectEqual(site.exchange(code, app).status, 200)
        await site.close()
    }

    @Test func `A server whose date has leapt removes nothing, and adds no key`() async throws {
        let site = try await Site()
        let store = site.identity.services.store
        try await site.signUp()
        let tokens = try await site.logIn()
        let keys = try await site.identity.signingKeys.list()
        site.clock.jump(by: 400 * day)
        try await expectEqual(Housekeeping(site.identity.services).prune(), false)
        try await site.identity.signingKeys.refresh()
        try await expectEqual(store.signingKeys().count, keys.count)
        site.clock.jump(by: -400 * day)
        try await expectEqual(site.renew(tokens.refresh).status, 200)
        await site.close()
    }

    @Test func `A server whose date has leapt ends sessions as before after passed time or a late date`() async throws {
        let site = try await Site()
        try await site.signUp()
        let tokens = try await site.logIn()
        site.clock.jump(by: -100 * day)
        try await expectEqual(site.renew(tokens.refresh).status, 200)
        site.clock.jump(by: 100 * day)
        let next = try await site.logIn()
        expectEqual(next.status, 200)
        site.clock.advance(by: 400 * day)
        try await expectEqual(site.renew(next.refresh).status, 401)
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }

    @Test func `A server whose date has leapt detects it at its start, and believes a long weekend`() async throws {
        let folder = try TemporaryFolder()
        let before = try await identity(in: folder, ManualClock(noon))
        try await before.services.dates.update(before.services.store)
        await before.close()
        for (days, isBelieved) in [(100.0, false), (5.1, false), (4.9, true), (0, true), (-100, true)] {
            let after = try await identity(in: folder, ManualClock(noon + days * day))
            expectEqual(after.services.dates.isBelieved, isBelieved, "\(days) days")
            await after.close()
        }
    }

    @Test func `A server whose date has leapt believes a time server that agrees with it`() async throws {
        let folder = try TemporaryFolder()
        let before = try await identity(in: folder, ManualClock(noon))
        try await before.services.dates.update(before.services.store)
        await before.close()
        let now = noon + 30 * day
        for (difference, isBelieved) in [(0.0, true), (-59, true), (3_600, false), (-30 * day, false)] {
            let after = try await identity(in: folder, ManualClock(now)) { now + difference }
            expectEqual(after.services.dates.isBelieved, isBelieved, "\(difference) seconds")
            await after.close()
        }
    }

    @Test func `A server whose date has leapt continues when an operator accepts the date`() async throws {
        let folder = try TemporaryFolder()
        let before = try await identity(in: folder, ManualClock(noon))
        try await before.services.dates.update(before.services.store)
        await before.close()
        let clock = ManualClock(noon + 30 * day)
        let (after, command) = (try await identity(in: folder, clock), try await identity(in: folder, clock))
        let (dates, store) = (after.services.dates, after.services.store)
        let error = await #expect(throws: IdentityError.self) { try await dates.update(store) }
        expectEqual(error?.code, IdentityError.doubtfulDate.code)
        expectEqual(error?.hint?.contains("latch admin clock accept"), true)
        try await expectEqual(store.believedDate(), noon)
        try await expectEqual(command.acceptDate(), clock.now)
        try await dates.update(store)
        #expect(dates.isBelieved)
        // A date that was accepted by mistake can be taken back.
        clock.jump(by: -30 * day)
        try await expectEqual(command.acceptDate(), noon)
        try await expectEqual(store.believedDate(), noon)
        for identity in [after, command] { await identity.close() }
    }

    @Test func `A server whose date has leapt stores its date once an hour`() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock(noon)
        let identity = try await identity(in: folder, clock)
        let (dates, store) = (identity.services.dates, identity.services.store)
        try await dates.update(store)
        clock.advance(by: 3_599)
        try await dates.update(store)
        try await expectEqual(store.believedDate(), noon)
        clock.advance(by: 1)
        try await dates.update(store)
        try await expectEqual(store.believedDate(), noon + 3_600)
        await identity.close()
    }
}

@Suite struct BelievedDateTests {
    @Test(arguments: StoreBackend.all)
    func `The date that servers have believed grows, unless an operator decides otherwise`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        try await expectNil(store.believedDate())
        try await store.believe(noon, isFinal: false)
        try await store.believe(noon - 5, isFinal: false)
        try await expectEqual(store.believedDate(), noon)
        try await store.believe(noon + 5, isFinal: false)
        try await expectEqual(store.believedDate(), noon + 5)
        try await store.believe(noon - 5, isFinal: true)
        try await expectEqual(store.believedDate(), noon - 5)
        // It is nobody's task.
        #expect(try await store.isFree(.pruning, at: noon))
        await store.close()
    }
}
