// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin

/// Compares in a time that depends only on the length; buffers of different lengths differ immediately.
func constantTimeEqualBuffers(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let one = left.baseAddress, let other = right.baseAddress else { return true }
    return timingsafe_bcmp(one, other, left.count) == 0
}

/// Overwrites bytes in a way that no optimizer removes.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { buffer in
        guard let start = buffer.baseAddress else { return }
        _ = memset_s(start, buffer.count, 0, buffer.count)
    }
}
#endif
