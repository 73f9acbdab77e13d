// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension Shell.Stream {
    /// The process's standard output; nothing is kept back, so that a reader at the other end sees each line at once.
    package static let standardOutput = Shell.Stream(file: STDOUT_FILENO)

    /// The process's standard error.
    package static let standardError = Shell.Stream(file: STDERR_FILENO)

    /// A stream over a descriptor.
    ///
    /// It writes everything or, when the reader is gone, nothing more, and never throws for it.
    private init(file: Int32) {
        self.init(isTerminal: isatty(file) == 1) { (bytes: [UInt8]) in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                // Whoever read has gone away: there is nobody to tell.
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}

/// Ends the process at once.
///
/// What the libraries registered for `exit` would run while other threads still use it. Nothing is lost by leaving it
/// out: the streams hold nothing back, and what must be durable already is.
package func endProcess(_ code: ExitCode) -> Never { _exit(code.rawValue) }

/// The system's `write`, which the streams' own would hide.
private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, buffer, count)
}
