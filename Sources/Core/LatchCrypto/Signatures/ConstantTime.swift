// SPDX-License-Identifier: Apache-2.0

/// Whether two secrets are equal, in a time that depends on their length but not on their content.
///
/// The length is not secret: secrets with different lengths differ immediately.
public func constantTimeEquals(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    let equal = left.withContiguousStorageIfAvailable { left in
        right.withContiguousStorageIfAvailable { right in constantTimeEqualBuffers(left, right) }
    }
    if let equal, let equal { return equal }
    return Array(left).withUnsafeBufferPointer { left in
        Array(right).withUnsafeBufferPointer { right in constantTimeEqualBuffers(left, right) }
    }
}
