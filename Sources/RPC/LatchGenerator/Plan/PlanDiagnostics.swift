// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Collects what is wrong with the options of one file.
final class PlanDiagnostics {
    private(set) var list: [Diagnostic] = []
    private let source: SourceText
    private var told: Set<String> = []

    init(_ source: SourceText) { self.source = source }

    /// Adds one, with the line that it is about; a message that several calls send is wrong once.
    func add(
        _ message: String, at place: Place?, hint: String? = nil, as severity: Diagnostic.Severity = .error
    ) {
        var diagnostic = Diagnostic(severity, file: source.name, place: place, message: message, hint: hint)
        if let place { diagnostic.show(source.line(Int(place.line)), at: place) }
        guard told.insert(diagnostic.description).inserted else { return }
        list.append(diagnostic)
    }
}

extension Sequence<String> {
    /// The names in a hint: `'a', 'b' or 'c'`.
    var asChoice: String {
        let quoted = map { "'\($0)'" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }
}
