// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// What a verb gets from outside: the environment, what it reads, the two streams it writes to, and the signals sent to it.
package struct Shell: Sendable {
    /// A stream of text, or of whatever a server sent.
    package struct Stream: Sendable {
        /// Whether a person reads along.
        package let isTerminal: Bool
        /// Writes bytes as they are, at once.
        package let writeBytes: @Sendable ([UInt8]) -> Void

        package init(isTerminal: Bool, writeBytes: @escaping @Sendable ([UInt8]) -> Void) {
            self.isTerminal = isTerminal
            self.writeBytes = writeBytes
        }

        /// A stream that is read as text.
        package init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
            self.init(isTerminal: isTerminal, writeBytes: { write(String(decoding: $0, as: UTF8.self)) })
        }

        /// Writes text, at once.
        package func write(_ text: String) { writeBytes(Array(text.utf8)) }

        /// Writes a line, at once.
        package func line(_ text: String) { write(text + "\n") }
    }

    /// What is typed or piped in.
    package struct Input: Sendable {
        /// Whether a person types it.
        package let isTerminal: Bool
        /// Everything up to the end, or as much as the limit and one byte more, by which the caller sees that it is too much.
        package let all: @Sendable (_ limit: Int) async throws -> [UInt8]
        /// One line that a person types, shown while it is typed or not; nil at the end.
        ///
        /// The terminal is as it was afterwards, also where a signal ends the process meanwhile.
        package let line: @Sendable (_ isShown: Bool, _ signals: Signals) async throws -> String?

        /// Lines as they come, without their breaks; of one that is longer than the limit, so much and one byte more.
        package let lines: @Sendable (_ limit: Int) -> AsyncStream<[UInt8]>

        package init(
            isTerminal: Bool, all: @escaping @Sendable (_ limit: Int) async throws -> [UInt8],
            line: @escaping @Sendable (_ isShown: Bool, _ signals: Signals) async throws -> String?,
            lines: @escaping @Sendable (_ limit: Int) -> AsyncStream<[UInt8]> = { _ in AsyncStream { $0.finish() } }
        ) {
            self.isTerminal = isTerminal
            self.all = all
            self.line = line
            self.lines = lines
        }

        /// Nothing at all.
        package static let empty = Input(isTerminal: false, all: { _ in [] }, line: { _, _ in nil })
    }

    /// As it was at the start; a verb reads nothing of it from anywhere else.
    package let environment: [String: String]
    /// Read by the verbs that say so.
    package var input = Input.empty
    /// What was asked for, and nothing else: a script reads it.
    package let output: Stream
    /// What went wrong, warnings, progress.
    package let error: Stream
    /// SIGTERM, SIGINT and SIGHUP; a verb that does not listen is ended by them.
    package let signals: Signals
    /// What the command is called in what it tells.
    package var name = "latch"

    package init(
        environment: [String: String], input: Input = .empty, output: Stream, error: Stream, signals: Signals
    ) {
        self.environment = environment
        self.input = input
        self.output = output
        self.error = error
        self.signals = signals
    }

    /// Tells what happened and what to do about it.
    ///
    /// To standard error, in two lines at most, without a time and without a stack: both would hide what to do.
    package func tell(_ error: CommandError) {
        self.error.line("\(name): " + Self.oneLine(error.message).printable)
        if let hint = error.hint { self.error.line("hint: " + Self.oneLine(hint).printable) }
    }

    /// What a library reports may have several lines; a script expects one for each of the two.
    private static func oneLine(_ text: String) -> String {
        text.split { $0.isNewline }.joined(separator: " ")
    }

    /// Tells something that is no failure and should be known.
    package func warn(_ message: String, hint: String) {
        error.line("\(name): warning: \(message.printable)")
        error.line("hint: \(hint.printable)")
    }

    /// Writes one JSON value as a line.
    package func json(_ value: JSONValue) { output.line(String(decoding: value.serialized(), as: UTF8.self)) }
}
