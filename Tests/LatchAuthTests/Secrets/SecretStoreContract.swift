// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCrypto
import LatchTesting
import Testing

/// A kind of store that must pass the one contract.
enum SecretStoreKind: String, CaseIterable, Sendable {
    case memory, fileWithKeyFile, fileWithGivenKey

    func makeStore(in folder: String) -> any SecretStore {
        switch self {
        case .memory:
            MemorySecretStore()
        case .fileWithKeyFile:
            EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
        case .fileWithGivenKey:
            EncryptedFileSecretStore(path: "\(folder)/secrets", key: .given(SymmetricKey(size: .bits256)))
        }
    }
}

@Suite struct `A secret store, whatever its kind` {
    @Test(arguments: SecretStoreKind.allCases)
    func `P9: gives back what it was given, byte by byte`(kind: SecretStoreKind) async throws {
        try await withTemporaryFolder { folder in
            let store = kind.makeStore(in: folder)
            let secrets: [String: [UInt8]] = [
                "empty": [], "binary": Array(0...255), "name with / and é": Array("text".utf8),
                "large": [UInt8](repeating: 7, count: 100_000),
            ]
            for (name, secret) in secrets { try await store.write(secret, for: name) }
            for (name, secret) in secrets { #expect(try await store.read(name) == secret) }
            #expect(try await store.names() == secrets.keys.sorted())
        }
    }

    @Test(arguments: SecretStoreKind.allCases)
    func `P9: holds nothing at first, overwrites, and forgets more than once`(kind: SecretStoreKind) async throws {
        try await withTemporaryFolder { folder in
            let store = kind.makeStore(in: folder)
            #expect(try await store.read("a") == nil)
            #expect(try await store.names().isEmpty)
            try await store.remove("a")
            try await store.write([1], for: "a")
            try await store.write([2], for: "a")
            try await store.write([3], for: "b")
            #expect(try await store.read("a") == [2])
            try await store.remove("a")
            try await store.remove("a")
            #expect(try await store.read("a") == nil)
            #expect(try await store.read("b") == [3])
        }
    }

    @Test(arguments: SecretStoreKind.allCases)
    func `P9: may be used by many tasks at once`(kind: SecretStoreKind) async throws {
        try await withTemporaryFolder { folder in
            let store = kind.makeStore(in: folder)
            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    group.addTask {
                        try await store.write([UInt8(number)], for: "name-\(number)")
                        _ = try await store.read("name-\(number / 2)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.names().count == 40)
            for number in 0..<40 { #expect(try await store.read("name-\(number)") == [UInt8(number)]) }
        }
    }

    @Test(arguments: SecretStoreKind.allCases)
    func `P9: keeps a session's tokens with their expiry`(kind: SecretStoreKind) async throws {
        try await withTemporaryFolder { folder in
            let store = SecretTokenStore<Tokens>(kind.makeStore(in: folder), name: "auth")
            let tokens = Tokens(
                access: "a", refresh: "r", expiry: Date(timeIntervalSince1970: 1_800_000_000.25), scope: "x")
            try await store.save(tokens)
            #expect(try await store.load() == tokens)
            try await store.clear()
            #expect(try await store.load() == nil)
        }
    }
}
