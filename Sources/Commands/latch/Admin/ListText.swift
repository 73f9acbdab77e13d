// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation

/// The text of a result.
protocol OutputText: Sendable {
    /// Returns the text for a terminal of a width, or without one for a file or another program, which rely on its
    /// format.
    func text(width: Int?, style: TextStyle) -> String
}

extension String: OutputText {
    func text(width: Int?, style: TextStyle) -> String { self }
}

/// A list in columns, with headings on a terminal.
struct ListText: OutputText {
    /// A cell of a list.
    struct Cell: Sendable, ExpressibleByStringInterpolation {
        /// The text on a terminal.
        let shown: String
        /// The text in a file or a pipe.
        let plain: String

        init(shown: String, plain: String) {
            self.shown = shown
            self.plain = plain
        }

        init(stringLiteral value: String) { self.init(shown: value, plain: value) }

        /// Creates the cell of a text; nil is a hyphen.
        init(_ text: String?) { self.init(stringLiteral: text ?? "-") }

        /// Creates the cell of a date: its distance from now on a terminal, and ISO 8601 elsewhere.
        ///
        /// - Parameter preposition: A word before the date in a file, which has no headings.
        init(_ date: Date, after preposition: String = "") {
            self.init(
                shown: RelativeTime.text(date.timeIntervalSinceNow),
                plain: (preposition.isEmpty ? "" : preposition + " ") + date.formatted(.iso8601))
        }
    }

    /// The headings of the columns.
    let headings: [String]
    /// The headings of the columns that are never shortened, because the next command needs their values.
    var whole: Set<String> = []
    let rows: [[Cell]]
    /// The text after the rows.
    var footer = ""

    func text(width: Int?, style: TextStyle) -> String {
        guard let width else { return TextTable.text(rows.map { $0.map(\.plain) }) + footer }
        guard !rows.isEmpty else { return footer }
        let kept = headings.indices.filter { whole.contains(headings[$0]) }
        return TextTable.text(
            [headings.map { $0.uppercased() }] + rows.map { $0.map(\.shown) }, width: width, whole: Set(kept),
            heading: style.heading) + footer
    }
}

extension Environment {
    /// Writes the result of a subcommand.
    func write(_ result: AdminCall.Output, for invocation: Invocation) {
        write(
            result.text.text(width: width(of: output), style: style(of: output)), orJSON: result.json, for: invocation)
    }
}
