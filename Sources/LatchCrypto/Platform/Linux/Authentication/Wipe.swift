// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

/// Overwrites bytes in a way that no optimiser removes.
func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
}
#endif
