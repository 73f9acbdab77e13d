// SPDX-License-Identifier: Apache-2.0

/// The cost parameters of an argon2id hash (RFC 9106).
public struct Argon2Parameters: Sendable, Hashable {
    /// The amount of memory, in KiB.
    ///
    /// At least eight per lane (RFC 9106 §3.1). Each concurrent hash needs the same amount again.
    public let memoryKiB: Int
    /// The number of passes over the memory.
    ///
    /// Time grows with their number, but memory does not.
    public let passes: Int
    /// The number of lanes.
    ///
    /// With several lanes, libargon2 starts one thread per lane for the duration of a hash.
    public let lanes: Int
    /// The length of the hash in bytes.
    public let outputByteCount: Int

    /// Creates parameters within limits that protect against careless configurations and hostile records.
    ///
    /// The limits are 1 GiB, 16 passes, the work of four passes over 1 GiB, 4 lanes, and hashes of 16 to 64 bytes.
    ///
    /// - Throws: `CryptoError.unacceptableParameter`.
    public init(memoryKiB: Int, passes: Int, lanes: Int = 1, outputByteCount: Int = 32) throws(CryptoError) {
        guard (1...4).contains(lanes) else { throw .unacceptableParameter("argon2id takes 1 to 4 lanes") }
        guard (1...16).contains(passes) else { throw .unacceptableParameter("argon2id takes 1 to 16 passes") }
        // RFC 9106 §3.1: at least 8 blocks of 1 KiB for each lane.
        guard (8 * lanes...1 << 20).contains(memoryKiB) else {
            throw .unacceptableParameter("argon2id takes \(8 * lanes) KiB to 1 GiB of memory")
        }
        guard memoryKiB * passes <= 4 << 20 else {
            throw .unacceptableParameter("argon2id takes four passes over 1 GiB, or as much work")
        }
        guard (16...64).contains(outputByteCount) else {
            throw .unacceptableParameter("an argon2id hash has 16 to 64 bytes")
        }
        self.init(checkedMemoryKiB: memoryKiB, passes: passes, lanes: lanes, outputByteCount: outputByteCount)
    }

    /// Creates parameters that the caller has checked, so that the default needs no `try`.
    private init(checkedMemoryKiB: Int, passes: Int, lanes: Int, outputByteCount: Int) {
        memoryKiB = checkedMemoryKiB
        self.passes = passes
        self.lanes = lanes
        self.outputByteCount = outputByteCount
    }

    /// 19 MiB and 2 passes: the first choice of OWASP's Password Storage Cheat Sheet.
    public static let `default` = Argon2Parameters(checkedMemoryKiB: 19_456, passes: 2, lanes: 1, outputByteCount: 32)

    /// 64 MiB and 3 passes, for the passphrase of a file: the second choice of RFC 9106 §4, in one lane.
    package static let passphrase = Argon2Parameters(
        checkedMemoryKiB: 65_536, passes: 3, lanes: 1, outputByteCount: 32)
}

extension Argon2Parameters: LosslessStringConvertible {
    /// The cost as the PHC string format writes it: `m=19456,t=2,p=1`.
    public var description: String { "m=\(memoryKiB),t=\(passes),p=\(lanes)" }

    /// Parses a cost in exactly the form of ``description``, for a hash of 32 bytes; nil outside the limits.
    public init?(_ description: String) { self.init(Substring(description), outputByteCount: 32) }

    /// Parses a cost; each has one representation, so a sign, a leading zero and another order are rejected.
    init?(_ text: Substring, outputByteCount: Int) {
        let numbers = text.utf8.split { !(0x30...0x39).contains($0) }.compactMap { Int(Substring($0)) }
        guard numbers.count == 3,
            let parameters = try? Self(
                memoryKiB: numbers[0], passes: numbers[1], lanes: numbers[2], outputByteCount: outputByteCount),
            parameters.description.utf8.elementsEqual(text.utf8)
        else { return nil }
        self = parameters
    }
}

extension Argon2id {
    /// Checks the lengths of a password and its salt, which the library takes as 32-bit numbers.
    ///
    /// - Throws: `CryptoError.unacceptableParameter` unless the salt has 8 to 64 bytes, and the password at most 1 MiB.
    static func checkLengths(password: [UInt8], salt: [UInt8]) throws(CryptoError) {
        guard (8...64).contains(salt.count) else { throw .unacceptableParameter("a salt has 8 to 64 bytes") }
        guard password.count <= 1 << 20 else { throw .unacceptableParameter("the password is over 1 MiB") }
    }
}
