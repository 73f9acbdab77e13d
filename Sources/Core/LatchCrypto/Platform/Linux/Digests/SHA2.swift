// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// SHA-256 (FIPS 180-4).
public struct SHA256: HashFunction {
    /// OpenSSL's state, by value: a copy of the digest copies it, and nothing has to be freed.
    private var context: SHA256_CTX

    /// The length of a digest in bytes.
    public static var byteCount: Int { 32 }

    /// The length of a block in bytes.
    public static var blockByteCount: Int { 64 }

    /// Creates the state of an empty input.
    public init() {
        context = SHA256_CTX()
        // It writes constants into the caller's memory and cannot fail; neither can the other functions.
        _ = SHA256_Init(&context)
    }

    /// Adds bytes to the input.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        _ = SHA256_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
    }

    /// Writes the digest of the input so far to `output`.
    public func finalize(into output: UnsafeMutableBufferPointer<UInt8>) {
        guard output.count >= Self.byteCount else { return }
        var last = context
        _ = SHA256_Final(output.baseAddress, &last)
    }
}

/// SHA-384 (FIPS 180-4).
public struct SHA384: HashFunction {
    /// OpenSSL's state, by value: a copy of the digest copies it, and nothing has to be freed.
    private var context: SHA512_CTX

    /// The length of a digest in bytes.
    public static var byteCount: Int { 48 }

    /// The length of a block in bytes.
    public static var blockByteCount: Int { 128 }

    /// Creates the state of an empty input.
    public init() {
        context = SHA512_CTX()
        // It writes constants into the caller's memory and cannot fail; neither can the other functions.
        _ = SHA384_Init(&context)
    }

    /// Adds bytes to the input.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        _ = SHA384_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
    }

    /// Writes the digest of the input so far to `output`.
    public func finalize(into output: UnsafeMutableBufferPointer<UInt8>) {
        guard output.count >= Self.byteCount else { return }
        var last = context
        _ = SHA384_Final(output.baseAddress, &last)
    }
}

/// SHA-512 (FIPS 180-4).
public struct SHA512: HashFunction {
    /// OpenSSL's state, by value: a copy of the digest copies it, and nothing has to be freed.
    private var context: SHA512_CTX

    /// The length of a digest in bytes.
    public static var byteCount: Int { 64 }

    /// The length of a block in bytes.
    public static var blockByteCount: Int { 128 }

    /// Creates the state of an empty input.
    public init() {
        context = SHA512_CTX()
        // It writes constants into the caller's memory and cannot fail; neither can the other functions.
        _ = SHA512_Init(&context)
    }

    /// Adds bytes to the input.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        _ = SHA512_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
    }

    /// Writes the digest of the input so far to `output`.
    public func finalize(into output: UnsafeMutableBufferPointer<UInt8>) {
        guard output.count >= Self.byteCount else { return }
        var last = context
        _ = SHA512_Final(output.baseAddress, &last)
    }
}
#endif
