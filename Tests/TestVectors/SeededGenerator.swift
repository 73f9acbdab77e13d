// SPDX-License-Identifier: Apache-2.0

/// Numbers that a seed determines (SplitMix64), so that a failure can be played again.
///
/// A test that uses it puts the seed into the comment of its expectation.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The sequence of a seed.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// So many bytes of the sequence.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }
}
