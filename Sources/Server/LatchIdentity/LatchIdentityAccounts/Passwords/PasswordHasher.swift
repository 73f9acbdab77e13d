// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage

/// A password hasher with argon2id, on separate threads.
///
/// It also verifies the hashes of other systems (``ImportedPasswordHash``), and replaces them at the first login.
///
/// Passwords are normalized (NFC, RFC 8265 §4.2.2), since keyboards and browsers write the letter ü as one scalar or as
/// two.
package struct PasswordHasher: Sendable {
    /// The parameters of new hashes; a stored hash contains its own parameters.
    private let parameters: Argon2Parameters
    package let pool: WorkerPool
    /// The key that chooses the cost of decoys.
    private let decoyKey: SymmetricKey
    /// The service that knows leaked passwords; nil for none.
    private let breaches: BreachedPasswords?

    /// - Throws: `IdentityError.invalidSetting` if argon2id rejects the parameters (RFC 9106 §3.1).
    ///   `.hashingUnavailable` without its library.
    package init(
        _ configuration: IdentityConfiguration, pepper: SymmetricKey, breaches: BreachedPasswords? = nil
    ) throws(IdentityError) {
        self.breaches = breaches
        do throws(CryptoError) { try Argon2id.requireLibrary() } catch { throw .hashingUnavailable(error) }
        decoyKey = pepper.derived(for: "latch password decoy")
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
    }

    /// The numbers of running and of waiting hashes.
    package var load: (running: Int, waiting: Int) { pool.load }

    /// Checks a new password: its length, whether it is a common one, and whether it is in a known leak.
    ///
    /// - Throws: `IdentityError.weakPassword` with the reason.
    package func check(_ password: String, for email: EmailAddress) async throws(IdentityError) {
        try PasswordPolicy.check(password, for: email)
        guard let breaches, await breaches.contain(password) else { return }
        throw .weakPassword("it is in a known leak of passwords", pageKey: "breachedPassword")
    }

    /// Hashes a password with a new salt, once a thread is free.
    ///
    /// - Parameter address: The address of the client, whose network takes turns in the queue; nil in process.
    /// - Throws: `IdentityError.overloaded`, `.cancelled` or `.hashingFailed`.
    package func hash(_ password: String, for purpose: WorkerPool.Purpose, from address: String?)
        async throws(IdentityError)
        -> String
    {
        let parameters = parameters
        return try await pool.run(for: purpose, from: NetworkPrefix(of: address ?? RequestOrigin.inProcess)) {
            () throws(IdentityError) in try Self.make(password, parameters)
        }
    }

    /// Returns whether a password matches the stored hash.
    ///
    /// Without a stored hash, the password is compared with a decoy, which takes as long and never matches. A malformed
    /// stored hash, or one whose parameters exceed the bounds, never matches and is not computed.
    package func verify(
        _ password: String, against stored: String?, or decoy: String, from address: String
    ) async throws(IdentityError) -> Bool {
        try await pool.run(for: .login, from: NetworkPrefix(of: address)) { () throws(IdentityError) in
            let hash = stored.flatMap { StoredPassword($0) }
            guard let comparable = hash ?? StoredPassword(decoy) else { throw .hashingFailed }
            let normalized = password.normalizedNFC
            do throws(CryptoError) {
                if try comparable.verifies(normalized) { return hash != nil }
                // A hash from before passwords were normalized.
                guard !normalized.utf8.elementsEqual(password.utf8) else { return false }
                return try comparable.verifies(password) && hash != nil
            } catch {
                throw .hashingFailed
            }
        }
    }

    /// Returns a hash of a verified password with the current parameters; nil if the stored hash stays.
    func upgrade(_ stored: String, of password: String, from address: String) async throws(IdentityError) -> String? {
        guard StoredPassword(stored)?.needsRehash(parameters, of: password) == true else { return nil }
        return try await hash(password, for: .login, from: address)
    }

    /// Whether any password can match a stored hash.
    package func isUsable(_ stored: String) -> Bool { StoredPassword(stored) != nil }

    /// Returns a hash in PHC form.
    private static func make(_ password: String, _ parameters: Argon2Parameters) throws(IdentityError) -> String {
        do throws(CryptoError) {
            return try PasswordHash.make(password.normalizedNFC, parameters: parameters)
        } catch {
            throw .hashingFailed
        }
    }

    /// Returns a hash of random bytes for a name without one, by the function and with the cost of a stored hash.
    ///
    /// If the store has no usable hashes, the decoy has the cost of new hashes: an attacker has nothing to compare.
    package func decoy(for name: String, among costs: PasswordCosts) -> String {
        let text = { (count: Int) in
            String(decoding: Base64Alphabet.standard.encode(SecureRandom.bytes(count)), as: UTF8.self)
        }
        let hash = { (cost: String) in "$argon2id$v=19$\(cost)$\(text(16))$\(text(32))" }
        if let cost = costs.parameters(for: name, key: decoyKey) {
            if let imported = ImportedPasswordHash(decoyFor: cost) { return imported.stored }
            if isUsable(hash(cost)) { return hash(cost) }
        }
        return hash(parameters.description)
    }
}
