// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The bytes of an authentication code; it compares in constant time and prints redacted.
public struct HashedAuthenticationCode<Hash: HashFunction>: RandomAccessCollection, Hashable, Sendable {
    /// As many bytes as the digest has; not wiped, since a code travels with its message.
    let bytes: [UInt8]

    /// The index of the first byte.
    public var startIndex: Int { 0 }

    /// The index after the last byte.
    public var endIndex: Int { bytes.count }

    /// The byte at an index.
    public subscript(position: Int) -> UInt8 { bytes[position] }

    /// Lends the bytes as one buffer.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try bytes.withContiguousStorageIfAvailable(body)
    }

    /// Compares in constant time.
    public static func == (left: Self, right: Self) -> Bool { constantTimeEquals(left.bytes, right.bytes) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension HashedAuthenticationCode: CustomStringConvertible, CustomReflectable {
    /// The size, and nothing of the code, which lets its holder in.
    public var description: String { "HashedAuthenticationCode(\(bytes.count) bytes, redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
