// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text without what would steer a terminal or turn the order of its letters, each such character spelt out.
    ///
    /// What a server or a token says is somebody else's text: an escape sequence in it could clear the screen, rename the
    /// window, or pretend to be our own output.
    package var printable: String {
        guard unicodeScalars.contains(where: \.steersTerminals) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.steersTerminals {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character, or one that changes the direction of what follows (Unicode UAX #9 §2).
    fileprivate var steersTerminals: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
        default: false
        }
    }
}
