// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct EventContractTests {
    private static let crm = EventListener("crm") { $0.hasPrefix("account.") }
    private static let log = EventListener("log") { _ in true }

    /// What keeps the files of stores until the end of a test.
    private let kept = Kept()

    /// Opens an empty store with listeners.
    private func open(_ backend: StoreBackend, _ listeners: [EventListener] = [crm, log]) async throws -> IdentityStore
    {
        let (store, audit) = try await backend.open()
        await kept.add(audit)
        try await store.tell(listeners)
        return store
    }

    private func insert(_ names: [String], into store: IdentityStore, at date: Date = noon) async throws {
        for name in names {
            let email = EmailAddress(text: "\(name)@example.com", key: "\(name)@example.com")
            try await store.insert(Account(id: name, email: email, createdAt: date), details: nil)
        }
    }

    private func claim(
        _ store: IdentityStore, _ listener: String = "crm", at date: Date = noon, atMost count: Int = 32
    ) async throws -> [EventDelivery] {
        try await store.claimEvents(of: listener, at: date, until: date + 30, atMost: count)
            .sorted { $0.record.id < $1.record.id }
    }

    private func accept(_ events: [EventDelivery], in store: IdentityStore, at date: Date = noon) async throws {
        try await store.settle(events.map { ($0, .accepted) }, leasedUntil: date + 30, at: date)
    }

    @Test(arguments: StoreBackend.all)
    func `Each listener gets its events, with the change or not at all`(backend: StoreBackend) async throws {
        let store = try await open(backend)
        try await insert(["ada"], into: store)
        try await store.audit("key.created", account: nil, detail: "k1", at: noon)
        await #expect(throws: IdentityError.self) { try await insert(["ada"], into: store) }
        let found = try await claim(store)
        expectEqual(found.map(\.record.event), ["account.created"])
        expectEqual(found.first?.record.accountID, "ada")
        let all = try await claim(store, "log")
        expectEqual(all.map(\.record.event), ["account.created", "key.created"])
        expectEqual(all.last?.record.accountID, nil)
        expectEqual(all.last?.record.detail, "k1")
        // The same event has one identifier, and each event another one.
        expectEqual(all.first?.record.eventID, found.first?.record.eventID)
        expectEqual(Set(all.map(\.record.eventID)).count, 2)
        try await expectEqual(store.eventBacklog().count, 3)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A store without listeners keeps no events`(backend: StoreBackend) async throws {
        let store = try await open(backend, [])
        try await insert(["ada"], into: store)
        try await expectEqual(store.eventBacklog().count, 0)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `An event waits for the earlier ones of its account, and for no others`(backend: StoreBackend) async throws {
        let store = try await open(backend)
        try await insert(["ada", "bob"], into: store)
        for event in ["account.one", "account.two"] {
            try await store.audit(event, account: "ada", detail: nil, at: noon)
        }
        for _ in 0..<2 { try await store.audit("account.none", account: nil, detail: nil, at: noon) }
        let first = try await claim(store)
        #expect(first.filter { $0.record.accountID != nil }.map(\.record.accountID) == ["ada", "bob"])
        #expect(first.count { $0.record.accountID == nil } == 2, "events of the server wait for none")
        expectEqual(first.filter(\.hasFollower).compactMap(\.record.accountID), ["ada"])
        try await expectEqual(claim(store).count, 0)
        let ada = try #require(first.first { $0.record.accountID == "ada" })
        let followers = try await store.events(after: ada, at: noon, atMost: 10)
        expectEqual(followers.map(\.record.event), ["account.one", "account.two"])
        try await accept(first, in: store)
        try await expectEqual(claim(store).map(\.record.event), ["account.one"])
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A failed event waits until its date, and counts`(backend: StoreBackend) async throws {
        let store = try await open(backend)
        try await insert(["ada", "bob"], into: store)
        let first = try await claim(store)
        try await store.settle(
            [
                (first[0], .failed(isRefusal: true, nextAttempt: noon + 5)), (first[1], .unsent),
            ], leasedUntil: noon + 30, at: noon)
        let free = try await claim(store)
        expectEqual(free.map(\.record.accountID), ["bob"])
        expectEqual(free.first?.attempts, 0)
        try await store.settle(
            [(free[0], .failed(isRefusal: false, nextAttempt: noon + 9))], leasedUntil: noon + 30, at: noon)
        try await expectEqual(claim(store, at: noon + 4).count, 0)
        let again = try await claim(store, at: noon + 9)
        expectEqual(again.map(\.attempts), [1, 1])
        expectEqual(again.map(\.refusals), [1, 0])
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A lease ends, and its late holder does not free the event`(backend: StoreBackend) async throws {
        let store = try await open(backend)
        try await insert(["ada"], into: store)
        let late = try await claim(store)
        try await expectEqual(claim(store, at: noon + 29).count, 0)
        try await expectEqual(claim(store, at: noon + 31).count, 1)
        try await store.settle(
            [(late[0], .failed(isRefusal: true, nextAttempt: noon))], leasedUntil: noon + 30, at: noon + 32)
        try await expectEqual(claim(store, at: noon + 33).count, 0)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `An event that is given up is in the audit log, and told to no listener`(backend: StoreBackend) async throws {
        let (store, audit) = try await backend.open()
        try await store.tell([Self.crm, Self.log])
        try await insert(["ada"], into: store)
        let event = try #require(try await claim(store).first)
        try await store.settle([(event, .abandoned)], leasedUntil: noon + 30, at: noon)
        let last = try await audit().last
        expectEqual(last?.event, "event.undelivered")
        expectEqual(last?.accountID, "ada")
        expectEqual(last?.detail, "crm account.created \(event.record.eventID)")
        try await expectEqual(claim(store, "log").map(\.record.event), ["account.created"])
        try await expectEqual(store.eventBacklog(of: "log").count, 1)
        try await expectEqual(store.eventBacklog(of: "crm").count, 0)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `The events of a listener that no longer exists are removed`(backend: StoreBackend) async throws {
        let (store, audit) = try await backend.open()
        try await store.tell([Self.crm, Self.log])
        try await insert(["ada", "bob"], into: store)
        try await store.removeEvents(ofAllBut: ["log"], at: noon)
        try await expectEqual(store.eventBacklog().count, 2)
        try await expectEqual(audit().last?.detail, "2 of crm: no listener")
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `Of too many events the oldest are given up`(backend: StoreBackend) async throws {
        let store = try await open(backend, [Self.crm])
        for (index, name) in ["ada", "bob", "eve"].enumerated() {
            try await insert([name], into: store, at: noon + Double(index))
        }
        try await store.abandonOldest(of: "crm", keeping: 1, because: "too many wait", at: noon + 9)
        try await expectEqual(claim(store, at: noon + 9).map(\.record.accountID), ["eve"])
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A replay has the identifiers of the first time, in order, and repeats no event that waits`(
        backend: StoreBackend
    ) async throws {
        let store = try await open(backend)
        try await insert(["ada"], into: store)
        try await store.audit("account.two", account: "ada", detail: nil, at: noon + 10)
        var told: [EventDelivery] = []
        for _ in 0..<2 {
            let claimed = try await claim(store, at: noon + 10)
            told += claimed
            try await accept(claimed, in: store, at: noon + 10)
        }
        try await store.audit("account.three", account: "ada", detail: nil, at: noon + 20)
        let end = try await store.lastAuditEntry()
        let replayed = try await store.replayEvents(
            to: Self.crm, since: noon + 5, after: 0, through: end, at: noon + 30, where: { _ in true })
        expectEqual(replayed.count, 2)
        expectEqual(replayed.position, end)
        let rest = try await store.replayEvents(
            to: Self.crm, since: noon, after: end, through: end, at: noon + 30, where: { _ in true })
        expectEqual(rest.position, nil)
        try await expectEqual(store.eventBacklog(of: "crm").count, 2)
        let again = try await claim(store, at: noon + 30)
        expectEqual(again.map(\.record.eventID), [told[1].record.eventID])
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A write reports the listeners of its events once it is durable`(backend: StoreBackend) async throws {
        let store = try await open(backend)
        let (names, continuation) = AsyncStream.makeStream(of: Set<String>.self)
        store.onEvents { continuation.yield($0) }
        await #expect(throws: IdentityError.self) {
            try await store.write { db throws(IdentityError) -> Void in
                try db.audit("account.lost", account: nil, at: noon)
                throw .overloaded
            }
        }
        try await store.audit("key.created", account: nil, detail: nil, at: noon)
        try await insert(["ada"], into: store)
        continuation.finish()
        var reported: [Set<String>] = []
        for await listeners in names { reported.append(listeners) }
        expectEqual(reported, [["log"], ["crm", "log"]])
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `Many workers tell each event once, in the order of its account`(backend: StoreBackend) async throws {
        let store = try await open(backend, [Self.log])
        let accounts = (0..<8).map { "account\($0)" }
        try await insert(accounts, into: store)
        let told = Told()
        try await withThrowingTaskGroup { group in
            for account in accounts {
                group.addTask {
                    for number in 0..<12 {
                        try await store.audit("account.changed", account: account, detail: "\(number)", at: noon)
                    }
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    while await told.count < 8 * 13 {
                        let events = try await self.claim(store, "log", atMost: 3)
                        await told.add(events.map(\.record))
                        try await self.accept(events, in: store)
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        for account in accounts {
            let events = await told.records.filter { $0.accountID == account }
            expectEqual(events.first?.event, "account.created")
            expectEqual(events.dropFirst().compactMap(\.detail), (0..<12).map { "\($0)" })
        }
        await store.close()
    }
}

private actor Kept {
    private var audits: [@Sendable () async throws -> [AuditEntry]] = []

    func add(_ audit: @escaping @Sendable () async throws -> [AuditEntry]) { audits.append(audit) }
}

/// The events that workers have told.
private actor Told {
    private(set) var records: [AuditRecord] = []
    var count: Int { records.count }

    func add(_ more: [AuditRecord]) { records += more }
}
