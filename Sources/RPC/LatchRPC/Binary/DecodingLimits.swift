// SPDX-License-Identifier: Apache-2.0

/// How much of a message is read before it is refused.
public struct DecodingLimits: Sendable, Hashable {
    /// How many messages may lie inside of each other.
    public var depth: Int
    /// How many bytes a message may have; protobuf's own limit is 2 GiB.
    public var bytes: Int

    /// Limits for what comes from a stranger.
    public init(depth: Int = 100, bytes: Int = 0x7FFF_FFFF) {
        self.depth = depth
        self.bytes = bytes
    }

    /// 100 messages inside of each other, as protobuf's other implementations allow, and 2 GiB.
    public static let standard = DecodingLimits()
}
