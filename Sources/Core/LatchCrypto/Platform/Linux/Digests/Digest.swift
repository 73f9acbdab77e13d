// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The bytes of a digest.
public struct Digest: RandomAccessCollection, Hashable, Sendable, CustomStringConvertible {
    /// As many bytes as the kind of digest has: 20, 32, 48 or 64.
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

    /// The digest in hexadecimal.
    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Compares in constant time, since a digest may stand for a secret.
    public static func == (left: Digest, right: Digest) -> Bool { constantTimeEquals(left.bytes, right.bytes) }
}
#endif
