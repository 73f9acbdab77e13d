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
        /// In turn: no such file or folder; no leave; a file system that takes no writing; no room; anything else.
        case missing, denied, readOnly, full, other
    }

    /// The name of the call, such as `open`.
    package let operation: String
    /// The path that was given to it, which need not be the caller's file.
    package let path: String
    /// The system's number for the reason (errno).
    package let number: Int32

    /// The failure of the call that was just made: errno is read here, before another call can change it.
    package init(_ operation: String, _ path: String, number: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// What a caller may do about it; a symbolic link where none may be counts as denied.
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
