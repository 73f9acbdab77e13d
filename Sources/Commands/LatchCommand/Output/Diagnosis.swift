// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// The result of one check.
package struct Diagnosis: Sendable {
    /// The stable name of the check.
    package let subject: String
    /// Whether the check passed, possibly with a warning.
    package let isFine: Bool
    /// Whether the check found a state that works but is probably unintended.
    package var isWarning = false
    /// The findings, with the most important line first.
    package let lines: [String]
    /// The remedy.
    package var hint: String?
    /// The findings for a script.
    package var facts: JSONObject = [:]

    package init(
        subject: String, isFine: Bool, lines: [String], hint: String? = nil, facts: JSONObject = [:]
    ) {
        self.subject = subject
        self.isFine = isFine
        self.lines = lines
        self.hint = hint
        self.facts = facts
    }

    package static func fine(_ subject: String, _ lines: String..., facts: JSONObject = [:]) -> Diagnosis {
        Diagnosis(subject: subject, isFine: true, lines: lines, facts: facts)
    }

    package static func wrong(
        _ subject: String, _ lines: String..., hint: String?, facts: JSONObject = [:]
    ) -> Diagnosis {
        Diagnosis(subject: subject, isFine: false, lines: lines, hint: hint, facts: facts)
    }

    /// Creates the finding of something that works, and is probably not intended.
    ///
    /// - Parameter copied: Lines to copy into a file, after the findings.
    package static func warning(
        _ subject: String, _ lines: String..., copying copied: [String] = [], hint: String, facts: JSONObject = [:]
    ) -> Diagnosis {
        var diagnosis = Diagnosis(subject: subject, isFine: true, lines: lines + copied, hint: hint, facts: facts)
        diagnosis.isWarning = true
        return diagnosis
    }

    /// Creates the result of a check that failed with an error.
    package static func wrong(_ subject: String, _ error: any Error) -> Diagnosis {
        let error = CommandError(describing: error)
        return wrong(subject, error.message, hint: error.hint, facts: ["code": .string(error.code)])
    }

    /// The diagnosis as one JSON object.
    package var json: JSONValue {
        var object: JSONObject = [
            "subject": .string(subject), "fine": .bool(isFine), "says": .string(lines.joined(separator: "\n")),
        ]
        if isWarning { object["warning"] = true }
        if let hint { object["hint"] = .string(hint) }
        for fact in facts { object[fact.key] = fact.value }
        return .object(object)
    }

    /// Returns the diagnosis as lines with a leading mark and the subject in a column.
    fileprivate func text(width: Int, _ style: TextStyle) -> String {
        let mark = isWarning ? style.warning("⚠") : isFine ? style.success("✓") : style.failure("✗")
        let gap = String(repeating: " ", count: width + 4)
        let first = "\(mark) \(subject)" + String(repeating: " ", count: width - subject.count + 2)
        let findings = lines.map(\.printable) + (hint.map { [style.dim("hint: " + $0.printable)] } ?? [])
        return first + findings.joined(separator: "\n" + gap) + "\n"
    }
}

extension [Diagnosis] {
    /// Returns all diagnoses as text, the subjects in a column.
    package func text(_ style: TextStyle = .plain) -> String {
        let width = map(\.subject.count).max() ?? 0
        return map { $0.text(width: width, style) }.joined()
    }
}
