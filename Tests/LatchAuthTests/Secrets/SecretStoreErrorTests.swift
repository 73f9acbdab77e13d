// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Synchronization
import Testing

@testable import LatchAuth

/// The failures of each kind of store, and their errors.
@Suite struct SecretStoreErrorTests {
    static let canary = "canary-4417"

    /// Ways to fail: how the store is made, what is done to it, and what it must say.
    static let failures: [(name: String, error: AuthError)] = [
        ("locked keyring", .storeLocked), ("denied keyring", .storeDenied), ("no bus", .storeUnavailable),
        ("no passphrase", .storeLocked), ("wrong passphrase", .storeDenied), ("empty passphrase", .storeDenied),
        ("lost key", .storeCorrupt), ("short key", .storeCorrupt), ("foreign key", .storeDenied),
        ("torn file", .storeCorrupt), ("foreign file", .storeCorrupt), ("folder in its place", .storeUnavailable),
        ("damaged record of the choice", .storeCorrupt), ("unknown kind", .storeUnavailable),
    ]

    /// A store in that state, over a place where the canary was kept.
    private func store(_ name: String, in folder: String) async throws -> any SecretStore {
        let (path, key) = ("\(folder)/app.secrets", "\(folder)/app.key")
        let fixture = SelectionFixture(folder)
        let passphrase = SecretFileKey.passphrase(.asking { Array(Self.canary.utf8) }, cost: .cheap)
        let isUnderPassphrase = name.hasSuffix("passphrase")
        let file = EncryptedFileSecretStore(path: path, key: isUnderPassphrase ? passphrase : .keyFile(path: key))
        try await file.write(Array(Self.canary.utf8), for: "a")
        func put(_ text: String, _ path: String) throws { try AtomicFile(path).replace(with: Array(text.utf8)) }
        switch name {
        case "locked keyring", "denied keyring", "no bus":
            try put(#"{"kind":"secret-service","reason":"test"}"#, "\(folder)/app.store")
            let errors: [String: AuthError] = ["locked keyring": .storeLocked, "denied keyring": .storeDenied]
            fixture.trouble.withLock { $0 = errors[name] ?? .storeUnavailable }
            return fixture.store()
        case "no passphrase":
            return EncryptedFileSecretStore(path: path, key: .passphrase(.file(path: "\(folder)/none"), cost: .cheap))
        case "wrong passphrase", "empty passphrase":
            try put(name.hasPrefix("wrong") ? "canary-wrong" : "", "\(folder)/pass")
            return EncryptedFileSecretStore(path: path, key: .passphrase(.file(path: "\(folder)/pass"), cost: .cheap))
        case "lost key": try AtomicFile(key).remove()
        case "short key": try put(Self.canary, key)
        case "foreign key": try put(String(repeating: "k", count: 32), key)
        case "torn file": try AtomicFile(path).replace(with: try #require(try AtomicFile(path).read()).dropLast(3))
        case "foreign file": try put("password=\(Self.canary)", path)
        case "folder in its place":
            try AtomicFile(path).remove()
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        case "damaged record of the choice":
            try put("{", "\(folder)/app.store")
            return fixture.store()
        default:
            return fixture.store(["LATCH_SECRET_STORE": "canary-kind"])
        }
        return file
    }

    @Test(arguments: failures.indices)
    func `An error of a secret store has a code and a hint, is not "no account", and shows no secret`(index: Int)
        async throws
    {
        let (name, code) = Self.failures[index]
        try await withTemporaryFolder { folder in
            let store = try await store(name, in: folder)
            for attempt in 0..<2 {
                let error = await #expect(throws: code, "\(name), \(attempt)") { try await store.read("a") }
                expectEqual(error?.hint?.isEmpty, false)
                expectEqual(error?.message.contains(Self.canary), false)
                #expect(!"\(String(reflecting: error))".contains(Self.canary))
            }
            await #expect(throws: code) { try await store.names() }
            let session = Session(store: SecretTokenStore<Tokens>(store, name: "a")) { $0.credential }
            await #expect(throws: code) { try await session.credential() }
            expectEqual(session.currentState, .unavailable(code))
        }
    }

    @Test(arguments: failures.indices)
    func `An error of a secret store destroys nothing, whatever is written afterwards`(index: Int) async throws {
        let (name, code) = Self.failures[index]
        try await withTemporaryFolder { folder in
            let store = try await store(name, in: folder)
            let before = try contents(of: folder)
            do {
                try await store.write([1], for: "b")
                // Only damage gives way, and is kept beside.
                expectEqual(code, .storeCorrupt)
            } catch {
                #expect(error is AuthError)
            }
            let after = Set(try contents(of: folder).values)
            for (file, bytes) in before where file.hasSuffix(".secrets") { #expect(after.contains(bytes)) }
        }
    }

    /// The files of a folder by name.
    private func contents(of folder: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            var isFolder = ObjCBool(false)
            _ = FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder)
            if isFolder.boolValue { continue }
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        return contents
    }

    /// A process may be forbidden to write files above a size, which fails like a full disk and needs no real one.
    @Test(arguments: ["file", "keyring-file"])
    func `An error of a secret store says that the disk is full, and the earlier content stays`(kind: String) async {
        await #expect(processExitsWith: .success) { [kind = kind as String] in
            alarm(120)
            try await withTemporaryFolder { folder in
                let store = SelectionFixture(folder).store(["LATCH_SECRET_STORE": kind])
                try await store.write([1], for: "a")
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 1_500, rlim_max: 1_500)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let error = await #expect(throws: AuthError.storeFull) {
                    try await store.write([UInt8](repeating: 1, count: 5_000), for: "b")
                }
                expectEqual(error?.message.contains(kind), true)
                try await expectEqual(store.read("a"), [1])
                try await expectEqual(store.names(), ["a"])
            }
        }
    }
}
