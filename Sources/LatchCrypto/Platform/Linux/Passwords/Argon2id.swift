// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CArgon2

/// The function that makes guessing passwords expensive (RFC 9106).
public enum Argon2id {
    /// The hash of a password.
    ///
    /// - Parameter salt: 8 to 64 bytes, different for each password.
    /// - Throws: `CryptoError.engineFailure` when the memory cannot be had.
    public static func hash(
        password: [UInt8], salt: [UInt8], parameters: Argon2Parameters
    ) throws(CryptoError) -> [UInt8] {
        guard (8...64).contains(salt.count) else { throw .unacceptableParameter("a salt has 8 to 64 bytes") }
        // The library takes 32-bit lengths; nobody's password comes near.
        guard password.count <= 1 << 20 else { throw .unacceptableParameter("the password is over 1 MiB") }
        var hash = [UInt8](repeating: 0, count: parameters.outputByteCount)
        let result = argon2id_hash_raw(
            UInt32(parameters.passes), UInt32(parameters.memoryKiB), UInt32(parameters.lanes),
            password, password.count, salt, salt.count, &hash, hash.count)
        guard result == ARGON2_OK.rawValue else {
            let why = argon2_error_message(result).map { String(cString: $0) }
            throw .engineFailure(why.map { "argon2id (\($0))" } ?? "argon2id")
        }
        return hash
    }
}
#endif
