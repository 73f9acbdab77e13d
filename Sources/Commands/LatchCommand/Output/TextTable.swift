// SPDX-License-Identifier: Apache-2.0

/// Text in columns.
package enum TextTable {
    /// Returns rows with equal numbers of cells as lines, with two spaces between columns and escaped control
    /// characters.
    package static func text(_ rows: [[String]], indentation: String = "") -> String {
        let rows = rows.map { $0.map(\.printable) }
        let last = (rows.first?.count ?? 0) - 1
        let widths = (0...max(last, 0)).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { cells in
            let padded = cells.enumerated().map { $0 < last ? $1.padded(to: widths[$0]) : $1 }
            return indentation + padded.joined(separator: "  ") + "\n"
        }.joined()
    }
}
