// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Synchronization
import Testing

@testable import LatchAuth

@Suite struct PassphraseTests {
    private func store(_ folder: String, _ text: String) -> EncryptedFileSecretStore {
        EncryptedFileSecretStore(
            path: "\(folder)/secrets", key: .passphrase(.asking { Array(text.utf8) }, cost: .cheap))
    }

    private func bytes(_ folder: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/secrets")))
    }

    @Test func `A file of secrets under a passphrase is denied to a wrong one, and never overwritten`() async throws {
        try await withTemporaryFolder { folder in
            try await store(folder, "right").write([1], for: "a")
            let before = try bytes(folder)
            let wrong = store(folder, "wrong")
            let error = await #expect(throws: AuthError.storeDenied) { try await wrong.read("a") }
            expectEqual(error?.message.contains("not its passphrase"), true)
            await #expect(throws: AuthError.storeDenied) { try await wrong.write([2], for: "b") }
            await #expect(throws: AuthError.storeDenied) { try await wrong.names() }
            await #expect(throws: AuthError.storeDenied) { try await wrong.remove("a") }
            try expectEqual(bytes(folder), before)
            try await expectEqual(store(folder, "right").read("a"), [1])
        }
    }

    @Test
    func `A file of secrets under a passphrase says its salt and its cost, which cannot be changed unnoticed`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try await store(folder, "right").write([1], for: "a")
            let head = String(decoding: try bytes(folder).prefix(90), as: UTF8.self)
            #expect(head.hasPrefix("latch-secrets-2\npassphrase "))
            #expect(head.contains(" m=8,t=1,p=1 "))
            // Another file has another salt.
            try await store(folder + "/other", "right").write([1], for: "a")
            let other = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/other/secrets"))
            expectNotEqual(Array(other.prefix(90)), Array(try bytes(folder).prefix(90)))
            try FileManager.default.createDirectory(
                atPath: "\(folder)/changed", withIntermediateDirectories: true)
            for index in 16..<90 {
                var changed = try bytes(folder)
                changed[index] ^= 1
                try Data(changed).write(to: URL(fileURLWithPath: "\(folder)/changed/secrets"), options: [])
                let store = store(folder + "/changed", "right")
                let error = await #expect(throws: AuthError.self) { try await store.read("a") }
                #expect([AuthError.storeDenied, .storeCorrupt].contains(error))
            }
        }
    }

    @Test
    func `A file of secrets under a passphrase is asked for once, first to make the file and then to open it`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let asked = Mutex(0)
            let ask = Passphrase.asking {
                asked.withLock { $0 += 1 }
                return Array("p".utf8)
            }
            let path = "\(folder)/secrets"
            let one = EncryptedFileSecretStore(path: path, key: .passphrase(ask, cost: .cheap))
            try await expectNil(one.read("a"))
            for round in UInt8(0)..<5 { try await one.write([round], for: "a") }
            expectEqual(asked.withLock { $0 }, 1)
            let other = EncryptedFileSecretStore(path: path, key: .passphrase(ask, cost: .cheap))
            for _ in 0..<5 { try await expectEqual(other.read("a"), [4]) }
            expectEqual(asked.withLock { $0 }, 2)
        }
    }

    @Test func `A file of secrets under a passphrase is asked for again after a wrong one`() async throws {
        try await withTemporaryFolder { folder in
            try await store(folder, "right").write([1], for: "a")
            let answers = Mutex(["wrong", "right"])
            let store = EncryptedFileSecretStore(
                path: "\(folder)/secrets",
                key: .passphrase(.asking { Array(answers.withLock { $0.removeFirst() }.utf8) }, cost: .cheap))
            await #expect(throws: AuthError.storeDenied) { try await store.read("a") }
            try await expectEqual(store.read("a"), [1])
        }
    }

    @Test func `A file of secrets under a passphrase stays locked if the user declines`() async throws {
        try await withTemporaryFolder { folder in
            try await store(folder, "right").write([1], for: "a")
            let declining = EncryptedFileSecretStore(
                path: "\(folder)/secrets", key: .passphrase(.asking { throw AuthError.storeDenied }))
            await #expect(throws: AuthError.storeDenied) { try await declining.read("a") }
        }
    }

    @Test
    func `A file of secrets under a passphrase is not tried if a forged header demands a gigabyte`() async throws {
        try await withTemporaryFolder { folder in
            try await store(folder, "p").write([1], for: "a")
            let url = URL(fileURLWithPath: "\(folder)/secrets")
            let content = try Data(contentsOf: url)
            // The header, and a key check that a wrong cost would not pass.
            let cost = try #require(content.firstRange(of: Data("m=8,t=1,p=1".utf8)))
            try content.replacing([UInt8](content[cost]), with: Array("m=1048576,t=16,p=1".utf8)).write(to: url)
            await #expect(throws: AuthError.storeCorrupt) { try await store(folder, "p").read("a") }
        }
    }

    @Test(arguments: ["p", "p\n", "p\r\n"])
    func `A file of secrets under a passphrase comes from a file, with or without a line break`(content: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            try await store(folder, "p").write([1], for: "a")
            try Data(content.utf8).write(to: URL(fileURLWithPath: "\(folder)/pass"))
            let store = EncryptedFileSecretStore(
                path: "\(folder)/secrets", key: .passphrase(.file(path: "\(folder)/pass"), cost: .cheap))
            try await expectEqual(store.read("a"), [1])
        }
    }

    @Test(
        arguments: [("", AuthError.storeDenied), ("\n", .storeDenied), (nil, .storeLocked)] as [(String?, AuthError)])
    func `A file of secrets under a passphrase that is empty or not there opens nothing`(
        content: String?, error: AuthError
    ) async throws {
        try await withTemporaryFolder { folder in
            if let content { try Data(content.utf8).write(to: URL(fileURLWithPath: "\(folder)/pass")) }
            let store = EncryptedFileSecretStore(
                path: "\(folder)/secrets", key: .passphrase(.file(path: "\(folder)/pass"), cost: .cheap))
            await #expect(throws: error) { try await store.write([1], for: "a") }
            try await expectNil(store.read("a"))
        }
    }

    @Test func `A file of secrets under a passphrase comes from an open file, which is read once`() async throws {
        try await withTemporaryFolder { folder in
            let pipe = Pipe()
            pipe.fileHandleForWriting.write(Data("p\n".utf8))
            try pipe.fileHandleForWriting.close()
            let store = EncryptedFileSecretStore(
                path: "\(folder)/secrets",
                key: .passphrase(.descriptor(pipe.fileHandleForReading.fileDescriptor), cost: .cheap))
            try await store.write([1], for: "a")
            let again = EncryptedFileSecretStore(
                path: "\(folder)/secrets",
                key: .passphrase(.descriptor(pipe.fileHandleForReading.fileDescriptor), cost: .cheap))
            try await expectEqual(again.read("a"), [1])
            try await expectEqual(self.store(folder, "p").read("a"), [1])
        }
    }

    @Test func `A file of secrets under a passphrase comes from the file that a variable names`() async throws {
        try await withTemporaryFolder { folder in
            func store(_ environment: [String: String]) -> EncryptedFileSecretStore {
                EncryptedFileSecretStore(
                    path: "\(folder)/secrets", key: .passphrase(.platform(environment), cost: .cheap))
            }
            for environment in [[:], ["LATCH_PASSPHRASE_FILE": ""]] {
                let error = await #expect(throws: AuthError.storeLocked) {
                    try await store(environment).write([1], for: "a")
                }
                expectEqual(error?.message.contains("LATCH_PASSPHRASE_FILE"), true)
            }
            try Data("p\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/pass"))
            try await store(["LATCH_PASSPHRASE_FILE": "\(folder)/pass"]).write([1], for: "a")
            try await expectEqual(self.store(folder, "p").read("a"), [1])
        }
    }

    @Test func `A file of secrets under a passphrase is not confused with a key`() async throws {
        try await withTemporaryFolder { folder in
            try await store(folder, "p").write([1], for: "a")
            let keyed = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
            await #expect(throws: AuthError.storeDenied) { try await keyed.write([2], for: "a") }
            let ringed = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyring(InMemorySecretStore()))
            await #expect(throws: AuthError.storeDenied) { try await ringed.write([2], for: "a") }
            try await expectEqual(store(folder, "p").read("a"), [1])
        }
    }
}
