// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchProtoCompiler

/// A limit on the number of shown diagnostics, for each file and in total.
///
/// A single wrong brace can cause thousands of diagnostics.
struct DiagnosticLimiter: Sendable {
    /// The maximum number of diagnostics of one severity for a file.
    static let maximumPerFile = 20
    /// The maximum number of diagnostics of one severity in total.
    static let maximum = 100

    private struct Source: Hashable {
        let file: String
        let severity: Diagnostic.Severity
    }

    private let showsAll: Bool
    private var counts: [Source: Int] = [:]
    private var shown: [Diagnostic.Severity: Int] = [:]
    private var hidden: [Diagnostic.Severity: Int] = [:]

    init(showsAll: Bool) { self.showsAll = showsAll }

    /// Whether the next diagnostic is shown.
    mutating func admits(_ diagnostic: Diagnostic) -> Bool {
        guard !showsAll else { return true }
        let severity = diagnostic.severity
        let source = Source(file: diagnostic.file, severity: severity)
        guard counts[source, default: 0] < Self.maximumPerFile, shown[severity, default: 0] < Self.maximum else {
            hidden[severity, default: 0] += 1
            return false
        }
        counts[source, default: 0] += 1
        shown[severity, default: 0] += 1
        return true
    }

    /// The numbers of omitted diagnostics as a line; nil if there are none.
    var rest: String? {
        let parts = [(Diagnostic.Severity.error, "error"), (.warning, "warning")].compactMap { severity, word in
            hidden[severity].map { "\($0) more \(word)\($0 == 1 ? "" : "s")" }
        }
        return parts.isEmpty ? nil : "… and \(parts.joined(separator: " and ")): --all-errors shows all"
    }
}

extension DiagnosticLimiter {
    /// Returns the diagnostics to show, and a line with the numbers of the others.
    static func shown(_ diagnostics: [Diagnostic], all: Bool = false) -> (list: [Diagnostic], rest: String?) {
        var limiter = DiagnosticLimiter(showsAll: all)
        let list = diagnostics.filter { limiter.admits($0) }
        return (list, limiter.rest)
    }
}

extension Diagnostic {
    /// The description without terminal control characters; tabs remain, because the caret's column depends on them.
    var printed: String { description.printableLines }
}
