// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCrypto

/// Hashes and checks passwords with argon2id, on threads of their own.
struct Passwords: Sendable {
    /// What a check found.
    struct Verdict: Sendable {
        /// Whether the password is the one of the hash; false where there was no hash.
        let matches: Bool
        /// A hash of the same password by today's parameters, where the stored one has others.
        var better: String?
    }

    /// Those of new hashes; a stored hash brings its own.
    private let parameters: Argon2Parameters
    let pool: WorkerPool
    /// A hash of no password: checking against it takes as long as checking against a real one.
    private let decoy: String

    /// - Throws: `IdentityError.invalidSetting` where argon2id does not take the parameters (RFC 9106 §3.1).
    init(_ configuration: IdentityConfiguration) throws(IdentityError) {
        do throws(CryptoError) {
            parameters = try Argon2Parameters(
                memoryKiB: configuration.argon2MemoryKiB, passes: configuration.argon2Passes)
        } catch {
            throw .invalidSetting("argon2_memory_kib", "within the bounds of argon2id")
        }
        // More at once than processors would only make each slower, and cost 19 MiB each.
        pool = WorkerPool(
            label: "latch.passwords", workers: ProcessInfo.processInfo.activeProcessorCount,
            maximumWaiting: configuration.passwordQueueLimit)
        decoy = Self.decoy(parameters)
    }

    /// How many hashes run and how many wait.
    var load: (running: Int, waiting: Int) { pool.load }

    /// A new hash with a salt of its own, made when a thread is free.
    ///
    /// - Throws: `IdentityError.overloaded`, `.cancelled` or `.hashingFailed`, none of which holds the password.
    func hash(_ password: String) async throws(IdentityError) -> String {
        let parameters = parameters
        return try await pool.run { () throws(IdentityError) in try Self.make(password, parameters) }
    }

    /// Checks a password with the same work whether there is a hash or not.
    ///
    /// A stored hash that cannot be read, or that would cost more than any of ours, matches nothing and is not computed.
    func check(_ password: String, against stored: String?) async throws(IdentityError) -> Verdict {
        let parameters = parameters
        let decoy = decoy
        return try await pool.run { () throws(IdentityError) in
            let hash = stored.flatMap(Self.parsed)
            guard let comparable = hash ?? Self.parsed(decoy) else { throw .hashingFailed }
            do throws(CryptoError) {
                guard try comparable.verifies(password), hash != nil else { return Verdict(matches: false) }
            } catch {
                throw .hashingFailed
            }
            guard comparable.needsRehash(parameters) else { return Verdict(matches: true) }
            return Verdict(matches: true, better: try Self.make(password, parameters))
        }
    }

    /// Nil for what is not a PHC string of ours or has parameters beyond our bounds: a hostile row must not cost a
    /// gigabyte (attack D12).
    private static func parsed(_ text: String) -> PasswordHash? {
        do throws(CryptoError) {
            return try PasswordHash(parsing: text)
        } catch {
            return nil
        }
    }

    /// The hash by the parameters in effect, in PHC form, so that those that made it stand beside it.
    private static func make(_ password: String, _ parameters: Argon2Parameters) throws(IdentityError) -> String {
        do throws(CryptoError) {
            return try PasswordHash.make(password, parameters: parameters)
        } catch {
            throw .hashingFailed
        }
    }

    /// A PHC string of random bytes, which needs no hashing to be made.
    private static func decoy(_ parameters: Argon2Parameters) -> String {
        let text = { (count: Int) in
            String(decoding: SecureRandom.bytes(count).map { alphabet[Int($0 & 63)] }, as: UTF8.self)
        }
        // The last digit of 22 carries 2 bits and of 43 carries 4; "A" leaves the others zero.
        return "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.passes),p=\(parameters.lanes)"
            + "$\(text(21))A$\(text(42))A"
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}

extension IdentityError {
    /// Memory for a hash cannot be had, or argon2 refuses; which, is not told to clients.
    static let hashingFailed = IdentityError(
        code: "hashingFailed", message: "The server cannot check passwords now.", retryAfter: .seconds(2))
}
