// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// What a command tells the person who called it instead of doing what was asked.
package struct CommandError: CodedError {
    package let code: String
    package let message: String
    package let hint: String?
    /// 2 for a call that is not understood, 1 for everything else (as GNU and BSD tools have it).
    package let exitCode: ExitCode

    /// Errors are made by their kind, which decides the exit code.
    private init(_ code: String, _ message: String, hint: String?, exitCode: ExitCode) {
        self.code = code
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }

    /// The command line is not understood.
    ///
    /// Exit 2. Thrown only before anything was begun, so that a script may correct the call and repeat it.
    ///
    /// - Parameter hint: Never missing: who mistyped needs to know how it is typed.
    package static func usage(_ message: String, hint: String) -> CommandError {
        CommandError("usage", message, hint: hint, exitCode: .usage)
    }

    /// The command was understood and could not be carried out.
    ///
    /// Exit 1. What was begun has been undone, or is safe to be begun again.
    package static func failed(_ message: String, hint: String? = nil) -> CommandError {
        CommandError("failed", message, hint: hint, exitCode: .failure)
    }
}

extension CommandError {
    /// Any error as it is told to a person, with the exit code it leads to.
    ///
    /// The codes of modules are kept and are not mixed up: a script compares the exit code, a person reads the text.
    package init(telling error: any Error) {
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
