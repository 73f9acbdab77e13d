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
    /// The line that it is about, or the part of it around the place; empty where there is none.
    public var excerpt = ""
    /// As wide as what stands in front of the place in `excerpt`.
    var indent = ""

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
        if place != nil, !excerpt.isEmpty { text += "\n    \(excerpt)\n    \(indent)^" }
        if let hint { text += "\n    hint: \(hint)" }
        return text
    }
}

extension Diagnostic {
    /// Adds the line that it is about.
    package mutating func show(_ line: ArraySlice<UInt8>, at place: Place) {
        let shown = Excerpt(line, column: place.column)
        (excerpt, indent) = (shown.text, shown.indent)
    }
}

/// Collects what is wrong, so that one run tells all of it.
final class Diagnostics {
    private(set) var list: [Diagnostic] = []

    /// Where the lines of a file begin, for the file that was talked about last.
    private var lines: (name: String, starts: [Int]) = ("", [])

    /// How many errors are among them.
    private(set) var errorCount = 0

    /// Adds all that others found.
    func add(_ others: Diagnostics) {
        list += others.list
        errorCount += others.errorCount
    }

    /// Adds one, with the line that it is about.
    func add(
        _ message: String, at place: Place?, in source: SourceText, hint: String? = nil,
        as severity: Diagnostic.Severity = .error
    ) {
        var diagnostic = Diagnostic(
            severity, file: source.name, place: place, message: message.withoutControls, hint: hint?.withoutControls)
        if let place { diagnostic.show(line(place.line, of: source), at: place) }
        list.append(diagnostic)
        if severity == .error { errorCount += 1 }
    }

    private func line(_ number: Int32, of source: SourceText) -> ArraySlice<UInt8> {
        if lines.name != source.name || lines.starts.isEmpty { lines = (source.name, source.lineStarts) }
        guard Int(number) < lines.starts.count else { return [] }
        let start = lines.starts[Int(number)]
        let end = Int(number) + 1 < lines.starts.count ? lines.starts[Int(number) + 1] - 1 : source.bytes.count
        return source.bytes[start..<end]
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
