// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// Compares in a time that depends only on the length (CRYPTO_memcmp); buffers of different lengths differ immediately.
///
/// Two empty buffers are equal, with or without an address.
func constantTimeEqualBuffers(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let one = left.baseAddress, let other = right.baseAddress else { return true }
    return CRYPTO_memcmp(one, other, left.count) == 0
}

/// Overwrites bytes in a way that no optimizer removes.
///
/// It reaches only the array's storage. If another array shares that storage, the write copies it first and wipes the
/// copy. So wipe a secret where only one array holds it.
@usableFromInline package func wipe(_ bytes: inout [UInt8]) { bytes.withUnsafeMutableBytes { wipe($0) } }

/// Overwrites memory with zeros, in a way that no optimizer removes.
@usableFromInline func wipe(_ bytes: UnsafeMutableRawBufferPointer) { OPENSSL_cleanse(bytes.baseAddress, bytes.count) }
#endif
