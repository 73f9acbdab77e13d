// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// A cryptographic hash function that takes its input in pieces.
public protocol HashFunction: Sendable {
    /// The length of a digest in bytes.
    static var byteCount: Int { get }
    /// The length of a block in bytes; HMAC pads its keys to it.
    static var blockByteCount: Int { get }

    /// Creates the state of an empty input.
    init()

    /// Adds bytes to the input.
    ///
    /// An empty piece changes nothing, and the division into pieces does not affect the digest.
    mutating func update(bufferPointer: UnsafeRawBufferPointer)

    /// Writes the digest of the input so far to `output`, which has room for ``byteCount`` bytes.
    ///
    /// If there is less room, nothing is written. The state does not change, so that more input may be added.
    func finalize(into output: UnsafeMutableBufferPointer<UInt8>)
}

extension HashFunction {
    /// Returns the digest of data that is complete in memory.
    @inlinable public static func hash(data: some Collection<UInt8>) -> Digest {
        var hash = Self()
        hash.update(data: data)
        return hash.finalize()
    }

    /// Adds bytes to the input.
    ///
    /// A collection with contiguous storage is read in place; any other is copied first.
    @inlinable public mutating func update(data: some Collection<UInt8>) {
        let fed: Void? = data.withContiguousStorageIfAvailable { update(bufferPointer: UnsafeRawBufferPointer($0)) }
        guard fed == nil else { return }
        Array(data).withUnsafeBytes { update(bufferPointer: $0) }
    }

    /// Returns the digest of the input so far; more input can be added afterwards.
    @inlinable public func finalize() -> Digest {
        Digest(
            bytes: [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
                finalize(into: buffer)
                count = Self.byteCount
            })
    }
}

/// The bytes of a digest.
public struct Digest: RandomAccessCollection, Hashable, Sendable, CustomStringConvertible {
    /// The bytes, as many as the hash function produces: 20, 32, 48 or 64.
    @usableFromInline let bytes: [UInt8]

    @usableFromInline init(bytes: [UInt8]) { self.bytes = bytes }

    /// The index of the first byte.
    @inlinable public var startIndex: Int { 0 }

    /// The index after the last byte.
    @inlinable public var endIndex: Int { bytes.count }

    /// The number of bytes.
    @inlinable public var count: Int { bytes.count }

    /// Returns the byte at an index.
    @inlinable public subscript(position: Int) -> UInt8 { bytes[position] }

    /// Calls `body` with the bytes as one buffer.
    @inlinable public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try bytes.withContiguousStorageIfAvailable(body)
    }

    // swift-format-ignore: NoLeadingUnderscores
    /// Returns the bytes for `Array(digest)`, which would otherwise copy them one by one; the standard library chose
    /// the name.
    @inlinable public func _copyToContiguousArray() -> ContiguousArray<UInt8> { ContiguousArray(bytes) }

    /// The digest in hexadecimal.
    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Compares in constant time, since a digest may represent a secret.
    public static func == (left: Digest, right: Digest) -> Bool { constantTimeEquals(left.bytes, right.bytes) }
}
#endif
