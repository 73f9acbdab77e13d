// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// The text of a result.
protocol OutputText: Sendable {
    /// Returns the text for a terminal, or for a file or another program, which rely on its format.
    func text(isTerminal: Bool) -> String
}

extension String: OutputText {
    func text(isTerminal: Bool) -> String { self }
}

/// A list in columns, with headings on a terminal.
struct ListText: OutputText {
    /// The headings of the columns.
    let headings: [String]
    let rows: [[String]]
    /// The text after the rows.
    var footer = ""

    func text(isTerminal: Bool) -> String {
        let headings = isTerminal && !rows.isEmpty ? [headings.map { $0.uppercased() }] : []
        return TextTable.text(headings + rows) + footer
    }
}

extension Environment {
    /// Writes the result of a subcommand.
    func write(_ result: AdminCall.Output, for invocation: Invocation) {
        write(result.text.text(isTerminal: output.isTerminal), orJSON: result.json, for: invocation)
    }
}
