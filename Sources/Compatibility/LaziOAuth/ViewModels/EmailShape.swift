// SPDX-License-Identifier: Apache-2.0

/// A check that a text looks like an e-mail address that a user would type.
///
/// Only a mail that arrives proves an address; this finds slips of the finger before a form is sent.
enum EmailShape {
    static func isPlausible(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: 0x40, omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, isLocal(parts[0]) else { return false }
        let labels = parts[1].split(separator: 0x2E, omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy(isLabel), let last = labels.last else { return false }
        return (2...64).contains(last.count) && last.allSatisfy(isLetter)
    }

    /// RFC 5321 §4.5.3.1.1 and RFC 5322 §3.2.3: a dot-atom; the rarer quoted form is a slip more often than meant.
    private static func isLocal(_ text: Substring.UTF8View) -> Bool {
        guard (1...64).contains(text.count) else { return false }
        let atoms = text.split(separator: 0x2E, omittingEmptySubsequences: false)
        return atoms.allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy { isLetter($0) || isDigit($0) || specials.contains($0) }
        }
    }

    /// RFC 1034 §3.5.
    private static func isLabel(_ text: Substring.UTF8View) -> Bool {
        guard (1...63).contains(text.count), text.first != 0x2D, text.last != 0x2D else { return false }
        return text.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2D }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static let specials = Set("!#$%&'*+/=?^_`{|}~-".utf8)
}
