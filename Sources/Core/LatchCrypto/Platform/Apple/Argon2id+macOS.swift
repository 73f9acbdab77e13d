// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import Darwin

/// The password hash function argon2id (RFC 9106), for a server that runs on macOS for development.
///
/// libargon2 is not linked but loaded with the first hash, so that no app depends on it.
public enum Argon2id {
    /// Returns the hash of a password.
    ///
    /// It runs on the calling thread or, with several lanes, on one thread for each. The caller wipes its copy of the
    /// password.
    ///
    /// - Parameters:
    ///   - password: The bytes of the password, at most 1 MiB.
    ///   - salt: A salt of 8 to 64 bytes, different for each password.
    ///   - parameters: The cost parameters and the length of the hash.
    /// - Throws: `CryptoError.unacceptableParameter` if the salt or the password has another length, `.unavailable` if
    ///   libargon2 is not installed, and `.engineFailure` if the memory cannot be allocated.
    public static func hash(
        password: [UInt8], salt: [UInt8], parameters: Argon2Parameters
    ) throws(CryptoError) -> [UInt8] {
        try checkLengths(password: password, salt: salt)
        guard let hashRaw else { throw missingLibrary }
        var hash = [UInt8](repeating: 0, count: parameters.outputByteCount)
        let result = hashRaw(
            UInt32(parameters.passes), UInt32(parameters.memoryKiB), UInt32(parameters.lanes),
            password, password.count, salt, salt.count, &hash, hash.count)
        guard result == 0 else { throw .engineFailure("argon2id (code \(result))") }
        return hash
    }

    /// Checks that libargon2 can be loaded, so that a server can report it when it starts.
    ///
    /// - Throws: `CryptoError.unavailable`.
    package static func requireLibrary() throws(CryptoError) {
        if hashRaw == nil { throw missingLibrary }
    }

    /// The type of `argon2id_hash_raw`: passes, KiB, lanes, password, salt and result, each with its length.
    private typealias HashRaw =
        @convention(c) (
            UInt32, UInt32, UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int
        ) -> Int32

    /// The function of the library; nil if the library is not installed.
    private static let hashRaw: HashRaw? = {
        let library = libraryPaths.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
        guard let library, let symbol = dlsym(library, "argon2id_hash_raw") else { return nil }
        return unsafeBitCast(symbol, to: HashRaw.self)
    }()

    /// The paths of Homebrew on Apple silicon and on Intel, and of MacPorts.
    private static let libraryPaths = ["/opt/homebrew", "/usr/local", "/opt/local"].map {
        "\($0)/lib/libargon2.1.dylib"
    }

    private static let missingLibrary = CryptoError.unavailable(
        "libargon2, which hashes passwords,", hint: "Install it: brew install argon2")
}
#endif
