// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CArgon2
import Glibc

/// The function that makes guessing passwords expensive (RFC 9106).
public enum Argon2id {
    /// Returns the hash of a password.
    ///
    /// It maps the amount of memory in the parameters, runs on the calling thread or, with several lanes, on one thread
    /// for each, and returns when all passes are done and the memory is unmapped. The caller wipes its own copy of the
    /// password.
    ///
    /// - Parameters:
    ///   - password: The bytes of the password, at most 1 MiB.
    ///   - salt: A salt of 8 to 64 bytes, different for each password.
    ///   - parameters: The cost parameters and the length of the hash.
    /// - Throws: `CryptoError.unacceptableParameter` if the salt or the password has another length, and
    ///   `CryptoError.engineFailure` if the memory cannot be allocated.
    public static func hash(
        password: [UInt8], salt: [UInt8], parameters: Argon2Parameters
    ) throws(CryptoError) -> [UInt8] {
        try checkLengths(password: password, salt: salt)
        // The library reads both through pointers that are not const, and writes to neither without a flag for it.
        var (password, salt) = (password, salt)
        // Lending the copy as mutable memory separates it from the caller's array, so it can be wiped.
        defer { wipe(&password) }
        var hash = [UInt8](repeating: 0, count: parameters.outputByteCount)
        let result = hash.withUnsafeMutableBufferPointer { hash in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in run(password, salt, parameters, into: hash) }
            }
        }
        guard result == ARGON2_OK.rawValue else {
            let why = argon2_error_message(result).map { String(cString: $0) }
            throw .engineFailure(why.map { "argon2id (\($0))" } ?? "argon2id")
        }
        return hash
    }

    /// Does nothing: the library is linked.
    package static func requireLibrary() throws(CryptoError) {}

    /// Runs argon2id on the library's context, which points to the three buffers and to no other memory of Swift's.
    ///
    /// - Returns: A code of the library, `ARGON2_OK` or a reason, which holds nothing of the password.
    private static func run(
        _ password: UnsafeMutableBufferPointer<UInt8>, _ salt: UnsafeMutableBufferPointer<UInt8>,
        _ parameters: Argon2Parameters, into hash: UnsafeMutableBufferPointer<UInt8>
    ) -> Int32 {
        var context = argon2_context()
        context.out = hash.baseAddress
        context.outlen = UInt32(hash.count)
        context.pwd = password.baseAddress
        context.pwdlen = UInt32(password.count)
        context.salt = salt.baseAddress
        context.saltlen = UInt32(salt.count)
        context.t_cost = UInt32(parameters.passes)
        context.m_cost = UInt32(parameters.memoryKiB)
        context.lanes = UInt32(parameters.lanes)
        context.threads = UInt32(parameters.lanes)
        context.version = ARGON2_VERSION_NUMBER.rawValue
        context.allocate_cbk = allocate
        context.free_cbk = release
        return argon2id_ctx(&context)
    }

    /// Memory of its own mapping: malloc keeps freed blocks of this size for later, tens of MiB in an idle server.
    private static let allocate: @convention(c) (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, Int) -> Int32 = {
        memory, count in
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let memory, let block = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0), block != MAP_FAILED else {
            return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
        }
        // Few large pages instead of thousands: less time in the kernel, and fewer misses in the random walk that
        // follows. On a system without large pages, the call has no effect.
        madvise(block, count, MADV_HUGEPAGE)
        memory.pointee = block.assumingMemoryBound(to: UInt8.self)
        return ARGON2_OK.rawValue
    }

    /// Removes the mapping; the kernel zeroes its pages before it reuses them.
    private static let release: @convention(c) (UnsafeMutablePointer<UInt8>?, Int) -> Void = { memory, count in
        munmap(memory, count)
    }
}
#endif
