// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// An error of a command, with its exit code.
package struct CommandError: CodedError {
    package let code: String
    package let message: String
    package let hint: String?
    /// 2 for a usage error, 1 for all other errors, as in GNU and BSD tools.
    package let exitCode: ExitCode

    private init(_ code: String, _ message: String, hint: String?, exitCode: ExitCode) {
        self.code = code
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }

    /// Creates an error for a command line that cannot be parsed (exit 2).
    ///
    /// It is thrown only before anything has run, so that a script can correct the call and repeat it.
    package static func usage(_ message: String, hint: String) -> CommandError {
        CommandError("usage", message, hint: hint, exitCode: .usage)
    }

    /// Creates an error for a command that failed (exit 1).
    ///
    /// Partial work was undone, or can be repeated safely.
    package static func failed(_ message: String, hint: String? = nil) -> CommandError {
        CommandError("failed", message, hint: hint, exitCode: .failure)
    }

    /// Creates an error that describes another error, and keeps the codes of modules.
    package init(describing error: any Error) {
        switch error {
        case let error as CommandError:
            self = error
        case let error as any CodedError:
            self.init(error.code, error.message, hint: error.hint, exitCode: .failure)
        default:
            self = .failed("Something went wrong: \(error).")
        }
    }
}

/// The exit code of a command, between 0 and 255 (POSIX `_exit`).
package struct ExitCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let success = ExitCode(rawValue: 0)
    /// The command failed.
    package static let failure = ExitCode(rawValue: 1)
    /// The command line cannot be parsed; nothing has run.
    package static let usage = ExitCode(rawValue: 2)

    /// Returns the code of a command that was interrupted twice: 130 for SIGINT, 143 for SIGTERM.
    ///
    /// If a signal ended a process, shells report 128 plus the signal's number (POSIX, Shell Command Language §2.8.2).
    /// So a script sees the same code with and without a signal handler.
    package static func ended(by signal: Signal) -> ExitCode { ExitCode(rawValue: 128 + signal.number) }
}
