// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// An authentication code over a digest (RFC 2104).
///
/// A value is a prepared key: the two padded blocks are digested once. A copy of the value starts another message
/// without digesting them again. The type is inlinable so that other modules specialize it: without that, each step
/// looks up its types.
public struct HMAC<Hash: HashFunction>: Sendable {
    /// A code as long as the digest, which compares in constant time.
    public typealias MAC = HashedAuthenticationCode<Hash>
    /// A secret of any length.
    public typealias Key = SymmetricKey

    /// The digest of the key xor 0x36…, and then of the message (RFC 2104 §2).
    @usableFromInline var inner: Hash
    /// The digest of the key xor 0x5C…, waiting for the inner digest.
    @usableFromInline var outer: Hash

    /// Prepares a key, without a message.
    ///
    /// Any length is accepted. A key shorter than the digest weakens the code (RFC 2104 §3), which is the caller's
    /// responsibility. The padded block is wiped before this returns.
    @inlinable public init(key: SymmetricKey) {
        var (inner, outer) = (Hash(), Hash())
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Hash.blockByteCount) { block in
            defer { wipe(UnsafeMutableRawBufferPointer(block)) }
            block.initialize(repeating: 0)
            // RFC 2104 §2: a key longer than a block is replaced by its digest; then it is padded with zeros.
            key.withUnsafeBytes { bytes in
                guard bytes.count > block.count else {
                    return UnsafeMutableRawBufferPointer(block).copyBytes(from: bytes)
                }
                var hash = Hash()
                hash.update(bufferPointer: bytes)
                hash.finalize(into: block)
            }
            for index in 0..<block.count { block[index] ^= 0x36 }
            inner.update(bufferPointer: UnsafeRawBufferPointer(block))
            for index in 0..<block.count { block[index] ^= 0x36 ^ 0x5C }
            outer.update(bufferPointer: UnsafeRawBufferPointer(block))
        }
        (self.inner, self.outer) = (inner, outer)
    }

    /// Adds bytes to the message.
    @inlinable public mutating func update(data: some Collection<UInt8>) { inner.update(data: data) }

    /// Adds bytes to the message.
    @inlinable mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
        inner.update(bufferPointer: bytes)
    }

    /// Returns the code of the message so far.
    ///
    /// It does not change the state: the message can be continued, and the code can be computed again.
    @inlinable public func finalize() -> MAC {
        var last = outer
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Hash.byteCount) { digest in
            inner.finalize(into: digest)
            last.update(bufferPointer: UnsafeRawBufferPointer(digest))
            return MAC(bytes: last.finalize().bytes)
        }
    }

    /// Returns the code of `data` under `key`.
    @inlinable public static func authenticationCode(for data: some Collection<UInt8>, using key: SymmetricKey) -> MAC {
        var code = Self(key: key)
        code.update(data: data)
        return code.finalize()
    }

    /// Whether `code` is the code of `data` under `key`, compared in constant time.
    ///
    /// A truncated code is rejected, although RFC 2104 §5 allows it: no caller needs one.
    public static func isValidAuthenticationCode(
        _ code: some Collection<UInt8>, authenticating data: some Collection<UInt8>, using key: SymmetricKey
    ) -> Bool {
        constantTimeEquals(authenticationCode(for: data, using: key).bytes, code)
    }
}

/// The bytes of an authentication code; it compares in constant time and prints redacted.
public struct HashedAuthenticationCode<Hash: HashFunction>: RandomAccessCollection, Hashable, Sendable {
    /// The bytes, as many as in the digest.
    ///
    /// They are not wiped automatically, since a code is sent with its message.
    @usableFromInline var bytes: [UInt8]

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
    /// Returns the bytes for `Array(code)`, which would otherwise copy them one by one; the standard library chose the
    /// name.
    @inlinable public func _copyToContiguousArray() -> ContiguousArray<UInt8> { ContiguousArray(bytes) }

    /// Compares in constant time.
    public static func == (left: Self, right: Self) -> Bool { constantTimeEquals(left.bytes, right.bytes) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension HashedAuthenticationCode: CustomStringConvertible, CustomReflectable {
    /// The size; the code is redacted, since it grants access.
    public var description: String { "HashedAuthenticationCode(\(bytes.count) bytes, redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
