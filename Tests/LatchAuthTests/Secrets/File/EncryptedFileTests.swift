// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchTesting
import TestTags
import Testing

@Suite struct EncryptedFileTests {
    private let canary = "canary-77aa"

    private func store(in folder: String) -> EncryptedFileSecretStore {
        EncryptedFileSecretStore(path: "\(folder)/deep/er/secrets", key: .keyFile(path: "\(folder)/deep/er/key"))
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test
    func `An encrypted file of secrets belongs to its owner only, and so do its key and its folder`() async throws {
        try await withTemporaryFolder { folder in
            try await store(in: folder).write([1], for: "a")
            try expectEqual(mode("\(folder)/deep/er/secrets"), 0o600)
            try expectEqual(mode("\(folder)/deep/er/key"), 0o600)
            try expectEqual(mode("\(folder)/deep/er"), 0o700)
        }
    }

    @Test func `An encrypted file of secrets shows neither names nor secrets, and nothing twice alike`() async throws {
        try await withTemporaryFolder { folder in
            let store = store(in: folder)
            let path = "\(folder)/deep/er/secrets"
            try await store.write(Array(canary.utf8), for: canary)
            let first = try Data(contentsOf: URL(fileURLWithPath: path))
            try await store.write(Array(canary.utf8), for: canary)
            let second = try Data(contentsOf: URL(fileURLWithPath: path))
            expectNil(first.range(of: Data(canary.utf8)))
            expectNotEqual(first, second)
            try expectEqual(
                FileManager.default.contentsOfDirectory(atPath: "\(folder)/deep/er").sorted(),
                ["key", "secrets", "secrets.lock"])
        }
    }

    @Test(.tags(.tokenStores), arguments: ["flip", "truncate", "empty", "foreign", "append"])
    func `An encrypted file of secrets is corrupt when it was changed, never empty`(damage: String) async throws {
        try await withTemporaryFolder { folder in
            let store = store(in: folder)
            try await store.write(Array(canary.utf8), for: "a")
            let file = URL(fileURLWithPath: "\(folder)/deep/er/secrets")
            var bytes = Array(try Data(contentsOf: file))
            switch damage {
            case "flip": bytes[bytes.count / 2] ^= 1
            case "truncate": bytes.removeLast(5)
            case "empty": bytes = []
            case "foreign": bytes = Array("{\"accessToken\":\"plain\"}".utf8)
            default: bytes.append(0)
            }
            try Data(bytes).write(to: file)
            let error = await #expect(throws: AuthError.storeCorrupt) { try await store.read("a") }
            #expect(error?.hint != nil)
            expectEqual(Array(try Data(contentsOf: file)), bytes)
        }
    }

    @Test(.tags(.tokenStores))
    func `An encrypted file of secrets sets a damaged file aside when something new is stored`() async throws {
        try await withTemporaryFolder { folder in
            let store = store(in: folder)
            let file = URL(fileURLWithPath: "\(folder)/deep/er/secrets")
            for round in 1...2 {
                try await store.write([UInt8(round)], for: "a")
                try Data("damage \(round)".utf8).write(to: file)
                try await store.write([9], for: "b")
                try await expectEqual(store.read("b"), [9])
                try await expectNil(store.read("a"))
            }
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: file.path + ".corrupt")), Data("damage 1".utf8))
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: file.path + ".corrupt-2")), Data("damage 2".utf8))
        }
    }

    @Test(.tags(.tokenStores), arguments: [0, 31, 33])
    func `An encrypted file of secrets with a damaged key is corrupt, and takes a new sign-in under a new key`(
        size: Int
    ) async throws {
        try await withTemporaryFolder { folder in
            let store = store(in: folder)
            let key = "\(folder)/deep/er/key"
            try await store.write([1], for: "a")
            try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: key))
            await #expect(throws: AuthError.storeCorrupt) { try await store.read("a") }
            try await store.write([2], for: "b")
            try await expectEqual(store.read("b"), [2])
            try await expectEqual(store.names(), ["b"])
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: key + ".corrupt")).count, size)
            try expectEqual(mode(key), 0o600)
        }
    }

    @Test
    func `An encrypted file of secrets is denied to another key, and corrupt when its key is gone`() async throws {
        try await withTemporaryFolder { folder in
            let store = store(in: folder)
            try await store.write([1], for: "a")
            let other = EncryptedFileSecretStore(
                path: "\(folder)/deep/er/secrets", key: .given(SymmetricKey(size: .bits256)))
            let before = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/deep/er/secrets"))
            await #expect(throws: AuthError.storeDenied) { try await other.read("a") }
            await #expect(throws: AuthError.storeDenied) { try await other.write([2], for: "a") }
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: "\(folder)/deep/er/secrets")), before)
            try FileManager.default.removeItem(atPath: "\(folder)/deep/er/key")
            await #expect(throws: AuthError.storeCorrupt) { try await store.read("a") }
        }
    }

    @Test func `An encrypted file of secrets is denied, not empty, if it cannot be opened`() async throws {
        try await withTemporaryFolder { folder in
            let store = EncryptedFileSecretStore(path: "\(folder)/link", key: .keyFile(path: "\(folder)/key"))
            // A folder in the file's place cannot be read as a file by any user, root included.
            try FileManager.default.createDirectory(atPath: "\(folder)/link", withIntermediateDirectories: true)
            await #expect(throws: AuthError.storeUnavailable) { try await store.read("a") }
        }
    }

    @Test func `An encrypted file of secrets is denied if the system allows no writing`() async throws {
        try await withTemporaryFolder { folder in
            let store = EncryptedFileSecretStore(path: "/sys/latch/secrets", key: .keyFile(path: "\(folder)/key"))
            let before = try await store.read("a")
            expectNil(before)
            let error = await #expect(throws: AuthError.storeDenied) { try await store.write([1], for: "a") }
            expectEqual(error?.message.contains("/sys/latch"), true)
        }
    }

    /// A process may be forbidden to write files above a size, which fails like a full disk and needs no real one.
    @Test func `An encrypted file of secrets is full, and keeps its content, if there is no room`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                let store = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
                try await store.write([1], for: "a")
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 1_000, rlim_max: 1_000)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                await #expect(throws: AuthError.storeFull) {
                    try await store.write([UInt8](repeating: 1, count: 5_000), for: "b")
                }
                try await expectEqual(store.read("a"), [1])
                try await expectEqual(store.names(), ["a"])
                let files = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(files.allSatisfy { !$0.hasSuffix(".tmp") })
            }
        }
    }

    @Test func `An encrypted file of secrets is shared by several stores in turn`() async throws {
        try await withTemporaryFolder { folder in
            let stores = (0..<8).map { _ in store(in: folder) }
            try await withThrowingTaskGroup { group in
                for (number, store) in stores.enumerated() {
                    group.addTask { for round in 0..<10 { try await store.write([1], for: "\(number)-\(round)") } }
                }
                try await group.waitForAll()
            }
            try await expectEqual(stores[0].names().count, 80)
        }
    }

    @Test func `An encrypted file of secrets reports its damage to a session, which is not a sign-out`() async throws {
        try await withTemporaryFolder { folder in
            let secrets = store(in: folder)
            let store = SecretTokenStore<Tokens>(secrets, name: "auth")
            try await store.save(Tokens(access: canary))
            try Data("torn".utf8).write(to: URL(fileURLWithPath: "\(folder)/deep/er/secrets"))
            let session = Session(store: store) { request in request.credential }
            await #expect(throws: AuthError.storeCorrupt) { try await session.credential() }
            expectEqual(session.currentState, .unavailable(.storeCorrupt))
        }
    }
}

