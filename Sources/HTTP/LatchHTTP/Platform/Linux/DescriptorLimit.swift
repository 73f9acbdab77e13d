// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The limits of open files, for the process and for the system.
enum DescriptorLimit {
    /// Whether an error number means that one of them is reached.
    static func isReached(_ number: CInt) -> Bool { number == EMFILE || number == ENFILE }

    /// Whether no file can be opened now.
    ///
    /// Name resolution and TLS do not report why they could not open a file.
    static var isReached: Bool {
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard file < 0 else {
            close(file)
            return false
        }
        return isReached(errno)
    }
}
#endif
