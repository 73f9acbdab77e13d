// SPDX-License-Identifier: Apache-2.0

/// How much of a JSON text is read before it is refused.
public struct JSONLimits: Sendable, Hashable {
    /// How deep arrays and objects may be nested; at most 512, so that no text can exhaust the stack.
    public let depth: Int
    /// How many bytes the text may have; it is looked at before anything is read.
    public let bytes: Int

    /// Limits for a text; a depth out of bounds becomes the nearest that is allowed, and 0 allows no array or object.
    public init(depth: Int = 64, bytes: Int = 16 << 20) {
        self.depth = Swift.min(Swift.max(depth, 0), 512)
        self.bytes = bytes
    }

    /// 64 levels and 16 MiB.
    public static let `default` = JSONLimits()
}
