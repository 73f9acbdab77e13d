// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchTesting
import TestSupport
import Testing

@testable import LatchIdentity

@Suite struct BackupTests {
    /// A store and its backup.
    private struct Made {
        let fixture: TransferFixture
        let folder: TemporaryFolder
        var path: String { folder.file("backup") }
        var target: String { folder.file("new.sqlite") }

        init(storedAt location: String? = nil, key: BackupKey? = nil) async throws {
            folder = try TemporaryFolder()
            fixture = try await TransferFixture(storedAt: location)
            _ = try await StoreAdministration.plain().backUp(
                fixture.location, to: path, key: try key ?? BackupKey(hex: keyOfTests))
        }

        func restore(key: BackupKey? = nil) async throws -> StoreContent {
            try await StoreAdministration.plain().restore(
                from: path, to: target, key: try key ?? BackupKey(hex: keyOfTests))
        }

        /// Expects an error of both the verification and the restoration, which leaves nothing.
        func refuses(_ error: IdentityError, key: BackupKey? = nil) async throws {
            let before = try folder.names()
            await #expect(throws: error) { try await restore(key: key) }
            await #expect(throws: error) {
                try await StoreAdministration.plain().verify(path, key: try key ?? BackupKey(hex: keyOfTests))
            }
            try expectEqual(folder.names(), before)
        }

