// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
    /// Whether the scalar is invisible to a reader of code.
    ///
    /// These are controls except tabs, line separators, controls of the text direction (CVE-2021-42574), and characters
    /// without width (Unicode 16, Default_Ignorable_Code_Point).
    var isHidden: Bool {
        switch value {
        case 0x09: false
        case ..<0x20, 0x7F...0x9F, 0x2028...0x2029: true
        case ..<0x80, 0xFE00...0xFE0F: false
        default: isJoiner || properties.isDefaultIgnorableCodePoint || properties.isBidiControl
        }
    }

    /// Whether the scalar joins or separates its neighbors, as in emoji and in Persian words.
    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }
}

extension [Unicode.Scalar] {
    /// Whether the scalar at an index is hidden; a joiner between non-ASCII characters is not.
    func isHidden(at index: Int) -> Bool {
        guard self[index].isHidden else { return false }
        guard self[index].isJoiner, index > 0, index + 1 < count else { return true }
        return [self[index - 1], self[index + 1]].contains { $0.isASCII || $0.isHidden }
    }
}

extension String {
    /// The text with U+FFFD instead of hidden characters, except joiners between non-ASCII characters.
    var withoutHidden: String {
        let scalars = Array(unicodeScalars)
        guard scalars.contains(where: \.isHidden) else { return self }
        var text = String.UnicodeScalarView()
        for index in scalars.indices { text.append(scalars.isHidden(at: index) ? "\u{FFFD}" : scalars[index]) }
        return String(text)
    }
}
