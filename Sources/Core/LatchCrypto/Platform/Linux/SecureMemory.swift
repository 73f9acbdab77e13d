// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

/// Compares in a time that depends on the length only (CRYPTO_memcmp); buffers of different length differ at once.
///
/// Two empty buffers are equal, whether they have an address or none.
func constantTimeEqualBuffers(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let one = left.baseAddress, let other = right.baseAddress else { return true }
    return CRYPTO_memcmp(one, other, left.count) == 0
}

/// Overwrites bytes in a way that no optimizer removes.
///
/// It reaches the array's own storage only. While another array shares that storage, the write copies it first and
/// wipes the copy, so a secret has to be wiped where it is held alone.
@usableFromInline package func wipe(_ bytes: inout [UInt8]) { bytes.withUnsafeMutableBytes { wipe($0) } }

/// Overwrites memory with zeros, which the optimizer does not remove.
@usableFromInline func wipe(_ bytes: UnsafeMutableRawBufferPointer) { OPENSSL_cleanse(bytes.baseAddress, bytes.count) }
#endif
