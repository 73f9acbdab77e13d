// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text with control and direction-changing characters escaped, safe to print on a terminal.
    ///
    /// Servers and tokens contain untrusted text: an escape sequence in it could clear the screen, rename the window,
    /// or imitate the command's output.
    package var printable: String {
        let isPlain = utf8.withContiguousStorageIfAvailable { $0.allSatisfy { (0x20..<0x7F).contains($0) } }
        guard isPlain != true, unicodeScalars.contains(where: \.isUnsafeOnTerminals)
        else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isUnsafeOnTerminals {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The lines of the text, each printable except its tabs.
    package var printableLines: String {
        guard unicodeScalars.contains(where: \.isUnsafeOnTerminals) else { return self }
        func parts(_ text: Substring, _ separator: Unicode.Scalar) -> [Substring] {
            text.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map(Substring.init)
        }
        return parts(self[...], "\n").map { parts($0, "\t").map { String($0).printable }.joined(separator: "\t") }
            .joined(separator: "\n")
    }

    /// The text, which is JSON, with escapes for characters that affect a terminal or a reader of lines but that JSON
    /// permits.
    package var printableJSON: String {
        guard unicodeScalars.contains(where: \.isUnsafeOnTerminals) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.isUnsafeOnTerminals else { return text.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
    }
}

extension Unicode.Scalar {
    /// Whether this is a control character, or one that changes the direction of text (Unicode UAX #9 §2).
    fileprivate var isUnsafeOnTerminals: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
        default: false
        }
    }
}
