// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchCrypto
import LatchTesting
import Testing

@testable import LatchAuth

@Suite struct `Another key for a file of secrets` {
    /// The kinds of keys, each in two versions.
    static func keys(in folder: String) -> [SecretFileKey] {
        let keyring = InMemorySecretStore()
        return [
            .keyFile(path: "\(folder)/one.key"), .keyFile(path: "\(folder)/other.key"),
            .given(SymmetricKey(size: .bits256)), .given(SymmetricKey(size: .bits256)),
            .passphrase(.asking { _ in Array("one".utf8) }, cost: .cheap),
            .passphrase(.asking { _ in Array("other".utf8) }, cost: .cheap), .keyring(keyring), .keyring(keyring),
            .keyring(InMemorySecretStore()),
        ]
    }

    @Test(arguments: 0..<9, 0..<9)
    func `opens what the old one closed, and the old one is denied`(from: Int, to: Int) async throws {
        try await withTemporaryFolder { folder in
            let keys = Self.keys(in: folder)
            let old = EncryptedFileSecretStore(path: "\(folder)/secrets", key: keys[from])
            try await old.write([1], for: "a")
            let before = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/secrets"))
            let new = try await old.rekeyed(to: keys[to])
            #expect(try await new.read("a") == [1])
            try await new.write([2], for: "b")
            #expect(try await EncryptedFileSecretStore(path: "\(folder)/secrets", key: keys[to]).names() == ["a", "b"])
            if from != to, !(from >= 6 && to == from + 1 && to == 7), !(from == 7 && to == 6) {
                await #expect(throws: AuthError.storeDenied) { try await old.read("a") }
                await #expect(throws: AuthError.storeDenied) { try await old.write([3], for: "c") }
            }
            #expect(try await new.names() == ["a", "b"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/secrets")) != before)
        }
    }

    @Test func `of the same key file is a new one, and an old copy of it opens nothing`() async throws {
        try await withTemporaryFolder { folder in
            let (path, key) = ("\(folder)/secrets", URL(fileURLWithPath: "\(folder)/key"))
            let store = EncryptedFileSecretStore(path: path, key: .keyFile(path: key.path))
            try await store.write([1], for: "a")
            let old = try Data(contentsOf: key)
            let rekeyed = try await store.rekeyed(to: .keyFile(path: key.path))
            let new = try Data(contentsOf: key)
            #expect(new.count == 32 && new != old)
            #expect(try await rekeyed.read("a") == [1])
            #expect(try await store.read("a") == [1])
            let stolen = EncryptedFileSecretStore(path: path, key: .given(SymmetricKey(data: Array(old))))
            await #expect(throws: AuthError.storeDenied) { try await stolen.read("a") }
        }
    }

    @Test(arguments: [false, true])
    func `interrupted between two files opens with what is there`(isSealed: Bool) async throws {
        try await withTemporaryFolder { folder in
            let (path, key) = ("\(folder)/secrets", URL(fileURLWithPath: "\(folder)/key"))
            let store = EncryptedFileSecretStore(path: path, key: .keyFile(path: key.path))
            try await store.write([1], for: "a")
            // What a crash leaves: both keys, and the secrets sealed with the one or the other.
            let (old, next) = (
                try Data(contentsOf: key), Data(SymmetricKey(size: .bits256).withUnsafeBytes(Array.init))
            )
            if isSealed { _ = try await store.rekeyed(to: .given(SymmetricKey(data: Array(next)))) }
            try (old + next).write(to: key)
            #expect(try await store.read("a") == [1])
            try await store.write([2], for: "b")
            let again = try await store.rekeyed(to: .keyFile(path: key.path))
            #expect(try await again.names() == ["a", "b"])
            #expect(try Data(contentsOf: key).count == 32)
        }
    }

    @Test func `in a keyring leaves no old key there`() async throws {
        try await withTemporaryFolder { folder in
            let keyring = InMemorySecretStore()
            let store = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyring(keyring))
            try await store.write([1], for: "a")
            let first = keyring.names()
            _ = try await store.rekeyed(to: .keyring(keyring))
            #expect(keyring.names().count == 1 && keyring.names() != first)
            #expect(
                try await EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyring(keyring)).read("a") == [1])
        }
    }

    @Test(arguments: [AuthError.storeLocked, .storeDenied, .storeUnavailable])
    func `that a keyring does not give out locks the file and does not empty it`(error: AuthError) async throws {
        try await withTemporaryFolder { folder in
            let keyring = InMemorySecretStore()
            try await EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyring(keyring)).write([1], for: "a")
            let locked = EncryptedFileSecretStore(
                path: "\(folder)/secrets", key: .keyring(FailingSecretStore(keyring, after: 0, with: error)))
            await #expect(throws: error) { try await locked.read("a") }
            await #expect(throws: error) { try await locked.write([2], for: "a") }
            // Another keyring is another one, and not an empty one.
            let strange = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyring(InMemorySecretStore()))
            let denied = await #expect(throws: AuthError.storeDenied) { try await strange.write([2], for: "a") }
            #expect(denied?.message.contains("not in this keyring") == true)
        }
    }

    @Test func `is made once by many who begin at once`() async throws {
        try await withTemporaryFolder { folder in
            let keyring = InMemorySecretStore()
            for key in [SecretFileKey.keyring(keyring), .keyFile(path: "\(folder)/key")] {
                let path = "\(folder)/\(RandomSource.system.identifier())"
                try await withThrowingTaskGroup { group in
                    for number in 0..<8 {
                        group.addTask {
                            try await EncryptedFileSecretStore(path: path, key: key).write([1], for: "\(number)")
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await EncryptedFileSecretStore(path: path, key: key).names().count == 8)
            }
        }
    }

    @Test func `comes to a file of the first version with the next write`() async throws {
        try await withTemporaryFolder { folder in
            let key = SymmetricKey(size: .bits256)
            let magic = Array("latch-secrets-1\n".utf8)
            let box = try AES.GCM.seal(Array(#"{"a":"AQ"}"#.utf8), using: key, authenticating: magic)
            let file = URL(fileURLWithPath: "\(folder)/secrets")
            try Data(magic + (try #require(box.combined))).write(to: file)
            let store = EncryptedFileSecretStore(path: file.path, key: .given(key))
            #expect(try await store.read("a") == [1])
            try await store.write([2], for: "b")
            #expect(try await store.names() == ["a", "b"])
            #expect(try Data(contentsOf: file).starts(with: Data("latch-secrets-2\nkey ".utf8)))
            let other = EncryptedFileSecretStore(path: "\(folder)/old", key: .given(SymmetricKey(size: .bits256)))
            try Data(magic + (try #require(box.combined))).write(to: URL(fileURLWithPath: "\(folder)/old"))
            await #expect(throws: AuthError.storeCorrupt) { try await other.read("a") }
        }
    }
}
