// SPDX-License-Identifier: Apache-2.0

/// How a command ended, for the shell.
struct ExitCode: RawRepresentable, Sendable, Hashable {
    let rawValue: Int32

    /// It did what it was asked to.
    static let success = ExitCode(rawValue: 0)
    /// It could not.
    static let failure = ExitCode(rawValue: 1)
    /// It was called in a way that it does not understand; nothing was begun.
    static let usage = ExitCode(rawValue: 2)
}
