// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchProto

/// Which of many diagnostics a person is shown: the first of each file, and so many in all.
///
/// One wrong brace can make thousands; nobody reads them, and the first ones scroll away.
struct DiagnosticBounds: Sendable {
    /// So many of one severity are shown of a file.
    static let mostOfFile = 20
    /// So many of one severity are shown in all.
    static let most = 100

    private struct Source: Hashable {
        let file: String
        let severity: Diagnostic.Severity
    }

    private let showsAll: Bool
    private var counts: [Source: Int] = [:]
    private var shown: [Diagnostic.Severity: Int] = [:]
    private var hidden: [Diagnostic.Severity: Int] = [:]

    init(showsAll: Bool) { self.showsAll = showsAll }

    /// Whether the next one is shown.
    mutating func admits(_ diagnostic: Diagnostic) -> Bool {
        guard !showsAll else { return true }
        let (severity, source) = (
            diagnostic.severity, Source(file: diagnostic.file, severity: diagnostic.severity)
        )
        guard counts[source, default: 0] < Self.mostOfFile, shown[severity, default: 0] < Self.most else {
            hidden[severity, default: 0] += 1
            return false
        }
        counts[source, default: 0] += 1
        shown[severity, default: 0] += 1
        return true
    }

    /// What was not shown, in a line; nil where all was.
    var rest: String? {
        let parts = [(Diagnostic.Severity.error, "error"), (.warning, "warning")].compactMap { severity, word in
            hidden[severity].map { "\($0) more \(word)\($0 == 1 ? "" : "s")" }
        }
        return parts.isEmpty ? nil : "… and \(parts.joined(separator: " and ")): --all-errors shows all"
    }
}

extension DiagnosticBounds {
    /// The diagnostics that are shown, and a line about the others.
    static func shown(_ diagnostics: [Diagnostic], all: Bool = false) -> (list: [Diagnostic], rest: String?) {
        var bounds = DiagnosticBounds(showsAll: all)
        let list = diagnostics.filter { bounds.admits($0) }
        return (list, bounds.rest)
    }
}

extension Diagnostic {
    /// The diagnostic with nothing in it that steers a terminal; tabs stay, by which the caret finds its column.
    var printed: String {
        description.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }
                .joined(separator: "\t")
        }.joined(separator: "\n")
    }
}
