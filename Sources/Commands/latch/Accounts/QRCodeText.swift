// SPDX-License-Identifier: Apache-2.0

import LatchSignIn

/// The drawing of a QR code with text.
enum QRCodeText {
    /// The number of light modules around a code; ISO/IEC 18004 §6.3.8 asks for 4, but 2 suffice on a screen.
    private static let margin = 2

    /// Returns lines with two rows of modules each, in the terminal's colors black and white.
    static func lines(of code: QRCode) -> String {
        let (modules, width) = (code.modules, code.width)
        func isDark(_ row: Int, _ column: Int) -> Bool {
            (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
        }
        var text = ""
        for row in stride(from: -margin, to: width + margin, by: 2) {
            // Black on bright white: the default colors of a dark terminal would show the negative.
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
