// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// What came of one look.
package struct Diagnosis: Sendable {
    /// What a script knows it by.
    package let subject: String
    /// Whether it holds.
    package let isFine: Bool
    /// What was found, the most important line first.
    package let lines: [String]
    /// What to do about it.
    package var hint: String?
    /// The same for a script.
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

    package static func wrong(_ subject: String, _ lines: String..., hint: String?, facts: JSONObject = [:])
        -> Diagnosis
    {
        Diagnosis(subject: subject, isFine: false, lines: lines, hint: hint, facts: facts)
    }

    /// What an error keeps from being found out.
    package static func wrong(_ subject: String, _ error: any Error) -> Diagnosis {
        let told = CommandError(telling: error)
        return wrong(subject, told.message, hint: told.hint, facts: ["code": .string(told.code)])
    }

    /// One JSON object.
    package var json: JSONValue {
        var object: JSONObject = [
            "subject": .string(subject), "fine": .bool(isFine), "says": .string(lines.joined(separator: "\n")),
        ]
        if let hint { object["hint"] = .string(hint) }
        for fact in facts { object[fact.key] = fact.value }
        return .object(object)
    }

    /// Lines with a mark in front, the subject in a column of its own.
    package func text(width: Int) -> String {
        let mark = isFine ? "✓" : "✗"
        let gap = String(repeating: " ", count: width + 4)
        let first = "\(mark) \(subject)" + String(repeating: " ", count: width - subject.count + 2)
        let said = lines.map(\.printable) + (hint.map { ["hint: " + $0.printable] } ?? [])
        return first + said.joined(separator: "\n" + gap) + "\n"
    }
}

extension [Diagnosis] {
    /// All of them for people, the subjects in a column.
    package var text: String {
        let width = map(\.subject.count).max() ?? 0
        return map { $0.text(width: width) }.joined()
    }
}
