// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The number of columns that the text takes on a terminal.
    package var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// Returns the text within a width; an ellipsis stands for what is left out.
    package func shortened(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var (text, used) = ("", 0)
        for character in self {
            used += character.displayWidth
            guard used < width else { break }
            text.append(character)
        }
        return text + "…"
    }

    /// Returns the text padded with spaces to a width.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - displayWidth, 0))
    }
}

extension Character {
    /// 2 for wide characters and emoji, 0 for a mark without a letter, and 1 for all others.
    fileprivate var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        // The variation selector asks for the emoji of a character that is also text.
        return first.isWide || unicodeScalars.contains { $0.value == 0xFE0F } ? 2 : 1
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is East Asian wide or fullwidth (Unicode UAX #11), or an emoji by default.
    fileprivate var isWide: Bool {
        guard value >= 0x1100 else { return false }
        return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) }
    }

    /// The blocks of EastAsianWidth.txt whose characters are wide.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]
}
