// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchArgon2
import Glibc

/// The password hash function argon2id (RFC 9106), which makes guessing expensive.
public enum Argon2id {
    /// Returns the hash of a password.
    ///
    /// It maps the amount of memory in the parameters. It runs on the calling thread or, with several lanes, on one
    /// thread for each. It returns when all passes are done and the memory is unmapped. The caller wipes its copy of
    /// the password.
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
        let lanes = UInt32(parameters.lanes)
        let cost = Cost(
            memoryKiB: UInt32(parameters.memoryKiB), passes: UInt32(parameters.passes), lanes: lanes, threads: lanes,
            outputByteCount: parameters.outputByteCount)
        // RFC 9106 §3.1: version 0x13.
        return try hash(password: password, salt: salt, cost: cost, variant: .id, version: 0x13)
    }

    /// Returns the hash of a password by any function of argon2, for digests of other systems.
    ///
    /// It runs on the calling thread only. The caller checks the cost and the lengths.
    ///
    /// - Throws: `CryptoError.engineFailure` if the library rejects the cost, or the memory cannot be allocated.
    package static func hash(
        password: [UInt8], salt: [UInt8], variant: Argon2Variant, version: Int, memoryKiB: Int, passes: Int, lanes: Int,
        outputByteCount: Int
    ) throws(CryptoError) -> [UInt8] {
        let cost = Cost(
            memoryKiB: UInt32(clamping: memoryKiB), passes: UInt32(clamping: passes), lanes: UInt32(clamping: lanes),
            threads: 1, outputByteCount: outputByteCount)
        return try hash(password: password, salt: salt, cost: cost, variant: variant, version: version)
    }

    /// The cost as the library takes it.
    private struct Cost {
        var memoryKiB, passes, lanes, threads: UInt32
        var outputByteCount: Int
    }

    private static func hash(
        password: [UInt8], salt: [UInt8], cost: Cost, variant: Argon2Variant, version: Int
    ) throws(CryptoError) -> [UInt8] {
        // The library reads both through non-const pointers, and writes to them only if a flag is set.
        var (password, salt) = (password, salt)
        // The mutable copy is separate from the caller's array, so it can be wiped.
        defer { wipe(&password) }
        var hash = [UInt8](repeating: 0, count: cost.outputByteCount)
        let result = hash.withUnsafeMutableBufferPointer { hash in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    run(password, salt, cost, variant, UInt32(clamping: version), into: hash)
                }
            }
        }
        guard result == ARGON2_OK.rawValue else {
            let why = argon2_error_message(result).map { String(cString: $0) }
            throw .engineFailure(why.map { "argon2 (\($0))" } ?? "argon2")
        }
        return hash
    }

    /// Does nothing: the library is linked.
    package static func requireLibrary() throws(CryptoError) {}

    /// Runs argon2 on the library's context, which points only to the three buffers of Swift's memory.
    ///
    /// - Returns: A code of the library, `ARGON2_OK` or a reason, which contains nothing of the password.
    private static func run(
        _ password: UnsafeMutableBufferPointer<UInt8>, _ salt: UnsafeMutableBufferPointer<UInt8>,
        _ cost: Cost, _ variant: Argon2Variant, _ version: UInt32, into hash: UnsafeMutableBufferPointer<UInt8>
    ) -> Int32 {
        var context = argon2_context()
        context.out = hash.baseAddress
        context.outlen = UInt32(hash.count)
        context.pwd = password.baseAddress
        context.pwdlen = UInt32(password.count)
        context.salt = salt.baseAddress
        context.saltlen = UInt32(salt.count)
        context.t_cost = cost.passes
        context.m_cost = cost.memoryKiB
        context.lanes = cost.lanes
        context.threads = cost.threads
        context.version = version
        context.allocate_cbk = allocate
        context.free_cbk = release
        return switch variant {
        case .d: argon2d_ctx(&context)
        case .i: argon2i_ctx(&context)
        case .id: argon2id_ctx(&context)
        }
    }

    /// Allocates memory as a separate mapping: malloc would keep freed blocks of this size, tens of MiB in an idle
    /// server.
    private static let allocate: @convention(c) (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, Int) -> Int32 = {
        memory, count in
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let memory, let block = mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0), block != MAP_FAILED else {
            return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
        }
        // A few large pages instead of thousands need less time in the kernel, and cause fewer misses in the random
        // walk that follows. On a system without large pages, the call has no effect.
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
