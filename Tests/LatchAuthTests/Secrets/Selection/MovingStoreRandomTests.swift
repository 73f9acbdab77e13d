// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Synchronization
import Testing

@testable import LatchAuth

/// Random lives of a user's secrets: processes come and go, secrets are written and removed, stores are moved and moves are
/// interrupted; after each step every process must find exactly what a dictionary holds.
@Suite struct MovingStoreRandomTests {
    /// A random event.
    private enum Step {
        case write, remove, newProcess, move, interruptedMove, lock
    }

    private func step(_ random: inout SplitMix64) -> Step {
        switch random.next() % 20 {
        case 0..<9: .write
        case 9..<12: .remove
        case 12..<14: .newProcess
        case 14..<16: .move
        case 16..<19: .interruptedMove
        default: .lock
        }
    }

    /// A process at the desktop or over SSH.
    private func process(_ fixture: SelectionFixture, _ random: inout SplitMix64) -> ChosenSecretStore {
        fixture.store(random.next() % 2 == 0 ? [:] : ["SSH_TTY": "/dev/pts/1"])
    }

    private func kind(_ random: inout SplitMix64) -> SecretStoreKind {
        [.file, .secretService, .keyringFile][Int(random.next() % 3)]
    }

    /// A move during which the keyring becomes unavailable after some calls.
    private func interruptedMove(_ fixture: SelectionFixture, _ random: inout SplitMix64) async {
        let calls = Int(random.next() % 30)
        fixture.callsUntilTrouble.withLock { $0 = calls }
        do {
            _ = try await fixture.selection().migrate(to: kind(&random))
        } catch {
            expectEqual(error as? AuthError, .storeUnavailable, "the move failed otherwise: \(error)")
        }
        fixture.callsUntilTrouble.withLock { $0 = nil }
    }

    @Test(arguments: UInt64(1)...40)
    func `Secrets through a random life are always exactly those that were kept`(seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            var random = SplitMix64(state: seed)
            let fixture = SelectionFixture(folder)
            var processes = [process(fixture, &random), process(fixture, &random)]
            var model: [String: [UInt8]] = [:]
            for _ in 0..<30 {
                let one = processes[Int(random.next() % UInt64(processes.count))]
                let name = "name \(random.next() % 5)"
                switch step(&random) {
                case .write:
                    let secret = [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: 10)
                    try await one.write(secret, for: name)
                    model[name] = secret
                case .remove:
                    try await one.remove(name)
                    model[name] = nil
                case .newProcess: processes[0] = process(fixture, &random)
                case .move: _ = try await fixture.selection().migrate(to: kind(&random))
                case .interruptedMove: await interruptedMove(fixture, &random)
                case .lock: try await lockedAndUnlocked(fixture, one, name)
                }
                try await check(processes, hold: model)
            }
        }
    }

    private func check(_ processes: [ChosenSecretStore], hold model: [String: [UInt8]]) async throws {
        for process in processes {
            try await expectEqual(process.names(), model.keys.sorted())
            for (name, secret) in model { try await expectEqual(process.read(name), secret) }
        }
    }

    /// A process with a locked keyring finds its secret in the file, or gets an error; it never finds an empty store.
    private func lockedAndUnlocked(_ fixture: SelectionFixture, _ store: ChosenSecretStore, _ name: String) async throws
    {
        let before = try await store.read(name)
        fixture.trouble.withLock { $0 = .storeLocked }
        do {
            try await expectEqual(store.read(name), before)
        } catch {
            expectEqual(error as? AuthError, .storeLocked)
        }
        fixture.trouble.withLock { $0 = nil }
    }
}

@Suite struct SecretFileRandomTests {
    /// One of several ways to open a file, the same for the same number.
    private func keys(in folder: String) -> [SecretFileKey] {
        let keyring = InMemorySecretStore()
        return [
            .keyFile(path: "\(folder)/key"), .keyring(keyring),
            .passphrase(.asking { Array("one".utf8) }, cost: .cheap),
            .passphrase(.asking { Array("two".utf8) }, cost: .cheap),
        ]
    }

    @Test(arguments: UInt64(1)...40)
    func `A file of secrets through a random life holds exactly the kept secrets, under either key`(seed: UInt64)
        async throws
    {
        try await withTemporaryFolder { folder in
            var random = SplitMix64(state: seed)
            let (path, keys) = ("\(folder)/secrets", keys(in: folder))
            let current = Int(random.next() % 4)
            var store = EncryptedFileSecretStore(path: path, key: keys[current])
            var model: [String: [UInt8]] = [:]
            for _ in 0..<25 {
                let name = random.text(upTo: 6)
                switch random.next() % 7 {
                case 0..<4:
                    let secret = Array(random.text(upTo: 40).utf8)
                    try await store.write(secret, for: name)
                    model[name] = secret
                case 4:
                    let name = model.keys.sorted().first ?? name
                    try await store.remove(name)
                    model[name] = nil
                case 5: store = EncryptedFileSecretStore(path: path, key: keys[current])
                default: try await deny(path, to: keys[(current + 1) % 4], unless: model.isEmpty)
                }
                try await expectEqual(store.names(), model.keys.sorted())
                for (name, secret) in model { try await expectEqual(store.read(name), secret) }
            }
        }
    }

    /// Another key opens nothing and spoils nothing.
    private func deny(_ path: String, to key: SecretFileKey, unless mayBeMissing: Bool) async throws {
        let stranger = EncryptedFileSecretStore(path: path, key: key)
        guard !mayBeMissing else { return }
        await #expect(throws: AuthError.storeDenied) { try await stranger.read("a") }
        await #expect(throws: AuthError.storeDenied) { try await stranger.write([1], for: "a") }
    }

    @Test(arguments: UInt64(1)...60)
    func `A file of secrets that is damaged anywhere is reported, set aside whole, and never misread`(
        seed: UInt64
    ) async throws {
        try await withTemporaryFolder { folder in
            var random = SplitMix64(state: seed)
            let file = AtomicFile("\(folder)/secrets")
            let store = EncryptedFileSecretStore(path: file.path, key: keys(in: folder)[Int(seed % 4)])
            try await store.write(Array("canary-9d21".utf8), for: "a")
            var bytes = try #require(try file.read())
            switch random.next() % 3 {
            case 0: bytes[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 + random.next() % 255)
            case 1: bytes.removeLast(Int(1 + random.next() % UInt64(bytes.count)))
            default:
                bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: Int(random.next() % UInt64(bytes.count)))
            }
            try file.replace(with: bytes)
            let error = await #expect(throws: AuthError.self) { try await store.read("a") }
            #expect([AuthError.storeCorrupt, .storeDenied].contains(error))
            #expect(!"\(String(describing: error))".contains("canary"))
            do {
                try await store.write([1], for: "b")
                try expectEqual(AtomicFile(file.path + ".corrupt").read(), bytes)
                try await expectEqual(store.names(), ["b"])
            } catch {
                // Closed by another key, as far as can be told: it stays as it is.
                expectEqual(error as? AuthError, .storeDenied)
                try expectEqual(file.read(), bytes)
            }
        }
    }
}
