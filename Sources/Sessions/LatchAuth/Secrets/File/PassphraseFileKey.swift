// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import Synchronization

/// A key that is derived from a passphrase, with the salt and the cost of the file's header.
final class PassphraseFileKey: SecretFileKeySource {
    /// The derived keys: argon2id is slow on purpose, so it runs once for each salt.
    private struct Derived {
        var keys: [(lock: SecretFileHeader.Lock, key: SymmetricKey)] = []
        /// The seal of a file that is about to be created.
        var fresh: SecretFileSeal?
    }

    private let passphrase: Passphrase
    private let cost: Argon2Parameters?
    private let derived = Mutex(Derived())

    init(_ passphrase: Passphrase, cost: Argon2Parameters?) {
        self.passphrase = passphrase
        self.cost = cost
    }

    func prepare(for header: SecretFileHeader?) throws {
        if let header {
            _ = try key(for: header)
        } else if derived.withLock({ $0.fresh == nil }) {
            let seal = try newSeal()
            derived.withLock { $0.fresh = seal }
        }
    }

    func key(for header: SecretFileHeader) throws -> SymmetricKey {
        guard case .passphrase(let cost, let salt) = header.lock else {
            throw Self.denied("it was not written with a passphrase")
        }
        if let key = derived.withLock({ $0.keys.first { $0.lock == header.lock }?.key }) { return key }
        let key = try derive(salt: salt, cost: cost, for: .opening)
        guard header.accepts(key) else { throw Self.denied("this is not its passphrase") }
        derived.withLock { $0.keys = $0.keys.suffix(7) + [(header.lock, key)] }
        return key
    }

    func makeSeal(replacing old: SymmetricKey?) throws -> SecretFileSeal {
        try derived.withLock { $0.fresh.take() } ?? newSeal()
    }

    private func newSeal() throws -> SecretFileSeal {
        let cost = try cost ?? Argon2Parameters(memoryKiB: 65_536, passes: 3)
        let salt = SecureRandom.bytes(16)
        let key = try derive(salt: salt, cost: cost, for: .creating)
        let seal = SecretFileSeal(.passphrase(cost, salt: salt), key: key)
        derived.withLock { $0.keys = $0.keys.suffix(7) + [(seal.header.lock, key)] }
        return seal
    }

    private func derive(salt: [UInt8], cost: Argon2Parameters, for purpose: Passphrase.Purpose) throws -> SymmetricKey {
        var bytes = try passphrase.bytes(for: purpose)
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return SymmetricKey(data: try Argon2id.hash(password: bytes, salt: salt, parameters: cost))
    }
}
