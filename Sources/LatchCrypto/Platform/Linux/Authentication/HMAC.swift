// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// An authentication code over a digest (RFC 2104).
///
/// A value of it is a prepared key: the two padded blocks are digested once, and a copy of the value starts another
/// message without doing so again.
public struct HMAC<Hash: HashFunction>: Sendable {
    /// The code that is made.
    public typealias MAC = HashedAuthenticationCode<Hash>
    /// The key that makes it.
    public typealias Key = SymmetricKey

    private var inner = Hash()
    private var outer = Hash()

    /// Prepares a key, with no message so far.
    public init(key: SymmetricKey) {
        // RFC 2104 §2: a key longer than a block is replaced by its digest; then it is padded with zeros.
        var block = [UInt8](repeating: 0, count: Hash.blockByteCount)
        defer { wipe(&block) }
        key.withUnsafeBytes { bytes in
            guard bytes.count > block.count else {
                return block.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
            }
            var hash = Hash()
            hash.update(bufferPointer: bytes)
            block.withUnsafeMutableBufferPointer { hash.finalize(into: $0) }
        }
        for index in block.indices { block[index] ^= 0x36 }
        inner.update(data: block)
        for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
        outer.update(data: block)
    }

    /// Adds bytes to the message.
    public mutating func update(data: some Collection<UInt8>) { inner.update(data: data) }

    /// The code of the message so far.
    public func finalize() -> MAC {
        var last = outer
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Hash.byteCount) { digest in
            inner.finalize(into: digest)
            last.update(bufferPointer: UnsafeRawBufferPointer(digest))
            return MAC(bytes: Array(last.finalize()))
        }
    }

    /// The code of `data` under `key`.
    public static func authenticationCode(for data: some Collection<UInt8>, using key: SymmetricKey) -> MAC {
        var code = Self(key: key)
        code.update(data: data)
        return code.finalize()
    }

    /// Whether `code` is the code of `data` under `key`, compared in constant time.
    public static func isValidAuthenticationCode(
        _ code: some Collection<UInt8>, authenticating data: some Collection<UInt8>, using key: SymmetricKey
    ) -> Bool {
        constantTimeEquals(authenticationCode(for: data, using: key).bytes, code)
    }
}
#endif
