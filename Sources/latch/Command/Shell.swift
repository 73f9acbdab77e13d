// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// What a verb gets from outside: the environment, the two streams it writes to, and the signals sent to it.
struct Shell: Sendable {
    /// A stream of text.
    struct Stream: Sendable {
        /// Whether a person reads along.
        let isTerminal: Bool
        let write: @Sendable (String) -> Void

        /// Writes a line, at once.
        func line(_ text: String) { write(text + "\n") }
    }

    /// As it was at the start; a verb reads nothing of it from anywhere else.
    let environment: [String: String]
    /// What was asked for, and nothing else: a script reads it.
    let output: Stream
    /// What went wrong, warnings, progress.
    let error: Stream
    /// SIGTERM, SIGINT and SIGHUP; a verb that does not listen is ended by them.
    let signals: Signals

    /// Tells what happened and what to do about it.
    ///
    /// To standard error, in two lines at most, without a time and without a stack: both would hide what to do.
    func tell(_ error: CommandError) {
        self.error.line("latch: " + Self.oneLine(error.message))
        if let hint = error.hint { self.error.line("hint: " + Self.oneLine(hint)) }
    }

    /// What a library reports may have several lines; a script expects one for each of the two.
    private static func oneLine(_ text: String) -> String {
        text.split { $0.isNewline }.joined(separator: " ")
    }

    /// Tells something that is no failure and should be known.
    func warn(_ message: String, hint: String) {
        error.line("latch: warning: \(message)")
        error.line("hint: \(hint)")
    }

    /// Writes one JSON value as a line.
    func json(_ value: JSONValue) { output.line(String(decoding: value.serialized(), as: UTF8.self)) }
}