        func change(_ body: (inout [UInt8]) -> Void) throws {
            var bytes = Array(try folder.bytes(of: "backup"))
            body(&bytes)
            try Data(bytes).write(to: URL(filePath: path))
        }
    }

    @Test func `A backup has every row, and nothing readable`() async throws {
        let made = try await Made()
        try expectEqual(made.folder.names(), ["backup"])
        try expectEqual(made.folder.permissions(of: "backup"), 0o600)
        let bytes = try made.folder.bytes(of: "backup")
        for text in ["ada@example.com", "account", "argon2id", "spent_sign_in"] {
            expectNil(bytes.firstRange(of: Data(text.utf8)))
        }
        let verified = try await StoreAdministration.plain().verify(made.path, key: try BackupKey(hex: keyOfTests))
        let restored = try await made.restore()
        #expect(restored.counts.elementsEqual(verified.counts) { $0 == $1 } && restored.log == verified.log)
        let (before, after) = (
            try TransferFixture.summaries(of: made.fixture.location), try TransferFixture.summaries(of: made.target)
        )
        expectEqual(before.filter { $0.table.name != "audit" }, after.filter { $0.table.name != "audit" })
        await made.fixture.site.close()
        let site = try await Site(storedAt: made.target)
        try await expectEqual(site.renew(made.fixture.login.refresh).status, 200)
        if case .intact = try await site.identity.audit.verify() {} else { Issue.record("the log is damaged") }
        await site.close()
    }

    @Test func `A backup of an earlier version is restored without the obsolete rows`() async throws {
        let (fixture, folder) = (try await TransferFixture(), try TemporaryFolder())
        await fixture.site.close()
        try TransferFixture.addSample(to: fixture.location)
        let (path, key) = (folder.file("backup"), try BackupKey(hex: keyOfTests))
        let log = try await StoreAdministration.plain().backUp(
            fixture.location, to: folder.file("new"), key: key
        ).log
        try StoreConnections.snapshot(of: fixture.location) { db throws(IdentityError) in
            let writer = try BackupWriter(path, key: key)
            try writer.begin(log)
            _ = try StoreRows(db: db).send(StoreTable.all + StoreTable.retired, to: writer)
            try writer.publish()
        }
        let verified = try await StoreAdministration.plain().verify(path, key: key)
        let restored = try await StoreAdministration.plain().restore(
            from: path, to: folder.file("new.sqlite"), key: key)
        for content in [verified, restored] {
            #expect(content.leftOut.map(\.table) == ["sample_item"] && content.leftOut.map(\.rows) == [1])
            #expect(!content.counts.contains { $0.table == "sample_item" })
        }
        try expectEqual(TransferFixture.summaries(of: folder.file("new.sqlite")).count, StoreTable.all.count)
    }

    @Test(needsPostgres, arguments: [false, true])
    func `A backup leaves the rows of an earlier version out, as a copy does, and says so`(isDatabase: Bool)
        async throws
    {
        let location = isDatabase ? try await IdentityDatabase.create() : nil
        let (fixture, folder) = (try await TransferFixture(storedAt: location), try TemporaryFolder())
        await fixture.site.close()
        try TransferFixture.addSample(to: fixture.location)
        let administration = try StoreAdministration.plain()
        let key = try BackupKey(hex: keyOfTests)
        for content in [
            try await administration.backUp(fixture.location, to: folder.file("backup"), key: key),
            try await administration.copy(from: fixture.location, to: folder.file("copy.sqlite")),
        ] {
            #expect(content.leftOut.map(\.table) == ["sample_item"] && content.leftOut.map(\.rows) == [1])
        }
        let verified = try await administration.verify(folder.file("backup"), key: key)
        #expect(verified.leftOut.isEmpty)
    }

    @Test(needsPostgres) func `A backup of either database is restored to the other`() async throws {
        let made = try await Made(storedAt: try await IdentityDatabase.create())
        _ = try await made.restore()
        let tables = { (location: String) in
            try TransferFixture.summaries(of: location).filter { $0.table.name != "audit" }
        }
        let expected = try tables(made.fixture.location)
        try expectEqual(tables(made.target), expected)
        let address = try await IdentityDatabase.create()
        _ = try await StoreAdministration.plain().restore(
            from: made.path, to: address, key: try BackupKey(hex: keyOfTests))
        try expectEqual(tables(address), expected)
        await #expect(throws: IdentityError.storeNotEmpty) {
            try await StoreAdministration.plain().restore(
                from: made.path, to: address, key: try BackupKey(hex: keyOfTests))
        }
    }

    @Test(needsPostgres) func `A backup is one moment of a database to which two nodes write`() async throws {
        let location = try await IdentityDatabase.create()
        let (fixture, folder) = (try await TransferFixture(storedAt: location), try TemporaryFolder())
        let second = try await Site(storedAt: location)
        let before = try TransferFixture.summaries(of: location)
        let key = try BackupKey(hex: keyOfTests)
        let (accountsWritten, continuation) = AsyncStream.makeStream(of: Void.self)
        let nodesHaveWritten = DispatchSemaphore(value: 0)
        let writing = Task {
            defer { nodesHaveWritten.signal() }
            for await _ in accountsWritten.prefix(1) {}
            // Their devices come after the accounts, and their entries of the audit log are the last table.
            for (name, site) in [("eve", fixture.site), ("mallory", second)] {
                try await site.signUp("\(name)@example.com")
                try await expectEqual(site.logIn("\(name)@example.com").status, 200)
            }
        }
        let administration = try StoreAdministration(storeKey: nil, clock: ManualClock(noon).wallClock()) { table, _ in
            guard table == "account" else { return }
            continuation.yield()
            nodesHaveWritten.wait()
        }
        let content = try await administration.backUp(location, to: folder.file("backup"), key: key)
        try await writing.value
        expectEqual(content.counts.map(\.rows), before.map(\.count))
        for site in [fixture.site, second] { await site.close() }
        _ = try await StoreAdministration.plain().verify(folder.file("backup"), key: key)
        _ = try await StoreAdministration.plain().restore(
            from: folder.file("backup"), to: folder.file("new.sqlite"), key: key)
        let restored = try SQLiteConnection(path: folder.file("new.sqlite"), access: .readOnly)
        let orphans = "SELECT count(*) FROM device WHERE account_id NOT IN (SELECT id FROM account)"
        try expectEqual(restored.number(orphans), 0)
        let site = try await Site(storedAt: folder.file("new.sqlite"))
        if case .intact = try await site.identity.audit.verify() {} else { Issue.record("the log is damaged") }
        try await expectEqual(site.renew(fixture.login.refresh).status, 200)
        await site.close()
    }

    @Test func `A backup opens only with its passphrase`() async throws {
        let cost = try Argon2Parameters(memoryKiB: 64, passes: 1)
        let made = try await Made(key: BackupKey(passphrase: "a horse walks in", cost: cost))
        try await made.refuses(.wrongBackupKey, key: BackupKey(passphrase: "a horse walks out", cost: cost))
        try await made.refuses(.wrongBackupKey)
        _ = try await made.restore(key: BackupKey(passphrase: "a horse walks in"))
    }

    @Test func `A backup with a header that demands a gigabyte is refused before it costs anything`() async throws {
        let cost = try Argon2Parameters(memoryKiB: 64, passes: 1)
        let made = try await Made(key: BackupKey(passphrase: "a horse walks in", cost: cost))
        try made.change { bytes in
            let text = String(decoding: bytes.prefix(256), as: UTF8.self)
            let lines = text.components(separatedBy: "\n").prefix(2).joined(separator: "\n")
            let forged = lines.replacingOccurrences(of: "m=64,t=1,p=1", with: "m=1048576,t=16,p=1")
            bytes.replaceSubrange(..<lines.utf8.count, with: forged.utf8)
        }
        try await made.refuses(.notABackup, key: BackupKey(passphrase: "a horse walks in"))
    }

    @Test(arguments: ["x", "1234567"])
    func `A backup is not made with a passphrase that is easily guessed`(passphrase: String) async throws {
        let fixture = try await Made()
        let error = await #expect(throws: IdentityError.self) {
            try await StoreAdministration.plain().backUp(
                fixture.fixture.location, to: fixture.folder.file("weak"), key: BackupKey(passphrase: passphrase))
        }
        #expect(error?.code == IdentityError.invalidInput("").code && error?.message.contains("8") == true)
        #expect(!(try fixture.folder.names()).contains("weak"))
    }

    @Test func `A backup does not open with another key, and overwrites no file`() async throws {
        let made = try await Made()
        try await made.refuses(.wrongBackupKey, key: try BackupKey(hex: String(repeating: "1f", count: 32)))
        await #expect(throws: IdentityError.fileFailed) {
            try await StoreAdministration.plain().backUp(
                made.fixture.location, to: made.path, key: try BackupKey(hex: keyOfTests))
        }
        _ = try await made.restore()
        await #expect(throws: IdentityError.storeNotEmpty) { try await made.restore() }
    }

    @Test func `A backup is refused if it was cut, changed, reordered or is of another format`() async throws {
        let made = try await Made()
        let whole = Array(try made.folder.bytes(of: "backup"))
        let head = try #require(whole.indices.filter { whole[$0] == 0x0A }.dropFirst().first) + 1
        let chunk = BackupChunks.size + BackupChunks.overhead
        let original: (inout [UInt8]) -> Void = { $0 = whole }
        let cases: [(IdentityError, (inout [UInt8]) -> Void)] = [
            (.damagedBackup, { $0.removeLast() }),
            (.damagedBackup, { $0.append(0) }),
            (.damagedBackup, { $0[head] ^= 1 }),
            (.damagedBackup, { $0[$0.count - 1] ^= 1 }),
            (.truncatedBackup, { $0.removeLast($0.count - head) }),
            (.notABackup, { $0[0] ^= 1 }),
            (.newerBackup, { $0[13] = UInt8(ascii: "2") }),
            (.notABackup, { $0 = [] }),
        ]
        for (error, change) in cases {
            try made.change(change)
            try await made.refuses(error)
            try made.change(original)
        }
        #expect(whole.count < head + chunk)
        _ = try await made.restore()
    }

    @Test func `A backup has chunks that cannot change their places`() throws {
        let header = try BackupHeader(for: try BackupKey(hex: keyOfTests))
        var writer = BackupChunks(header)
        let first = try writer.seal([1], isLast: false)
        let second = try writer.seal([2], isLast: false)
        let last = try writer.seal([3], isLast: true)
        var reader = BackupChunks(header)
        #expect(throws: IdentityError.damagedBackup) { try reader.open(second, isLast: false) }
        #expect(throws: IdentityError.truncatedBackup) { try reader.open(first, isLast: true) }
        try expectEqual(reader.open(first, isLast: false), [1])
        #expect(throws: IdentityError.damagedBackup) { try reader.open(first, isLast: false) }
        try expectEqual(reader.open(second, isLast: false), [2])
        #expect(throws: IdentityError.damagedBackup) { try reader.open(last, isLast: false) }
        try expectEqual(reader.open(last, isLast: true), [3])
    }

    @Test func `A backup leaves nothing if there is no room for a store or a file`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            let made = try await Made()
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 8_192, rlim_max: 8_192)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            await #expect(throws: IdentityError.self) { try await made.restore() }
            await #expect(throws: IdentityError.fileFailed) {
                try await StoreAdministration.plain().backUp(
                    made.fixture.location, to: made.folder.file("second"), key: try BackupKey(hex: keyOfTests))
            }
            try expectEqual(made.folder.names(), ["backup"])
        }
    }
}

private let keyOfTests = String(repeating: "0f", count: 32)
