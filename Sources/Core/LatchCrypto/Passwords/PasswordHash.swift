// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// A stored password, as a PHC string of argon2id: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
///
/// Hashing blocks for as long as the parameters require, about 25 ms by default. Call it from a thread that may wait.
/// The description is redacted, since a hash can be attacked offline.
public struct PasswordHash: Sendable {
    /// The cost parameters.
    public let parameters: Argon2Parameters
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// The 16 bytes that RFC 9106 §3.1 recommends for passwords.
    private static let saltByteCount = 16
    /// A length that no hash within the limits reaches, so that a huge text is rejected before it is split.
    private static let longestText = 256

    /// Parses a stored hash, and rejects it if its parameters exceed the limits of ``Argon2Parameters``.
    ///
    /// - Throws: `CryptoError.malformedHash`.
    public init(parsing text: String) throws(CryptoError) {
        guard text.utf8.count <= Self.longestText else { throw .malformedHash("it is too long") }
        let fields = text.unicodeScalars.split(separator: "$", omittingEmptySubsequences: false).map { Substring($0) }
        guard fields.count == 6, fields[0].isEmpty, fields[1] == "argon2id" else { throw .malformedHash }
        // RFC 9106 §3.1: version 0x13; the older one is weaker.
        guard fields[2] == "v=19" else { throw .malformedHash("its version of argon2 is not 19") }
        guard let salt = Base64Alphabet.standard.decode(fields[4].utf8), (8...64).contains(salt.count),
            let hash = Base64Alphabet.standard.decode(fields[5].utf8)
        else { throw .malformedHash("its salt or hash is not readable") }
        guard let parameters = Argon2Parameters(fields[3], outputByteCount: hash.count) else {
            throw .malformedHash("its parameters are not readable, or out of bounds")
        }
        self.parameters = parameters
        self.salt = salt
        self.hash = hash
    }

    /// Hashes a password with a fresh salt.
    ///
    /// The bytes of its UTF-8 encoding are hashed unchanged. Two Unicode forms of a letter are different passwords,
    /// unless the caller normalizes them.
    ///
    /// - Returns: The PHC string to store.
    public static func make(
        _ password: some StringProtocol, parameters: Argon2Parameters = .default
    ) throws(CryptoError) -> String {
        var bytes = Array(password.utf8)
        defer { wipe(&bytes) }
        let salt = SecureRandom.bytes(saltByteCount)
        let hash = try Argon2id.hash(password: bytes, salt: salt, parameters: parameters)
        return "$argon2id$v=19$\(parameters)$\(encode(salt))$\(encode(hash))"
    }

    /// Whether the hash belongs to a password.
    ///
    /// A password of more than 1 MiB throws `CryptoError.unacceptableParameter`.
    ///
    /// - Throws: `CryptoError.engineFailure` when memory runs out, independently of the password.
    public func verifies(_ password: some StringProtocol) throws(CryptoError) -> Bool {
        var bytes = Array(password.utf8)
        defer { wipe(&bytes) }
        let candidate = try Argon2id.hash(password: bytes, salt: salt, parameters: parameters)
        return constantTimeEquals(candidate, hash)
    }

    /// Whether the hash has other parameters than the wanted ones, so that the next login should store a new one.
    public func needsRehash(_ wanted: Argon2Parameters) -> Bool {
        parameters != wanted || salt.count < Self.saltByteCount
    }

    /// Encodes bytes in the standard Base64 alphabet without padding, as the PHC format does.
    private static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: Base64Alphabet.standard.encode(bytes), as: UTF8.self)
    }
}

extension PasswordHash: CustomStringConvertible, CustomReflectable {
    /// The cost parameters; the hash is redacted.
    public var description: String {
        "PasswordHash(argon2id, \(parameters.memoryKiB) KiB, \(parameters.passes) passes, redacted)"
    }

    /// A mirror without children, so that `dump` shows nothing of the hash.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
