// SPDX-License-Identifier: Apache-2.0

/// How a command ended, for the shell.
///
/// Only the low eight bits reach the parent (POSIX `_exit`), so every code here is between 0 and 255.
package struct ExitCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// It did what it was asked to.
    package static let success = ExitCode(rawValue: 0)
    /// It could not.
    package static let failure = ExitCode(rawValue: 1)
    /// It was called in a way that it does not understand; nothing was begun.
    package static let usage = ExitCode(rawValue: 2)

    /// It was told to end, and then told again before it had finished: 130 for SIGINT, 143 for SIGTERM.
    ///
    /// Shells report a process that a signal ended as 128 and the signal's number (POSIX, Shell Command Language
    /// §2.8.2), so a script sees the same whether or not the signal reached a handler.
    package static func ended(by signal: Signal) -> ExitCode { ExitCode(rawValue: 128 + signal.number) }
}
