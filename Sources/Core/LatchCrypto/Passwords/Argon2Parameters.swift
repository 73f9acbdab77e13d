// SPDX-License-Identifier: Apache-2.0

/// What an argon2id hash costs (RFC 9106).
public struct Argon2Parameters: Sendable, Hashable {
    /// How much memory, in KiB.
    ///
    /// At least eight for each lane (RFC 9106 §3.1). Each hash that is computed at the same time takes as much again.
    public let memoryKiB: Int
    /// How many passes over it.
    ///
    /// Time grows with their number, memory does not.
    public let passes: Int
    /// How many lanes.
    ///
    /// libargon2 gives each of several lanes a thread of its own for the duration of a hash.
    public let lanes: Int
    /// How many bytes the hash has.
    public let outputByteCount: Int

    /// A cost within bounds that neither a careless configuration nor a hostile record can leave: up to 1 GiB, 16 passes,
    /// 4 lanes, hashes of 16 to 64 bytes.
    ///
    /// - Throws: `CryptoError.unacceptableParameter`.
    public init(memoryKiB: Int, passes: Int, lanes: Int = 1, outputByteCount: Int = 32) throws(CryptoError) {
        guard (1...4).contains(lanes) else { throw .unacceptableParameter("argon2id takes 1 to 4 lanes") }
        guard (1...16).contains(passes) else { throw .unacceptableParameter("argon2id takes 1 to 16 passes") }
        // RFC 9106 §3.1: at least 8 blocks of 1 KiB for each lane.
        guard (8 * lanes...1 << 20).contains(memoryKiB) else {
            throw .unacceptableParameter("argon2id takes \(8 * lanes) KiB to 1 GiB of memory")
        }
        guard (16...64).contains(outputByteCount) else {
            throw .unacceptableParameter("an argon2id hash has 16 to 64 bytes")
        }
        self.init(checkedMemoryKiB: memoryKiB, passes: passes, lanes: lanes, outputByteCount: outputByteCount)
    }

    /// Takes a cost whose bounds the caller has checked, so that the default needs no `try`.
    private init(checkedMemoryKiB: Int, passes: Int, lanes: Int, outputByteCount: Int) {
        memoryKiB = checkedMemoryKiB
        self.passes = passes
        self.lanes = lanes
        self.outputByteCount = outputByteCount
    }

    /// 19 MiB and 2 passes: the first choice of OWASP's Password Storage Cheat Sheet.
    public static let `default` = Argon2Parameters(checkedMemoryKiB: 19_456, passes: 2, lanes: 1, outputByteCount: 32)
}
