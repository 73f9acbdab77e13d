// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import PortableFoundation

/// A password hasher with argon2id, on threads of its own.
struct PasswordHasher: Sendable {
    /// The result of a verification.
    struct Verification: Sendable {
        /// Whether the password matches the hash; false without a hash.
        let matches: Bool
        /// A hash of the same password with the current parameters, if the stored one has others.
        var upgradedHash: String?
    }

    /// The parameters of new hashes; a stored hash contains its own.
    private let parameters: Argon2Parameters
    let pool: WorkerPool
    /// A hash of no password; a verification against it takes as long as against a real one.
    private let decoy: String

    /// - Throws: `IdentityError.invalidSetting` if argon2id rejects the parameters (RFC 9106 §3.1).
    init(_ configuration: IdentityConfiguration) throws(IdentityError) {
        do throws(CryptoError) {
            parameters = try Argon2Parameters(
                memoryKiB: configuration.argon2MemoryKiB, passes: configuration.argon2Passes)
        } catch {
            throw .invalidSetting("argon2_memory_kib", "within the bounds of argon2id")
        }
        // More workers than processors would only slow each other down, and cost 19 MiB each.
        pool = WorkerPool(
            label: "latch.passwords", workers: ProcessInfo.processInfo.activeProcessorCount,
            maximumWaiting: configuration.passwordQueueLimit)
        decoy = Self.decoy(parameters)
    }

    /// The numbers of running and of waiting hashes.
    var load: (running: Int, waiting: Int) { pool.load }

    /// Hashes a password with a new salt, once a thread is free.
    ///
    /// - Throws: `IdentityError.overloaded`, `.cancelled` or `.hashingFailed`.
    func hash(_ password: String, for purpose: WorkerPool.Purpose) async throws(IdentityError) -> String {
        let parameters = parameters
        return try await pool.run(for: purpose) { () throws(IdentityError) in try Self.make(password, parameters) }
    }

    /// Verifies a password, with the same work whether there is a hash or not.
    ///
    /// A stored hash that is malformed, or whose parameters exceed the bounds, matches nothing and is not computed.
    func verify(_ password: String, against stored: String?) async throws(IdentityError) -> Verification {
        let parameters = parameters
        let decoy = decoy
        return try await pool.run(for: .login) { () throws(IdentityError) in
            let hash = stored.flatMap(Self.parsed)
            guard let comparable = hash ?? Self.parsed(decoy) else { throw .hashingFailed }
            do throws(CryptoError) {
                guard try comparable.verifies(password), hash != nil else { return Verification(matches: false) }
            } catch {
                throw .hashingFailed
            }
            guard comparable.needsRehash(parameters) else { return Verification(matches: true) }
            return Verification(matches: true, upgradedHash: try Self.make(password, parameters))
        }
    }

    /// Parses a PHC string; nil if it is malformed or its parameters exceed the bounds, so that a manipulated row cannot
    /// cost a gigabyte (attack D12).
    private static func parsed(_ text: String) -> PasswordHash? { try? PasswordHash(parsing: text) }

    /// Returns a hash in PHC form.
    private static func make(_ password: String, _ parameters: Argon2Parameters) throws(IdentityError) -> String {
        do throws(CryptoError) {
            return try PasswordHash.make(password, parameters: parameters)
        } catch {
            throw .hashingFailed
        }
    }

    /// Returns a PHC string of random bytes, without hashing.
    private static func decoy(_ parameters: Argon2Parameters) -> String {
        let text = { (count: Int) in
            String(decoding: Base64Alphabet.standard.encode(SecureRandom.bytes(count)), as: UTF8.self)
        }
        return "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.passes),p=\(parameters.lanes)"
            + "$\(text(16))$\(text(32))"
    }
}
