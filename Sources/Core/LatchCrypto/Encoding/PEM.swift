// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// The textual encoding of keys (RFC 7468).
enum PEM {
    /// Returns the content of the first block with one of some labels, anywhere in a text; nil if there is none.
    ///
    /// A block with header fields, as older encrypted keys have, is not accepted (RFC 7468 §2).
    static func content(of text: String, labels: [String]) -> (label: String, bytes: [UInt8])? {
        let lines = text.utf8.split { $0 == 0x0A || $0 == 0x0D }.map { trimmed($0) }
        for (index, line) in lines.enumerated() {
            guard let label = labels.first(where: { line.elementsEqual("-----BEGIN \($0)-----".utf8) }) else {
                continue
            }
            let rest = lines[(index + 1)...]
            guard let end = rest.firstIndex(where: { $0.elementsEqual("-----END \(label)-----".utf8) }) else {
                return nil
            }
            var digits = rest[..<end].flatMap { Array($0) }
            defer { wipe(&digits) }
            let padding = digits.suffix(2).count { $0 == 0x3D }
            guard digits.count % 4 == 0, let bytes = Base64Alphabet.standard.decode(digits.dropLast(padding)) else {
                return nil
            }
            return (label, bytes)
        }
        return nil
    }

    /// Returns bytes as a block, in lines of 64 digits (RFC 7468 §2).
    static func text(_ bytes: [UInt8], label: String) -> String {
        let digits = Array(Base64Alphabet.standard.encodePadded(bytes).utf8)
        let lines = stride(from: 0, to: digits.count, by: 64).map { start in
            String(decoding: digits[start..<min(start + 64, digits.count)], as: UTF8.self) + "\n"
        }
        return "-----BEGIN \(label)-----\n\(lines.joined())-----END \(label)-----\n"
    }

    /// Returns a line without the white space at its ends.
    private static func trimmed(_ line: Substring.UTF8View) -> Substring.UTF8View {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = line.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return start }
        return start[...last]
    }
}
