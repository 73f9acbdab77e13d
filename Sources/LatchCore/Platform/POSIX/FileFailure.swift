// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A system call on a file that failed: which, on what, and why.
package struct FileFailure: Error, CustomStringConvertible {
    /// Why, as far as callers treat it differently.
    package enum Reason: Sendable {
        case missing, denied, readOnly, full, other
    }

    package let operation: String
    package let path: String
    package let number: Int32

    /// The failure of the call that was just made.
    package init(_ operation: String, _ path: String, number: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    package var reason: Reason {
        switch number {
        case ENOENT: .missing
        case EACCES, EPERM, ELOOP: .denied
        case EROFS: .readOnly
        case ENOSPC, EDQUOT, EFBIG: .full
        default: .other
        }
    }

    package var description: String {
        "\(operation) \(path): \(String(cString: strerror(number)))"
    }
}
