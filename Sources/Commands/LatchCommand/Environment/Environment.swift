// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// The environment of a subcommand: variables, standard streams and signals.
///
/// A subcommand reads them only from here, so that a test can replace them.
package struct Environment: Sendable {
    /// An output stream of text or bytes.
    package struct Output: Sendable {
        /// Whether the stream is a terminal.
        package let isTerminal: Bool
        /// Writes bytes unbuffered.
        package let writeBytes: @Sendable ([UInt8]) -> Void
        /// Returns the columns of the terminal's window; nil if they are unknown.
        let columns: @Sendable () -> Int?

        package init(
            isTerminal: Bool, columns: @escaping @Sendable () -> Int? = { nil },
            writeBytes: @escaping @Sendable ([UInt8]) -> Void
        ) {
            self.isTerminal = isTerminal
            self.columns = columns
            self.writeBytes = writeBytes
        }

        /// Writes text unbuffered.
        package func write(_ text: String) { writeBytes(Array(text.utf8)) }

        /// Writes a line unbuffered.
        package func line(_ text: String) { write(text + "\n") }
    }

    /// The standard input.
    package struct Input: Sendable {
        /// Whether the input is a terminal.
        package let isTerminal: Bool
        /// Reads to the end, or until more than the limit has arrived; the caller sees from the length that the input
        /// is too long.
        package let all: @Sendable (_ limit: Int) async throws -> [UInt8]
        /// Reads one line from the user, with or without echo; nil at the end.
        ///
        /// The prompt is written once the terminal is ready, so that nothing typed after it is discarded. The terminal
        /// is restored afterwards, even if a signal ends the process.
        package let line: ReadLine

        /// Streams lines without their line breaks; a line that is too long is cut one byte after the limit.
        package let lines: @Sendable (_ limit: Int) -> AsyncThrowingStream<[UInt8], any Error>

        /// A function that writes a prompt and reads one line.
        package typealias ReadLine =
            @Sendable (
                _ isShown: Bool, _ signals: Signals, _ writePrompt: @Sendable () -> Void
            ) async throws -> String?

        package init(
            isTerminal: Bool, all: @escaping @Sendable (_ limit: Int) async throws -> [UInt8], line: @escaping ReadLine,
            lines: @escaping @Sendable (_ limit: Int) -> AsyncThrowingStream<[UInt8], any Error> = { _ in
                AsyncThrowingStream { $0.finish() }
            }
        ) {
            self.isTerminal = isTerminal
            self.all = all
            self.line = line
            self.lines = lines
        }

        /// An empty input.
        package static let empty = Input(isTerminal: false, all: { _ in [] }, line: { _, _, _ in nil })
    }

    /// The environment variables at the start of the process.
    package let variables: [String: String]
    /// The standard input.
    package var input = Input.empty
    /// The standard output, which carries results only.
    package let output: Output
    /// The standard error, for errors, warnings and progress.
    package let error: Output
    /// SIGTERM, SIGINT and SIGHUP, which end a subcommand that does not receive them.
    package let signals: Signals
    /// The work to finish before the process ends.
    package let endings: ExitTasks
    /// The command's name, with which its errors and warnings begin.
    package var name = "latch"

    package init(
        variables: [String: String], input: Input = .empty, output: Output, error: Output, signals: Signals,
        endings: ExitTasks = ExitTasks()
    ) {
        self.variables = variables
        self.input = input
        self.output = output
        self.error = error
        self.signals = signals
        self.endings = endings
    }

    /// Returns the value of a variable without trailing line breaks; nil if it is not set or empty.
    ///
    /// CI systems and Compose set missing variables to the empty string, and files of secrets end with a line break.
    package func value(of name: String) -> String? {
        guard let text = variables[name]?.utf8 else { return nil }
        let end = text.lastIndex { $0 != 0x0A && $0 != 0x0D }
        return end.map { String(Substring(text[...$0])) }
    }

    /// Returns the columns of a terminal, or those of the variable `COLUMNS`; nil for a file or a pipe.
    package func width(of stream: Output) -> Int? {
        guard stream.isTerminal else { return nil }
        let chosen = value(of: "COLUMNS").flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
        return chosen ?? stream.columns() ?? 80
    }

    /// Returns the colors of a stream.
    package func style(of stream: Output) -> TextStyle { TextStyle(variables, isTerminal: stream.isTerminal) }

    /// Finishes work that would otherwise be lost, and tells a waiting user; returns whether all of it was finished.
    func finish() async -> Bool {
        let limit = Duration.seconds(90)
        let isFinished = await endings.finish(within: limit) {
            let interrupt = signals.isSignalled ? "Ctrl-C" : "Ctrl-C twice"
            error.line("\(name): waiting for a refresh to be answered and stored; \(interrupt) may lose the session")
            signals.announceInterrupt()
        }
        guard !isFinished else { return true }
        warn(
            "A refresh has not ended, and its answer is lost.",
            hint: "If the next command says that the session has ended, sign in again.")
        return false
    }

    /// Writes an error and its hint to standard error, each on one line.
    package func report(_ error: CommandError) { self.error.line(text(of: error, style: style(of: self.error))) }

    /// Returns an error, and its hint on a second line, in the format of standard error.
    package func text(of error: CommandError, style: TextStyle = .plain) -> String {
        let hint = error.hint.map { "\n" + style.dim("hint: " + Self.oneLine($0).printable) } ?? ""
        return style.failure("\(name):") + " " + Self.oneLine(error.message).printable + hint
    }

    /// Returns a text of several lines as one line, which scripts expect.
    private static func oneLine(_ text: String) -> String {
        text.split { $0.isNewline }.joined(separator: " ")
    }

    /// Writes a warning and its hint to standard error.
    package func warn(_ message: String, hint: String, copying lines: [String] = []) {
        error.line(text(ofWarning: message, hint: hint, copying: lines, style: style(of: error)))
    }

    /// Returns a warning in the format of standard error: the message, its hint on a second line, and the lines to copy.
    package func text(
        ofWarning message: String, hint: String, copying lines: [String] = [], style: TextStyle = .plain
    ) -> String {
        let head = [
            style.warning("\(name): warning:") + " " + message.printable, style.dim("hint: \(hint.printable)"),
        ]
        return (head + lines.map(\.printable)).joined(separator: "\n")
    }

    /// Writes one JSON value as a line, or on a terminal with a line for each member.
    package func json(_ value: JSONValue) {
        guard output.isTerminal else {
            return output.line(String(decoding: value.serialized(), as: UTF8.self).printableJSON)
        }
        for line in value.indentedText.split(separator: "\n") { output.line(String(line).printableJSON) }
    }

    /// Writes a result: as JSON if the call has the flag `--json`, otherwise as text.
    package func write(
        _ text: @autoclosure () -> String, orJSON value: @autoclosure () -> JSONValue, for invocation: Invocation
    ) {
        guard !invocation.wantsJSON else { return json(value()) }
        let text = text()
        output.write(text.hasSuffix("\n") ? text : text + "\n")
    }
}
