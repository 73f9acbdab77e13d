// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
import LatchFoundation

/// The key of a backup: 32 bytes, or a passphrase.
package struct BackupKey: Sendable {
    fileprivate enum Source: Sendable {
        case key(SymmetricKey)
        case passphrase(SymmetricKey, Argon2Parameters)
    }

    fileprivate let source: Source

    /// The minimum length of the passphrase of a new backup, in bytes.
    static let shortestPassphrase = 8

    /// Parses 64 hexadecimal digits.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package init(hex text: String) throws(IdentityError) {
        guard let bytes = Hex.decode(text, count: 32) else { throw .invalidSetting("--key-file", StoreKey.expected) }
        source = .key(SymmetricKey(data: bytes))
    }

    /// Creates a key that argon2id (RFC 9106) derives from a passphrase.
    ///
    /// - Parameter cost: The cost of each guess, for a new backup. An existing backup stores its cost.
    package init(passphrase: String, cost: Argon2Parameters = .passphrase) {
        source = .passphrase(SymmetricKey(data: Array(passphrase.utf8)), cost)
    }
}

extension BackupKey: Redacting {}

/// The first two lines of a backup, with its format and the derivation of its key; each chunk authenticates them.
///
///     latch-backup-1
///     passphrase SALT CHECK m=65536,t=3,p=1
///
/// CHECK distinguishes a wrong key from damage. It is derived from the key by HKDF (RFC 5869), like the key of the
/// chunks. SALT makes the chunk key of each backup different.
package struct BackupHeader {
    private static let name = "latch-backup-"
    private static let version = "1"
    /// The maximum length of the two lines.
    private static let longest = 256

    package let bytes: [UInt8]
    /// The key of the chunks.
    let streamKey: SymmetricKey

    /// Creates the header of a new backup.
    package init(for key: BackupKey) throws(IdentityError) {
        let salt = RandomSource.system.bytes(32)
        let (word, parameters) =
            switch key.source {
            case .key: ("key", "")
            case .passphrase(let text, _) where text.bitCount < 8 * BackupKey.shortestPassphrase:
                let least = BackupKey.shortestPassphrase
                throw .invalidInput("the passphrase of a backup must have at least \(least) characters")
            case .passphrase(_, let cost):
                ("passphrase", " \(cost)")
            }
        let root = try Self.root(of: key, salt: salt, cost: nil)
        let check = Self.check(root, salt)
        bytes = Array("\(Self.name)\(Self.version)\n\(word) \(Hex.encode(salt)) \(check)\(parameters)\n".utf8)
        streamKey = Self.derived("stream", root, salt)
    }

    /// Reads the header of a backup.
    ///
    /// - Throws: `IdentityError.notABackup`, `.newerBackup` or `.wrongBackupKey`.
    package init(from file: SequentialFile, key: BackupKey) throws(IdentityError) {
        let first = try Self.line(from: file)
        guard first.utf8.starts(with: Self.name.utf8) else { throw .notABackup }
        guard first == Self.name + Self.version else { throw .newerBackup }
        let second = try Self.line(from: file)
        let words = second.utf8.split(separator: 0x20, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard words.count >= 3, let salt = Hex.decode(words[1], count: 32) else { throw .notABackup }
        let cost: Argon2Parameters?
        switch (words[0], words.count, key.source) {
        case ("key", 3, .key): cost = nil
        case ("passphrase", 4, .passphrase):
            // Checked against its bounds, so that a forged file cannot exhaust the memory.
            guard let stored = Argon2Parameters(words[3]) else { throw .notABackup }
            cost = stored
        case ("key", 3, _): throw .wrongBackupKey(needs: "a key file")
        case ("passphrase", 4, _): throw .wrongBackupKey(needs: "a passphrase")
        default: throw .notABackup
        }
        let root = try Self.root(of: key, salt: salt, cost: cost)
        guard Self.check(root, salt) == words[2] else { throw .wrongBackupKey }
        bytes = Array("\(first)\n\(second)\n".utf8)
        streamKey = Self.derived("stream", root, salt)
    }

    private static func line(from file: SequentialFile) throws(IdentityError) -> String {
        var line: [UInt8] = []
        while line.count < longest {
            let byte = try IdentityError.mapping { () throws(FileError) in try file.read(1) }
            guard let next = byte.first, next == 0x0A || (0x20..<0x7F).contains(next) else { throw .notABackup }
            guard next != 0x0A else { return String(decoding: line, as: UTF8.self) }
            line.append(next)
        }
        throw .notABackup
    }

    private static func root(
        of key: BackupKey, salt: [UInt8], cost: Argon2Parameters?
    ) throws(IdentityError) -> SymmetricKey {
        switch key.source {
        case .key(let key): return key
        case .passphrase(let passphrase, let standard):
            var bytes = passphrase.withUnsafeBytes { Array($0) }
            defer { wipe(&bytes) }
            do throws(CryptoError) {
                var hash = try Argon2id.hash(password: bytes, salt: salt, parameters: cost ?? standard)
                return SymmetricKey(wiping: &hash)
            } catch {
                throw .hashingUnavailable(error)
            }
        }
    }

    private static func check(_ root: SymmetricKey, _ salt: [UInt8]) -> String {
        derived("check", root, salt).withUnsafeBytes { Hex.encode(Array($0.prefix(12))) }
    }

    private static func derived(_ purpose: String, _ root: SymmetricKey, _ salt: [UInt8]) -> SymmetricKey {
        root.derived(for: "latch backup \(purpose)", salt: salt)
    }
}
