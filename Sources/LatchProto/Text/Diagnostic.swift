// SPDX-License-Identifier: Apache-2.0

/// Something that is wrong with a .proto file, or strange about it, and where.
public struct Diagnostic: Sendable, Hashable {
    /// How much it matters.
    public enum Severity: String, Sendable, Hashable, Codable {
        /// The file cannot be used.
        case error
        /// The file can be used.
        case warning
    }

    /// How much it matters.
    public var severity: Severity
    /// The file, by the name under which it was asked for.
    public var file: String
    /// Where in the file; nil where it is about the file as a whole.
    public var place: Place?
    /// What is wrong.
    public var message: String
    /// What to do about it; nil where the message says it.
    public var hint: String?
    /// The line that it is about; empty where there is none.
    public var excerpt = ""

    /// A diagnostic.
    public init(
        _ severity: Severity = .error, file: String, place: Place?, message: String, hint: String? = nil
    ) {
        self.severity = severity
        self.file = file
        self.place = place
        self.message = message
        self.hint = hint
    }
}

extension Diagnostic: CustomStringConvertible {
    /// `file:line:column: error: what`, and below it the line with a caret, and the hint.
    ///
    /// Lines and columns are counted from one, as editors do.
    public var description: String {
        var text = file
        if let place { text += ":\(place.line + 1):\(place.column + 1)" }
        text += ": \(severity.rawValue): \(message)"
        if let place, !excerpt.isEmpty {
            // The caret's line repeats the tabs, so that both lines are indented alike.
            var (column, gap) = (0, "")
            for character in excerpt.utf8 where column < place.column {
                let isTab = character == UInt8(ascii: "\t")
                gap += isTab ? "\t" : " "
                column = isTab ? (column / 8 + 1) * 8 : column + 1
            }
            text += "\n    \(excerpt)\n    \(gap)^"
        }
        if let hint { text += "\n    hint: \(hint)" }
        return text
    }
}

/// Collects what is wrong, so that one run tells all of it.
final class Diagnostics {
    private(set) var list: [Diagnostic] = []

    /// How many errors are among them.
    private(set) var errorCount = 0

    /// Adds one, with the line that it is about.
    func add(
        _ message: String, at place: Place?, in source: SourceText, hint: String? = nil,
        as severity: Diagnostic.Severity = .error
    ) {
        var diagnostic = Diagnostic(severity, file: source.name, place: place, message: message, hint: hint)
        if let place { diagnostic.excerpt = source.line(Int(place.line)) }
        list.append(diagnostic)
        if severity == .error { errorCount += 1 }
    }

    /// Puts what was added behind the first so many in the order of the text.
    func sortByPlace(from start: Int) {
        let origin = Place(line: 0, column: 0)
        let sorted = list[start...].enumerated().sorted {
            ($0.element.place ?? origin, $0.offset) < ($1.element.place ?? origin, $1.offset)
        }
        list[start...] = ArraySlice(sorted.map(\.element))
    }
}
