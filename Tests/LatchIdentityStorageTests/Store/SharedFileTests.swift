// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchTesting
import Testing

@testable import LatchIdentity

@Suite struct SharedFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Work on threads of its own: opening a store blocks, and the threads of tasks are few.
    private func atOnce<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable () -> Result
    ) async -> [Result] {
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread { continuation.resume(returning: body()) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test
    func `Servers that share a file make it together when they start at once, and none of them fails`() async throws {
        for round in 0..<5 {
            let path = folder.file("store-\(round).sqlite")
            let opened = await atOnce(6) { Result { try IdentityStore(path: path) } }
            for result in opened { #expect(throws: Never.self) { try result.get() } }
            let stores = opened.compactMap { try? $0.get() }
            let account = try Account.example()
            try await stores.first?.insert(account)
            for store in stores { try await expectEqual(store.account(id: account.id), account) }
            for store in stores { await store.close() }
        }
    }

    @Test
    func `Servers that share a file lose ended rows in several commits, so that others write in between`() async throws
    {
        let store = try IdentityStore(path: folder.file())
        let connection = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try connection.run(
            """
            INSERT INTO spent_sign_in (digest, expires_at)
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
            SELECT CAST(i AS BLOB), CASE WHEN i <= 11000 THEN 1 ELSE 4000000000000 END FROM n
            """)
        let commits = store.writeStatistics.commits
        try await store.prune(endedBefore: noon)
        let left = try connection.first("SELECT count(*) FROM spent_sign_in") { row throws(IdentityError) in
            try row.integer(0)
        }
        expectEqual(left, 1000)
        #expect(store.writeStatistics.commits >= commits + 3)
        await store.close()
    }

    @Test func `Servers that share a file close while another one reads, and lose nothing of the log`() async throws {
        let store = try IdentityStore(path: folder.file())
        let account = try Account.example()
        try await store.insert(account)
        let reader = try SQLiteConnection(path: folder.file(), access: .readOnly)
        try reader.run("BEGIN")
        _ = try reader.first("SELECT count(*) FROM account") { row throws(IdentityError) in try row.integer(0) }
        let other = try Account.example("eve")
        try await store.insert(other)
        await store.close()
        try reader.run("COMMIT")
        let again = try IdentityStore(path: folder.file())
        for one in [account, other] { try await expectEqual(again.account(id: one.id), one) }
        await again.close()
    }

    @Test func `Servers that share a file sign with the same key and take each other's tokens`() async throws {
        let store = try IdentityStore(path: folder.file())
        let proposals = (0..<8).map { StoredKey(id: "key \($0)", privateJWK: [UInt8($0)], createdAt: noon) }
        let kept = try await withThrowingTaskGroup { group in
            for key in proposals { group.addTask { try await store.signingKeys(proposing: key) } }
            return try await group.reduce(into: Set<[StoredKey]>()) { $0.insert($1) }
        }
        expectEqual(kept.count, 1)
        expectEqual(kept.first?.count, 1)
        try await expectEqual(store.signingKeys(), kept.first)
        await store.close()
    }

    @Test func `Servers that share a file name their key by its own thumbprint`() async throws {
        let site = try await Site()
        let keys = try #require(try await site.get("/.well-known/jwks.json").json["keys"]?.arrayValue)
        let stored = try await site.identity.services.store.signingKeys()
        expectEqual(keys.count, 1)
        expectEqual(keys[0]["kid"]?.stringValue, stored.first?.id)
        let second = try await Site(in: site.folder)
        try await site.signUp()
        let token = try await site.logIn().access
        try await expectEqual(second.get("/user/profile", bearer: token).status, 200)
        await second.close()
        await site.close()
    }
}

@Suite struct RemovedStoreFileTests {
    let folder: TemporaryFolder
    let store: IdentityStore
    let device: Device

    init() async throws {
        folder = try TemporaryFolder()
        (store, _, device) = try await IdentityStore.populated(in: folder)
    }

    @Test(arguments: [false, true])
    func `A removed store file stops all writing, instead of acknowledging lost writes`(isReplaced: Bool) async throws {
        try FileManager.default.moveItem(atPath: folder.file(), toPath: folder.file("aside.sqlite"))
        if isReplaced { #expect(FileManager.default.createFile(atPath: folder.file(), contents: Data())) }
        let error = await #expect(throws: IdentityError.self) { try await store.rotation(.of(device)) }
        expectEqual(error?.code, IdentityError.storeMoved.code)
        expectEqual(error?.hint?.contains("Put the file back"), true)
        await #expect(throws: IdentityError.self) { try await store.checkHealth(at: noon) }
        if isReplaced { try FileManager.default.removeItem(atPath: folder.file()) }
        try FileManager.default.moveItem(atPath: folder.file("aside.sqlite"), toPath: folder.file())
        // Nothing was rotated meanwhile, and all goes on once the file is back.
        try await expectEqual(store.rotation(.of(device)), .rotated(counter: 1))
        await store.close()
    }

    @Test func `A removed store file is not a reason to sign a user out`() async throws {
        try FileManager.default.moveItem(atPath: folder.file(), toPath: folder.file("aside.sqlite"))
        let other = try IdentityStore(path: folder.file())
        try await expectNil(other.device(id: device.id))
        // "There is no such device" would be true of the file at this path, and wrong.
        let error = await #expect(throws: IdentityError.self) { try await store.device(id: device.id) }
        expectEqual(error?.code, IdentityError.storeMoved.code)
        await other.close()
        await store.close()
    }

    @Test func `A removed store file is still visible to readers that had it open`() async throws {
        try await expectEqual(store.device(id: device.id), device)
        try FileManager.default.moveItem(atPath: folder.file(), toPath: folder.file("aside.sqlite"))
        try await expectEqual(store.device(id: device.id), device)
        await store.close()
    }

    /// WiseLibs/better-sqlite3#1237, nfrastack/db-backup#423: a tool for backups removes the log of a running server.
    @Test func `A removed log of a store file loses no acknowledged write`() async throws {
        try await expectEqual(store.rotation(.of(device)), .rotated(counter: 1))
        try FileManager.default.removeItem(atPath: folder.file() + "-wal")
        let error = await #expect(throws: IdentityError.self) { try await store.checkHealth(at: noon) }
        expectEqual(error?.code, IdentityError.storeMoved.code)
        // As after a kill, since closing would move the log into the file by itself.
        let copy = folder.file("copy.sqlite")
        try FileManager.default.copyItem(atPath: folder.file(), toPath: copy)
        let next = try IdentityStore(path: copy)
        try await expectEqual(next.device(id: device.id)?.counter, 1)
        await next.close()
        await store.close()
    }

    @Test func `A replaced store file is left as an operator has put it there`() async throws {
        let url = URL(fileURLWithPath: folder.file())
        let backup = try Data(contentsOf: url)
        try await expectEqual(store.rotation(.of(device)), .rotated(counter: 1))
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: backup)
        try handle.truncate(atOffset: UInt64(backup.count))
        try handle.close()
        try FileManager.default.removeItem(atPath: folder.file() + "-wal")
        await #expect(throws: IdentityError.storeMoved) { try await store.checkHealth(at: noon) }
        try expectEqual(Data(contentsOf: url), backup)
        await store.close()
    }

    @Test func `A removed store file makes the health check fail`() async throws {
        let site = try await Site()
        try await expectEqual(site.get("/healthz").status, 200)
        try FileManager.default.moveItem(atPath: site.folder.file(), toPath: site.folder.file("aside.sqlite"))
        site.clock.advance(by: 1)
        let answer = try await site.get("/healthz")
        expectEqual(answer.status, 503)
        expectEqual(answer.string("code"), "storeMoved")
        #expect(!answer.text.contains(site.folder.path))
        await site.close()
    }
}
