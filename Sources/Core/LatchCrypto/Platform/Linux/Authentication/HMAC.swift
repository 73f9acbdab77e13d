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

    /// The digest of the key xor 0x36…, and then of the message (RFC 2104 §2).
    private var inner = Hash()
    /// The digest of the key xor 0x5C…, waiting for the inner digest.
    private var outer = Hash()

    /// Prepares a key, with no message so far.
    ///
    /// Any length is taken. One shorter than the digest weakens the code (RFC 2104 §3), which whoever chooses keys has
    /// to see to. The padded block is wiped before this returns.
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
    ///
    /// It changes nothing: the message may go on, and the code may be asked for again.
    public func finalize() -> MAC {
        var last = outer
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Hash.byteCount) { digest in
            inner.finalize(into: digest)
            last.update(bufferPointer: UnsafeRawBufferPointer(digest))
            return MAC(bytes: last.finalize().bytes)
        }
    }

    /// The code of `data` under `key`.
    public static func authenticationCode(for data: some Collection<UInt8>, using key: SymmetricKey) -> MAC {
        var code = Self(key: key)
        code.update(data: data)
        return code.finalize()
    }

    /// Whether `code` is the code of `data` under `key`, compared in constant time.
    ///
    /// A code that was cut short is not accepted, although RFC 2104 §5 would allow it: nothing here needs one.
    public static func isValidAuthenticationCode(
        _ code: some Collection<UInt8>, authenticating data: some Collection<UInt8>, using key: SymmetricKey
    ) -> Bool {
        constantTimeEquals(authenticationCode(for: data, using: key).bytes, code)
    }
}
#endif
