// SPDX-License-Identifier: Apache-2.0

import LatchCrypto

extension StringProtocol {
    /// The SHA-256 digest: a fast hash is enough for a text with 256 random bits.
    package var digest: [UInt8] { Array(SHA256.hash(data: Array(utf8))) }

    /// Whether the text has no control characters, which tokens, pages and logs interpret differently.
    package var isPlain: Bool { !unicodeScalars.contains(where: \.isControl) }

    /// Whether each character is visible, except for the joiners and variation selectors that scripts and emoji need
    /// between visible characters (UTS #39 §3.1).
    package var isVisible: Bool {
        // A selector follows a visible character; a joiner follows a visible character or its selector.
        var (isSeen, isSelected) = (false, false)
        for scalar in unicodeScalars {
            let isSelector = scalar.properties.isVariationSelector
            if isSelector || scalar.isJoiner {
                guard isSeen || isSelected && !isSelector else { return false }
            } else if scalar.isInvisible {
                return false
            }
            isSeen = !isSelector && !scalar.isJoiner && !scalar.properties.isWhitespace
            isSelected = isSelector
        }
        return unicodeScalars.last?.isJoiner != true
    }

    /// Whether the text is 1 to `maximum` bytes of ASCII letters, digits and the given other characters.
    package func isWord(maximum: Int, also others: String) -> Bool {
        (1...maximum).contains(utf8.count) && utf8.allSatisfy { $0.isASCIIAlphanumeric || others.utf8.contains($0) }
    }

    /// Returns the text without surrounding spaces, tabs and line ends.
    package func trimmingSpace() -> SubSequence {
        let scalars = unicodeScalars
        let isText = { (scalar: Unicode.Scalar) in !scalar.properties.isWhitespace }
        guard let first = scalars.firstIndex(where: isText), let last = scalars.lastIndex(where: isText) else {
            return self[endIndex...]
        }
        return self[first..<scalars.index(after: last)]
    }
}

extension String {
    /// The text without a slash at the end, so that a path can follow.
    package var withoutFinalSlash: Substring { Substring(utf8.dropLast(utf8.last == 0x2F ? 1 : 0)) }

    /// Returns at most `count` scalars of the text, without control characters; nil if none remain.
    package func sanitized(_ count: Int) -> String? {
        let scalars = unicodeScalars.prefix(count).filter { !$0.isControl }
        return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character, ends a line, or changes the display order of the text after it.
    ///
    /// A change of the order can make one name look like another (UTS #55).
    fileprivate var isControl: Bool {
        switch value {
        case 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
        default: properties.generalCategory == .control
        }
    }

    /// Whether the scalar joins its neighbors, or keeps them apart.
    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }

    /// Whether the scalar shows nothing, not even a space.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .format, .privateUse, .surrogate, .unassigned: true
        default: properties.isDefaultIgnorableCodePoint || value == 0x2800
        }
    }
}

extension UInt8 {
    package var isASCIIAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
