// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

/// Overwrites bytes in a way that no optimiser removes.
///
/// It reaches the array's own storage only. While another array shares that storage, the write copies it first and
/// wipes the copy, so a secret has to be wiped where it is held alone.
func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}
#endif
