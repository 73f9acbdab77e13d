// SPDX-License-Identifier: Apache-2.0

/// The drawing of a QR code with text.
enum QRCodeText {
    /// The modules of light around a code that readers need (ISO/IEC 18004 §6.3.8 asks for 4; 2 suffice on a screen).
    private static let margin = 2

    /// Returns two rows of modules in each line, black on white by the terminal's own colours of these names.
    ///
    /// - Parameter modules: The rows of a square, true where a module is dark.
    static func lines(of modules: [Bool], width: Int) -> String {
        func isDark(_ row: Int, _ column: Int) -> Bool {
            (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
        }
        var text = ""
        for row in stride(from: -margin, to: width + margin, by: 2) {
            // Bright white behind black: without them a dark terminal would show the negative.
            text += "  \u{1B}[30;107m"
            for column in -margin..<width + margin {
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += "\u{1B}[0m\n"
        }
        return text
    }
}
