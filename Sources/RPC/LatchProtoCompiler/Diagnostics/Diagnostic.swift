// SPDX-License-Identifier: Apache-2.0

/// An error or a warning about a .proto file.
package struct Diagnostic: Sendable, Hashable {
    /// The severity of a diagnostic.
    package enum Severity: String, Sendable, Hashable, Codable {
        /// The file cannot be used.
        case error
        /// The file can be used.
        case warning
    }

    package var severity: Severity
    /// The name under which the file is imported.
    package var file: String
    /// The position in the file; nil if the diagnostic concerns the whole file.
    package var position: SourcePosition?
    package var message: String
    /// A hint about how to solve the problem; nil if the message is clear.
    package var hint: String?
    /// The line at the position, or the part around the position; empty if there is none.
    package var excerpt = ""
    /// The whitespace that puts the caret below the position in `excerpt`.
    var indent = ""

    /// Creates a diagnostic without an excerpt.
    package init(
        _ severity: Severity = .error, file: String, position: SourcePosition?, message: String, hint: String? = nil
    ) {
        self.severity = severity
        self.file = file
        self.position = position
        self.message = message
        self.hint = hint
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The text `file:line:column: error: message`, followed by the line with a caret, and the hint.
    ///
    /// Lines and columns count from one, as in editors.
    package var description: String {
        var text = file
        if let position { text += ":\(position.line + 1):\(position.column + 1)" }
        text += ": \(severity.rawValue): \(message)"
        if position != nil, !excerpt.isEmpty { text += "\n    \(excerpt)\n    \(indent)^" }
        if let hint { text += "\n    hint: \(hint)" }
        return text
    }
}

extension Diagnostic {
    /// Adds the line that the diagnostic concerns.
    package mutating func show(_ line: ArraySlice<UInt8>, at position: SourcePosition) {
        let shown = Excerpt(line, column: position.column)
        (excerpt, indent) = (shown.text, shown.indent)
    }
}

/// A collector of diagnostics, so that one run reports all problems.
final class Diagnostics {
    private(set) var list: [Diagnostic] = []

    /// The offsets of the lines in the file that the last diagnostic concerned.
    private var lines: (name: String, starts: [Int]) = ("", [])

    /// The number of errors in `list`.
    private(set) var errorCount = 0

    /// Adds all diagnostics of another collector.
    func add(_ others: Diagnostics) {
        list += others.list
        errorCount += others.errorCount
    }

    /// Adds a diagnostic with an excerpt of its line.
    func add(
        _ message: String, at position: SourcePosition?, in source: SourceFile, hint: String? = nil,
        as severity: Diagnostic.Severity = .error
    ) {
        var diagnostic = Diagnostic(
            severity, file: source.name, position: position, message: message.withoutControls,
            hint: hint?.withoutControls)
        if let position { diagnostic.show(line(position.line, of: source), at: position) }
        list.append(diagnostic)
        if severity == .error { errorCount += 1 }
    }

    private func line(_ number: Int32, of source: SourceFile) -> ArraySlice<UInt8> {
        if lines.name != source.name || lines.starts.isEmpty { lines = (source.name, source.lineStarts) }
        return source.line(Int(number), starts: lines.starts)
    }

    /// Sorts the diagnostics from index `start` by their positions.
    func sortByPosition(from start: Int) {
        let origin = SourcePosition(line: 0, column: 0)
        let sorted = list[start...].enumerated().sorted {
            ($0.element.position ?? origin, $0.offset) < ($1.element.position ?? origin, $1.offset)
        }
        list[start...] = ArraySlice(sorted.map(\.element))
    }
}

extension FileDescriptor {
    /// Returns a diagnostic about a position in the file, with an excerpt of its line.
    package func diagnostic(
        _ message: String, at position: SourcePosition?, hint: String? = nil, as severity: Diagnostic.Severity = .error
    ) -> Diagnostic {
        var diagnostic = Diagnostic(
            severity, file: name, position: position, message: message.withoutControls, hint: hint?.withoutControls)
        if let position { diagnostic.show(source.line(Int(position.line)), at: position) }
        return diagnostic
    }
}
