// SPDX-License-Identifier: Apache-2.0

/// Text in columns.
package enum TextTable {
    /// The width that a shortened column keeps.
    private static let leastWidth = 8
    private static let gap = 2

    /// Returns rows with equal numbers of cells as lines, with two spaces between columns and escaped control
    /// characters.
    ///
    /// - Parameters:
    ///   - width: The width of the terminal, to which the widest columns are shortened; nil shortens nothing.
    ///   - whole: The indices of columns that are never shortened.
    ///   - style: A function for the first row, which is a heading; nil for rows without one.
    package static func text(
        _ rows: [[String]], indentation: String = "", width: Int? = nil, whole: Set<Int> = [],
        heading style: ((String) -> String)? = nil
    ) -> String {
        let rows = rows.map { $0.map(\.printable) }
        let last = (rows.first?.count ?? 0) - 1
        var widths = (0...max(last, 0)).map { column in rows.map { $0[column].displayWidth }.max() ?? 0 }
        if let width { fit(&widths, into: width - indentation.displayWidth, whole: whole) }
        return rows.enumerated().map { number, cells in
            let padded = cells.enumerated().map { column, text in
                let text = width == nil ? text : text.shortened(to: widths[column])
                return column < last ? text.padded(to: widths[column]) : text
            }
            let line = padded.joined(separator: String(repeating: " ", count: gap))
            return indentation + (number == 0 ? style?(line) ?? line : line) + "\n"
        }.joined()
    }

    /// Reduces the widest columns until the line fits, or all of them have the least width.
    private static func fit(_ widths: inout [Int], into width: Int, whole: Set<Int>) {
        let columns = widths.indices.filter { !whole.contains($0) }
        var excess = widths.reduce(gap * (widths.count - 1), +) - width
        while excess > 0, let widest = columns.max(by: { widths[$0] < widths[$1] }), widths[widest] > leastWidth {
            widths[widest] -= 1
            excess -= 1
        }
    }
}
