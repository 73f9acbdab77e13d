// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchCrypto
import LatchJOSE

/// The first lines of an encrypted file of secrets: its version and the kind of its key.
///
/// They are authenticated with the content.
///
///     latch-secrets-2
///     passphrase CHECK m=65536,t=3,p=1 SALT
///
/// CHECK distinguishes the right key from a wrong one, so that a wrong passphrase is not mistaken for damage. It is
/// derived from the key by HKDF, and helps an attacker no more than the ciphertext does.
package struct SecretFileHeader: Sendable, Equatable {
    /// The kind of key that opens a file.
    package enum Lock: Sendable, Equatable {
        /// A key in memory or in a key file.
        case key
        /// A passphrase, through argon2id (RFC 9106).
        case passphrase(Argon2Parameters, salt: [UInt8])
        /// A key that a keyring keeps under this name.
        case keyring(name: String)
    }

    static let magic = "latch-secrets-2\n"
    /// The maximum length of the second line; a name in it has at most 64 bytes.
    private static let longestLine = 256

    package let lock: Lock
    let check: String

    /// Creates the header of a file for a key.
    init(_ lock: Lock, for key: SymmetricKey) {
        self.lock = lock
        check = Self.check(of: key)
    }

    /// Parses the beginning of a file.
    ///
    /// - Returns: Nil for an unknown version and for a malformed header.
    package init?(parsing bytes: [UInt8]) {
        guard bytes.starts(with: Self.magic.utf8) else { return nil }
        let rest = bytes.dropFirst(Self.magic.utf8.count)
        guard let end = rest.prefix(Self.longestLine).firstIndex(of: 0x0A),
            rest[..<end].allSatisfy({ (0x20..<0x7F).contains($0) })
        else { return nil }
        let words = String(decoding: rest[..<end], as: UTF8.self)
            .unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
        guard words.count >= 2, words[1].utf8.count == 16, let lock = Self.lock(words) else { return nil }
        self.lock = lock
        check = words[1]
        // The form is canonical: a header that would be written differently is refused.
        guard bytes.starts(with: self.bytes) else { return nil }
    }

    /// The bytes of the header.
    package var bytes: [UInt8] {
        let text =
            switch lock {
            case .key: "key \(check)"
            case .passphrase(let cost, let salt):
                "passphrase \(check) \(cost) \(Base64URL.encode(salt))"
            case .keyring(let name): "keyring \(check) \(name)"
            }
        return Array("\(Self.magic)\(text)\n".utf8)
    }

    /// Whether a key is the key of the file; the compared values are not secret.
    func accepts(_ key: SymmetricKey) -> Bool { Self.check(of: key) == check }

    /// Derives the key that seals the secrets.
    func sealingKey(_ key: SymmetricKey) -> SymmetricKey { Self.derive("seal", from: key, count: 32) }

    private static func check(of key: SymmetricKey) -> String {
        derive("check", from: key, count: 12).withUnsafeBytes { Base64URL.encode(Array($0)) }
    }

    private static func derive(_ purpose: String, from key: SymmetricKey, count: Int) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: Array(magic.utf8), info: Array(purpose.utf8), outputByteCount: count)
    }

    private static func lock(_ words: [String]) -> Lock? {
        switch (words[0], words.count) {
        case ("key", 2): return .key
        case ("keyring", 3): return words[2].isEmpty || words[2].utf8.count > 64 ? nil : .keyring(name: words[2])
        case ("passphrase", 4):
            // A malformed header is refused as a whole, without a reason.
            guard let cost = Argon2Parameters(words[2]), let salt = try? Base64URL.decode(words[3]), salt.count == 16
            else {
                return nil
            }
            return .passphrase(cost, salt: salt)
        default: return nil
        }
    }
}
