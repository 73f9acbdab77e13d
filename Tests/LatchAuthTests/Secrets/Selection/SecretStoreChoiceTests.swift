// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Synchronization
import Testing

@testable import LatchAuth

@Suite struct SecretStoreChoiceTests {
    @Test(
        arguments: [
            ([:], .secretService, "unlocked"),
            (["LATCH_SECRET_STORE": "file"], .file, "LATCH_SECRET_STORE"),
            (["LATCH_SECRET_STORE": "keyring-file"], .keyringFile, "LATCH_SECRET_STORE"),
            (["LATCH_SECRET_STORE": ""], .secretService, "unlocked"),
            (["LATCH_HOME": "/l"], .file, "LATCH_HOME"), (["LATCH_HOME": "relative"], .secretService, "unlocked"),
            (["LATCH_HOME": "/l", "LATCH_SECRET_STORE": "secret-service"], .secretService, "LATCH_SECRET_STORE"),
            (["SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"], .file, "SSH"), (["SSH_TTY": "/dev/pts/1"], .file, "SSH"),
        ] as [([String: String], SecretStoreKind, String)])
    func `The choice of a secret store follows the documented order, and says why`(
        environment: [String: String], kind: SecretStoreKind, reason: String
    ) async throws {
        try await withTemporaryFolder { folder in
            let choice = try await SelectionFixture(folder).selection(environment).choice()
            expectEqual(choice.kind, kind)
            #expect(choice.reason.contains(reason))
            expectEqual(choice.candidates.last?.kind, kind)
            #expect(!choice.isRecorded)
            // Asking changes nothing.
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test(
        arguments: [
            ([:], nil, .keychain), (["SSH_TTY": "/dev/pts/1"], nil, .keychain), (["LATCH_HOME": "/l"], nil, .file),
            (["LATCH_SECRET_STORE": "file"], nil, .file),
            ([:], KeychainStatus.error(for: KeychainStatus.missingEntitlement), .file),
            (["LATCH_SECRET_STORE": "keychain"], KeychainStatus.error(for: -34_018), .keychain),
        ] as [([String: String], AuthError?, SecretStoreKind)])
    func `The choice of a secret store is the keychain on macOS, or a file without the entitlement`(
        environment: [String: String], trouble: AuthError?, kind: SecretStoreKind
    ) async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder, keyring: .keychain)
            fixture.trouble.withLock { $0 = trouble }
            let choice = try await fixture.selection(environment).choice()
            expectEqual(choice.kind, kind)
        }
    }

    @Test(arguments: [AuthError.storeLocked, .storeUnavailable, .storeDenied])
    func `The choice of a secret store takes the file if the keyring fails, and says what was wrong`(
        error: AuthError
    ) async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            fixture.trouble.withLock { $0 = error }
            let choice = try await fixture.selection().choice()
            expectEqual(choice.kind, .file)
            expectEqual(choice.candidates.map(\.kind), [.secretService, .file])
            expectEqual(choice.candidates[0].explanation, error.message)
        }
    }

    @Test func `The choice of a secret store is that of the first write, for all processes`() async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            let (desktop, overSSH) = (fixture.store(), fixture.store(["SSH_TTY": "/dev/pts/1"]))
            // Looking decides nothing.
            try await expectNil(overSSH.read("a"))
            try await desktop.write([1], for: "a")
            expectEqual(fixture.keyring.names(), ["a"])
            try await expectEqual(overSSH.read("a"), [1])
            let choice = try await fixture.selection(["SSH_TTY": "/dev/pts/1"]).choice()
            #expect(choice.isRecorded && choice.kind == .secretService)
            #expect(choice.reason.contains("unlocked"))
        }
    }

    @Test func `The choice of a secret store of a file over SSH is followed on the desktop`() async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await fixture.store(["SSH_TTY": "/dev/pts/1"]).write([1], for: "a")
            try await expectEqual(fixture.store().read("a"), [1])
            #expect(fixture.keyring.names().isEmpty)
        }
    }

    @Test(arguments: [AuthError.storeLocked, .storeUnavailable, .storeDenied])
    func `The choice of a secret store that cannot be reached is an error, never another store that is empty`(
        error: AuthError
    ) async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await fixture.store().write([1], for: "a")
            fixture.trouble.withLock { $0 = error }
            let late = fixture.store(["SSH_TTY": "/dev/pts/1"])
            let thrown = await #expect(throws: error) { try await late.read("a") }
            expectEqual(thrown?.message.contains("secret-service"), true)
            expectEqual(thrown?.message.contains("unlocked"), true)
            await #expect(throws: error) { try await late.write([2], for: "a") }
            await #expect(throws: error) { try await late.names() }
            let session = Session(store: SecretTokenStore<Tokens>(late, name: "a")) { $0.credential }
            await #expect(throws: error) { try await session.credential() }
            expectEqual(session.currentState, .unavailable(error))
            fixture.trouble.withLock { $0 = nil }
            try await expectEqual(late.read("a"), [1])
        }
    }

    @Test func `The choice of a secret store is made once by processes that begin at once`() async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    let store = fixture.store(number % 2 == 0 ? [:] : ["SSH_TTY": "/dev/pts/1"])
                    group.addTask { try await store.write([1], for: "\(number)") }
                }
                try await group.waitForAll()
            }
            try await expectEqual(fixture.store().names().count, 16)
        }
    }

    @Test func `The choice of a secret store takes a file from before the choice was recorded`() async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            let earlier = EncryptedFileSecretStore(
                path: "\(folder)/app.secrets", key: .keyFile(path: "\(folder)/app.key"))
            try await earlier.write([1], for: "a")
            try await expectEqual(fixture.selection().choice().kind, .file)
            try await expectEqual(fixture.store().read("a"), [1])
        }
    }

    @Test
    func `The choice of a secret store by a variable is refused if it would hide existing secrets`() async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await fixture.store().write([1], for: "a")
            let other = ["LATCH_SECRET_STORE": "file"]
            let error = await #expect(throws: AuthError.storeUnavailable) { try await fixture.store(other).read("a") }
            expectEqual(error?.message.contains("'secret-service', not in 'file'"), true)
            await #expect(throws: AuthError.storeUnavailable) { try await fixture.store(other).write([2], for: "a") }
            await #expect(throws: AuthError.storeUnavailable) { try await fixture.selection(other).choice() }
            // Nothing is hidden where nothing is there.
            try await fixture.store().remove("a")
            try await fixture.store(other).write([2], for: "a")
            try await expectEqual(fixture.store().read("a"), [2])
            #expect(fixture.keyring.names().isEmpty)
        }
    }

    @Test(arguments: ["keychain", "passphrase", "memory", "FILE", "file "])
    func `The choice of a secret store by a variable must name an existing store`(kind: String) async throws {
        try await withTemporaryFolder { folder in
            let store = SelectionFixture(folder).store(["LATCH_SECRET_STORE": kind])
            let error = await #expect(throws: AuthError.storeUnavailable) { try await store.read("a") }
            expectEqual(error?.hint?.contains("secret-service, file"), true)
        }
    }

    @Test(arguments: ["", "{", "{}", #"{"kind":7}"#])
    func `The choice of a secret store whose record is damaged is not guessed`(record: String) async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await fixture.store().write([1], for: "a")
            try Data(record.utf8).write(to: URL(fileURLWithPath: "\(folder)/app.store"))
            let error = await #expect(throws: AuthError.storeCorrupt) { try await fixture.store().read("a") }
            expectEqual(error?.hint?.contains("kind"), true)
            await #expect(throws: AuthError.storeCorrupt) { try await fixture.store().write([2], for: "a") }
        }
    }

    @Test
    func `The choice of a secret store finds nothing in an impossible place, and reports denied writing`() async throws
    {
        let store = SelectionFixture("/sys/latch").store(["LATCH_SECRET_STORE": "file"])
        try await expectNil(store.read("a"))
        #expect(try await store.names().isEmpty)
        await #expect(throws: AuthError.storeDenied) { try await store.write([1], for: "a") }
    }

    @Test(arguments: SecretStoreContract.rules)
    func `The choice of a secret store keeps the contract of all stores`(rule: SecretStoreContract.Rule) async throws {
        try await withTemporaryFolder { folder in
            let fixture = SelectionFixture(folder)
            try await rule.check { fixture.store(["LATCH_SECRET_STORE": "file"]) }
        }
    }
}
