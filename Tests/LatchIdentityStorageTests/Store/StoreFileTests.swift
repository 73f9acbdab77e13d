// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import Synchronization
import Testing

@testable import LatchIdentity

@Suite struct StoreFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func opening(_ path: String? = nil) -> IdentityError? {
        do throws(IdentityError) {
            _ = try IdentityStore(path: path ?? folder.file(), busyTimeout: .milliseconds(20))
            return nil
        } catch {
            return error
        }
    }

    @Test func `The file of a store is readable only by its owner, and so are the logs beside it`() async throws {
        let (store, _, _) = try await IdentityStore.populated(in: folder)
        try expectEqual(folder.names(), [".store.sqlite.lock", "store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
        for name in try folder.names() { try expectEqual(folder.permissions(of: name), 0o600) }
        await store.close()
    }

    @Test func `The file of a store has a lock that belongs to its owner, also if root's command comes first`() throws {
        let path = folder.file("owned.sqlite")
        try SQLiteFile.prepare(path, knownSchema: 1, applicationID: 1)
        let owner: uid_t = getuid() == 0 ? 65_534 : getuid()
        expectEqual(chown(path, owner, getgid()), 0)
        let holder = try #require(SQLiteFile.hold(path))
        var entry = stat()
        #expect(lstat(folder.file(".owned.sqlite.lock"), &entry) == 0 && entry.st_uid == owner)
        #expect(SQLiteFile.isOpen(path))
        holder.release()
        #expect(!SQLiteFile.isOpen(path))
    }

    @Test func `The file of a store opens without its lock if that is not a file, or is held elsewhere`() throws {
        let path = folder.file("kept.sqlite")
        let lock = folder.file(".kept.sqlite.lock")
        expectEqual(mkfifo(lock, 0o600), 0)
        expectNil(SQLiteFile.hold(path))
        try FileManager.default.removeItem(atPath: lock)
        let holder = try FileLock(lock).tryAcquire()
        #expect(holder != nil && SQLiteFile.hold(path) == nil)
        holder?.release()
        #expect(SQLiteFile.hold(path) != nil)
    }

    @Test func `The file of a store has no companion once its store is closed`() async throws {
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        #expect(try await store.account(id: account.id) != nil)
        await store.close()
        try expectEqual(folder.names(), [".store.sqlite.lock", "store.sqlite"])
        withExtendedLifetime(store) {}
    }

    @Test func `The file of a store is read only at its header, however large it is`() async throws {
        let store = try IdentityStore(path: folder.file())
        await store.close()
        // Sparse: no byte of the terabyte is on the disk.
        try #require(truncate(folder.file(), 1 << 40) == 0)
        try SQLiteFile.prepare(
            folder.file(), knownSchema: SQLiteSchema.latest, applicationID: SQLiteSchema.applicationID)
    }

    @Test func `The file of a store is at no moment open to other users`() throws {
        let path = folder.file("new.sqlite")
        let isDone = Mutex(false)
        let loosest = Mutex<mode_t>(0)
        let watcher = Thread {
            while !isDone.withLock({ $0 }) {
                var entry = stat()
                if lstat(path, &entry) == 0 { loosest.withLock { $0 |= entry.st_mode & 0o777 } }
            }
        }
        watcher.start()
        var count = 0
        // On a busy machine the watcher may not have looked yet.
        while count < 2000 || loosest.withLock({ $0 }) == 0 {
            try SQLiteFile.prepare(path, knownSchema: 1, applicationID: 1)
            try FileManager.default.removeItem(atPath: path)
            count += 1
        }
        isDone.withLock { $0 = true }
        expectEqual(loosest.withLock { $0 }, 0o600)
    }

    @Test func `The file of a store that other users can read is closed to them, with its logs`() async throws {
        let (store, _, _) = try await IdentityStore.populated(in: folder)
        for name in try folder.names() { try folder.setPermissions(0o664, of: folder.file(name)) }
        let second = try IdentityStore(path: folder.file())
        try expectEqual(folder.names().count, 4)
        for name in try folder.names() { try expectEqual(folder.permissions(of: name), 0o600) }
        await second.close()
        await store.close()
    }

    @Test func `A foreign file that other users can read keeps its permissions`() throws {
        try Data("text".utf8).write(to: URL(filePath: folder.file()))
        try folder.setPermissions(0o644, of: folder.file())
        expectEqual(opening()?.code, IdentityError.notADatabase.code)
        try expectEqual(folder.permissions(of: "store.sqlite"), 0o644)
    }

    @Test func `The file of a store can be in a linked folder, as systemd makes them, and is not a link itself`()
        async throws
    {
        try FileManager.default.createDirectory(atPath: folder.file("private"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.file("state"), withDestinationPath: "private")
        let store = try IdentityStore(path: folder.file("state/store.sqlite"))
        try await store.checkHealth(at: .now)
        await store.close()
        try expectEqual(folder.names().sorted(), ["private", "state"])
        #expect(FileManager.default.fileExists(atPath: folder.file("private/store.sqlite")))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.sqlite"), withDestinationPath: "private/store.sqlite")
        expectEqual(opening(folder.file("link.sqlite"))?.code, "storeUnavailable")
    }

    @Test func `The file of a store keeps everything over a restart`() async throws {
        let (store, account, device) = try await IdentityStore.populated(in: folder)
        await store.close()
        let again = try IdentityStore(path: folder.file())
        try await expectEqual(again.account(id: account.id), account)
        try await expectEqual(again.device(id: device.id), device)
        await again.close()
    }

    @Test
    func `The file of a store keeps every acknowledged write when the process ends without closing`() async throws {
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        // A copy of the files while the store is open is what a crash leaves behind.
        let copy = try TemporaryFolder()
        for name in ["store.sqlite", "store.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name))
        }
        await store.close()
        let again = try IdentityStore(path: copy.file())
        try await expectEqual(again.account(id: account.id), account)
        await again.close()
    }

    /// openclaw/openclaw#112950.
    @Test
    func `The file of a store has a log that becomes small again after a reader that read for long`() async throws {
        let store = try IdentityStore(path: folder.file())
        func fill() async throws {
            _ = try await store.write { db throws(IdentityError) in
                try db.run("INSERT INTO filler VALUES (zeroblob(1048576))")
            }
        }
        _ = try await store.write { db throws(IdentityError) in try db.run("CREATE TABLE filler (content BLOB)") }
        let reader = try SQLiteConnection(path: folder.file(), access: .readOnly)
        try reader.run("BEGIN")
        _ = try reader.number("SELECT count(*) FROM filler")
        for _ in 0..<12 { try await fill() }
        #expect(try folder.bytes(of: "store.sqlite-wal").count > 12 << 20)
        try reader.run("COMMIT")
        reader.close()
        for _ in 0..<3 { try await fill() }
        #expect(try folder.bytes(of: "store.sqlite-wal").count <= 8 << 20)
        await store.close()
    }

    @Test func `The file of a store of a newer schema is refused with a hint and left byte for byte`() async throws {
        let store = try IdentityStore(path: folder.file())
        await store.close()
        let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try raw.run("PRAGMA user_version = 99")
        try raw.run("PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try folder.bytes()
        let error = try #require(opening())
        expectEqual(error.code, IdentityError.newerSchema.code)
        #expect(error.message.contains("99"))
        #expect(error.hint != nil)
        try expectEqual(folder.bytes(), before)
    }

    @Test func `The file of a store of a newer schema that is still in the log is also refused`() async throws {
        let store = try IdentityStore(path: folder.file())
        await store.close()
        let raw = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try raw.run("PRAGMA user_version = 99")
        expectEqual(opening()?.code, IdentityError.newerSchema.code)
    }

    @Test(arguments: ["not a database at all", String(repeating: "text, and much of it ", count: 400)])
    func `The file of a store that is something else is refused and left unchanged`(content: String) throws {
        try Data(content.utf8).write(to: URL(filePath: folder.file()))
        expectEqual(opening()?.code, IdentityError.notADatabase.code)
        try expectEqual(folder.bytes(), Data(content.utf8))
        try expectEqual(folder.names(), ["store.sqlite"])
    }

    @Test func `The file of a store of another program is refused and left unchanged`() throws {
        do {
            let other = try SQLiteConnection(path: folder.file(), access: .readWrite)
            try other.run("CREATE TABLE theirs (x)")
        }
        let before = try folder.bytes()
        expectEqual(opening()?.code, IdentityError.notADatabase.code)
        try expectEqual(folder.bytes(), before)
    }

    @Test func `The file of a store with damaged pages is reported and never deleted`() async throws {
        let (store, _, _) = try await IdentityStore.populated(in: folder)
        await store.close()
        var bytes = try folder.bytes()
        for index in 4096..<bytes.count { bytes[index] = 0x5A }
        try bytes.write(to: URL(filePath: folder.file()))
        let error = try #require(opening())
        expectEqual(error.code, IdentityError.corruptStore.code)
        expectEqual(error.hint?.contains("restore"), true)
        try expectEqual(folder.bytes().count, bytes.count)
    }

    @Test func `The file of a store that was cut off is reported and never deleted`() async throws {
        let (store, _, _) = try await IdentityStore.populated(in: folder)
        await store.close()
        let bytes = try folder.bytes()
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: folder.file()))
        expectEqual(opening()?.code, IdentityError.corruptStore.code)
        try expectEqual(folder.bytes(), bytes.prefix(bytes.count / 2))
    }

    @Test func `The file of a store that is read-only is reported, also for root`() async throws {
        let store = try IdentityStore(path: folder.file())
        await store.close()
        let before = try folder.bytes()
        try folder.setPermissions(0o400, of: folder.file())
        let error = try #require(opening())
        expectEqual(error.code, IdentityError.readOnlyStore.code)
        #expect(error.hint != nil)
        try expectEqual(folder.bytes(), before)
    }

    @Test func `The file of a store in a read-only folder is reported`() throws {
        try folder.setPermissions(0o500, of: folder.path)
        defer { try? folder.setPermissions(0o700, of: folder.path) }
        expectEqual(opening()?.code, IdentityError.readOnlyStore.code)
        #expect(try folder.names().isEmpty)
    }

    @Test func `The file of a store in a folder that does not exist is reported with the folder's name`() {
        let error = opening(folder.file("missing/store.sqlite"))
        expectEqual(error?.code, IdentityError.storeUnavailable.code)
        expectEqual(error?.message.contains("missing"), true)
    }

    @Test func `The file of a store cannot be a folder`() {
        expectEqual(opening(folder.path)?.code, IdentityError.storeUnavailable.code)
    }

    @Test func `The file of a store that is held by another process is reported as busy`() async throws {
        let store = try IdentityStore(path: folder.file(), busyTimeout: .milliseconds(20))
        let other = try SQLiteConnection(path: folder.file(), access: .readWrite)
        try other.run("BEGIN IMMEDIATE")
        await #expect { try await store.checkHealth(at: noon) } throws: { error in
            if case IdentityError.storeBusy = error { true } else { false }
        }
        try other.run("ROLLBACK")
        try await store.checkHealth(at: noon)
        await store.close()
    }
}
