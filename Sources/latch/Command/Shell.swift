// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// What a verb gets from outside: the environment, what it reads, the two streams it writes to, and the signals sent to it.
struct Shell: Sendable {
    /// A stream of text, or of whatever a server sent.
    struct Stream: Sendable {
        /// Whether a person reads along.
        let isTerminal: Bool
        /// Writes bytes as they are, at once.
        let writeBytes: @Sendable ([UInt8]) -> Void

        init(isTerminal: Bool, writeBytes: @escaping @Sendable ([UInt8]) -> Void) {
            self.isTerminal = isTerminal
            self.writeBytes = writeBytes
        }

        /// A stream that is read as text.
        init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
            self.init(isTerminal: isTerminal, writeBytes: { write(String(decoding: $0, as: UTF8.self)) })
        }

        /// Writes text, at once.
        func write(_ text: String) { writeBytes(Array(text.utf8)) }

        /// Writes a line, at once.
        func line(_ text: String) { write(text + "\n") }
    }

    /// What is typed or piped in.
    struct Input: Sendable {
        /// Whether a person types it.
        let isTerminal: Bool
        /// Everything up to the end, or as much as the limit and one byte more, by which the caller sees that it is too much.
        let all: @Sendable (_ limit: Int) async throws -> [UInt8]
        /// One line that a person types, shown while it is typed or not; nil at the end.
        ///
        /// The terminal is as it was afterwards, also where a signal ends the process meanwhile.
        let line: @Sendable (_ isShown: Bool, _ signals: Signals) async throws -> String?

        /// Nothing at all.
        static let empty = Input(isTerminal: false, all: { _ in [] }, line: { _, _ in nil })
    }

    /// As it was at the start; a verb reads nothing of it from anywhere else.
    let environment: [String: String]
    /// Read by the verbs that say so.
    var input = Input.empty
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
        self.error.line("latch: " + Self.oneLine(error.message).printable)
        if let hint = error.hint { self.error.line("hint: " + Self.oneLine(hint).printable) }
    }

    /// What a library reports may have several lines; a script expects one for each of the two.
    private static func oneLine(_ text: String) -> String {
        text.split { $0.isNewline }.joined(separator: " ")
    }

    /// Tells something that is no failure and should be known.
    func warn(_ message: String, hint: String) {
        error.line("latch: warning: \(message.printable)")
        error.line("hint: \(hint.printable)")
    }

    /// Writes one JSON value as a line.
    func json(_ value: JSONValue) { output.line(String(decoding: value.serialized(), as: UTF8.self)) }
}
