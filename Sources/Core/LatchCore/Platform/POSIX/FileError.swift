// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A failed system call on a file: its name, the path and the error number.
package struct FileError: Error, CustomStringConvertible {
    /// The reasons that callers distinguish.
    package enum Reason: Sendable {
        /// A missing file or folder.
        case missing
        /// A missing permission.
        case denied
        /// A read-only file system.
        case readOnly
        /// A full disk or quota.
        case full
        /// An operation that the file system does not have.
        case unsupported
        /// A file over the caller's limit.
        case tooLarge
        case other
    }

    /// The name of the call, such as `open`.
    package let operation: String
    /// The path of the call, which may differ from the caller's file.
    package let path: String
    /// The error number (errno).
    package let number: Int32

    /// Creates the error of the last call, whose errno is read before another call can change it.
    package init(_ operation: String, _ path: String, number: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.number = number
    }

    /// The reason; a forbidden symbolic link counts as denied.
    package var reason: Reason {
        switch number {
        case ENOENT: .missing
        case EACCES, EPERM, ELOOP: .denied
        case EROFS: .readOnly
        case ENOSPC, EDQUOT, EFBIG: .full
        case ENOLCK, EOPNOTSUPP, ENOSYS: .unsupported
        case EOVERFLOW: .tooLarge
        default: .other
        }
    }

    /// Whether a file system or user namespace may reject such a call with any arguments: a hard link, owner,
    /// permissions.
    var isRefusedHere: Bool { [EPERM, EACCES, ENOSYS, EOPNOTSUPP, EINVAL].contains(number) }

    package var description: String {
        "\(operation) \(path): \(String(cString: strerror(number)))"
    }
}
