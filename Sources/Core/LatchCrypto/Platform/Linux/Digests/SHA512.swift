// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

/// SHA-512 (FIPS 180-4).
public struct SHA512: HashFunction {
    /// OpenSSL's state, by value: a copy of the digest is a copy of it, and there is nothing to free.
    private var context: SHA512_CTX

    /// How many bytes a digest has.
    public static var byteCount: Int { 64 }

    /// How many bytes are worked on at once.
    public static var blockByteCount: Int { 128 }

    /// The digest of nothing, so far.
    public init() {
        context = SHA512_CTX()
        // It writes constants into our memory and has no way to fail; so have its companions.
        _ = SHA512_Init(&context)
    }

    /// Adds bytes to what is digested.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        _ = SHA512_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
    }

    /// Writes the digest of everything so far to `output`.
    public func finalize(into output: UnsafeMutableBufferPointer<UInt8>) {
        guard output.count >= Self.byteCount else { return }
        var last = context
        _ = SHA512_Final(output.baseAddress, &last)
    }
}
#endif
