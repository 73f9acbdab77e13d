// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import Synchronization

/// A key that is derived from a passphrase with the salt and the cost in the file's header.
final class PassphraseFileKey: SecretFileKeySource {
    private let passphrase: Passphrase
    private let cost: Argon2Parameters
    /// The last seal, which is kept because argon2id is slow on purpose: it runs once for each salt.
    private let seal = Mutex<SecretFileSeal?>(nil)

    init(_ passphrase: Passphrase, cost: Argon2Parameters?) {
        self.passphrase = passphrase
        self.cost = cost ?? .passphrase
    }

    func prepare(for header: SecretFileHeader?) throws {
        // A new file has a new salt, and the passphrase that is set now.
        if let header { _ = try key(for: header) } else { _ = try newSeal() }
    }

    func key(for header: SecretFileHeader) throws -> SymmetricKey {
        guard case .passphrase(let cost, let salt) = header.lock else {
            throw Self.denied("it was not written with a passphrase")
        }
        if let seal = seal.withLock(\.self), seal.header == header { return seal.key }
        let key = try derive(salt: salt, cost: cost)
        guard header.accepts(key) else { throw Self.denied("this is not its passphrase") }
        seal.withLock { $0 = SecretFileSeal(key: key, header: header) }
        return key
    }

    func makeSeal() throws -> SecretFileSeal {
        try seal.withLock(\.self) ?? newSeal()
    }

    private func newSeal() throws -> SecretFileSeal {
        let salt = SecureRandom.bytes(16)
        let made = SecretFileSeal(.passphrase(cost, salt: salt), key: try derive(salt: salt, cost: cost))
        seal.withLock { $0 = made }
        return made
    }

    private func derive(salt: [UInt8], cost: Argon2Parameters) throws -> SymmetricKey {
        var bytes = try passphrase.bytes()
        defer { wipe(&bytes) }
        var hash = try Argon2id.hash(password: bytes, salt: salt, parameters: cost)
        return SymmetricKey(wiping: &hash)
    }
}
