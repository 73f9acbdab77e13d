// SPDX-License-Identifier: Apache-2.0

/// The colors of text on a stream (ECMA-48 §8.3.117, SGR).
package struct TextStyle: Sendable {
    /// Text without colors.
    package static let plain = TextStyle(isColored: false)

    /// Whether the stream gets colors.
    package let isColored: Bool

    private init(isColored: Bool) { self.isColored = isColored }

    /// Chooses the style of a stream by `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR` and `TERM`, in this order.
    ///
    /// An empty `NO_COLOR` has no effect (no-color.org).
    package init(_ variables: [String: String], isTerminal: Bool) {
        isColored =
            if variables["NO_COLOR"]?.isEmpty == false {
                false
            } else if let forced = variables["CLICOLOR_FORCE"], !forced.isEmpty, forced != "0" {
                true
            } else {
                isTerminal && variables["CLICOLOR"] != "0" && Self.movesCursor(variables)
            }
    }

    /// Whether a terminal understands control sequences at all.
    package static func movesCursor(_ variables: [String: String]) -> Bool {
        variables["TERM"].map { !$0.isEmpty && $0 != "dumb" } ?? false
    }

    package func heading(_ text: String) -> String { styled(text, 1) }

    /// Returns the mark of something that failed.
    package func failure(_ text: String) -> String { styled(text, 31) }

    /// Returns the mark of something that works.
    package func success(_ text: String) -> String { styled(text, 32) }

    /// Returns the mark of a warning.
    package func warning(_ text: String) -> String { styled(text, 33) }

    /// Returns text of less importance, such as a hint.
    package func dim(_ text: String) -> String { styled(text, 2) }

    private func styled(_ text: String, _ code: Int) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