@Suite struct KeychainResultTests {
    @Test(
        .tags(.tokenStores),
        arguments: [
            (-25_308, AuthError.storeLocked), (-25_293, .storeDenied), (-128, .storeDenied), (-34_018, .storeDenied),
            (-61, .storeDenied), (-25_292, .storeDenied), (-26_275, .storeCorrupt), (-34, .storeFull),
            (-25_291, .storeUnavailable), (-36, .storeUnavailable), (-1, .storeUnavailable),
        ] as [(Int32, AuthError)])
    func `The results of Apple's keychain never look like "no account"`(status: Int32, error: AuthError) {
        expectEqual(KeychainStatus.error(for: status), error)
        #expect(KeychainStatus.error(for: status).message.contains("\(status)"))
    }

    @Test func `The results of Apple's keychain name the missing entitlement or passcode, each with its remedy`() {
        let entitlement = KeychainStatus.error(for: -34_018)
        #expect(entitlement.message.contains("no keychain entitlement"))
        expectEqual(entitlement.hint?.contains("Keychain Sharing"), true)
        expectEqual(KeychainStatus.error(for: -61).hint, AuthError.storeDenied.hint)
        expectEqual(KeychainStatus.passcodeMissing, .storeUnavailable)
        expectEqual(KeychainStatus.passcodeMissing.hint?.contains("passcode"), true)
    }
}
