// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto

/// A key that the program holds.
struct GivenFileKey: SecretFileKeySource {
    let key: SymmetricKey

    func plainKeys() -> [SymmetricKey] { [key] }

    func key(for header: SecretFileHeader) throws -> SymmetricKey {
        guard header.lock == .key, header.accepts(key) else { throw Self.denied("it was written with another key") }
        return key
    }

    func makeSeal(replacing old: SymmetricKey?) -> SecretFileSeal { SecretFileSeal(.key, key: key) }
}

/// A key in a file of its own; two of them while one replaces the other.
///
/// Between the change of the secrets and the change of this file, a crash leaves both keys here, so that the secrets open
/// with one of them whatever was written last.
struct StoredFileKey: SecretFileKeySource {
    let file: AtomicFile

    func plainKeys() throws -> [SymmetricKey] { try read() ?? [] }

    func key(for header: SecretFileHeader) throws -> SymmetricKey {
        guard header.lock == .key else { throw Self.denied("it was not written with a key file") }
        guard let keys = try read() else { throw AuthError.store(.storeCorrupt, "the key \(file.path) is gone") }
        guard let key = keys.first(where: header.accepts) else {
            throw Self.denied("it was written with another key than that in \(file.path)")
        }
        return key
    }

    /// The key that is there, or a new one.
    ///
    /// A damaged key opens nothing any more. It is set aside like the secrets that it locked, or nobody could sign in
    /// again.
    func makeSeal(replacing old: SymmetricKey?) throws -> SecretFileSeal {
        var kept: [SymmetricKey]?
        do { kept = try read() } catch AuthError.storeCorrupt { _ = try file.setAside(suffix: "corrupt") }
        if let key = kept?.last, key != old { return SecretFileSeal(.key, key: key) }
        let key = SymmetricKey(size: .bits256)
        try write([old, key].compactMap { $0 })
        return SecretFileSeal(.key, key: key)
    }

    func settle(_ seal: SecretFileSeal) throws {
        if let keys = try read(), keys != [seal.key] { try write([seal.key]) }
    }

    /// The keys, the newest last; nil where there is no file.
    private func read() throws -> [SymmetricKey]? {
        guard let bytes = try file.read() else { return nil }
        guard [32, 64].contains(bytes.count) else {
            throw AuthError.store(.storeCorrupt, "\(file.path) is not a key")
        }
        return stride(from: 0, to: bytes.count, by: 32).map { SymmetricKey(data: bytes[$0..<$0 + 32]) }
    }

    private func write(_ keys: [SymmetricKey]) throws {
        try file.makeFolder()
        try file.replace(with: keys.flatMap { $0.withUnsafeBytes(Array.init) })
    }
}
