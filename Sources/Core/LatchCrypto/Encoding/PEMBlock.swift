// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// Bytes in the text form of RFC 7468, with the label of their type.
package struct PEMBlock {
    package let label: String
    package let content: [UInt8]

    /// Far longer than a key, and short enough to be read in one piece.
    private static let longestText = 64 << 10

    package init(label: String, content: [UInt8]) {
        self.label = label
        self.content = content
    }

    /// Returns the blocks of a text; other text between them is ignored (RFC 7468 §5.2).
    package static func blocks(of text: String) throws(PEMError) -> [PEMBlock] {
        guard text.utf8.count <= longestText else { throw PEMError("the text is too long for a key") }
        var blocks: [PEMBlock] = []
        var open: (label: Substring, digits: [UInt8])?
        for line in lines(of: text) {
            if let label = boundary("BEGIN", line) {
                guard open == nil else { throw PEMError("a PEM block begins within another") }
                open = (label, [])
            } else if let label = boundary("END", line) {
                guard let block = open, block.label == label else {
                    throw PEMError("a PEM block has no beginning")
                }
                blocks.append(PEMBlock(label: String(label), content: try decode(block.digits)))
                open = nil
            } else {
                open?.digits += line.utf8
            }
        }
        guard open == nil else { throw PEMError("a PEM block has no end") }
        return blocks
    }

    /// The text: lines of 64 characters between its two boundaries (RFC 7468 §2).
    package var text: String {
        let digits = Array(Base64Alphabet.standard.encodePadded(content).utf8)
        let lines = stride(from: 0, to: digits.count, by: 64).map { start in
            String(decoding: digits[start..<min(start + 64, digits.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }

    /// Returns the lines without surrounding spaces; they are split as bytes, since CR LF is one Character.
    private static func lines(of text: String) -> [Substring] {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        return text.utf8.split(separator: 0x0A).map { line in
            let end = line.lastIndex { !isSpace($0) }.map(line.index(after:)) ?? line.startIndex
            return Substring(line[..<end].drop(while: isSpace))
        }
    }

    /// Returns the label of a boundary line; nil for any other line.
    private static func boundary(_ word: String, _ line: Substring) -> Substring? {
        let (front, back) = ("-----\(word) ", "-----")
        guard line.utf8.count >= front.utf8.count + back.utf8.count, line.utf8.starts(with: front.utf8),
            line.utf8.suffix(back.utf8.count).elementsEqual(back.utf8)
        else {
            return nil
        }
        return Substring(line.utf8.dropFirst(front.utf8.count).dropLast(back.utf8.count))
    }

    /// Decodes padded base64, which only line ends may interrupt (RFC 7468 §3).
    private static func decode(_ digits: [UInt8]) throws(PEMError) -> [UInt8] {
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard digits.count % 4 == 0, padding <= 2,
            let content = Base64Alphabet.standard.decode(digits.dropLast(padding))
        else { throw PEMError("the PEM text is not base64, or it is encrypted") }
        return content
    }
}

/// The error of a text that is not PEM.
package struct PEMError: Error {
    /// The reason, which completes a sentence and contains nothing of the text.
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension PEMBlock {
    /// Returns the first block of a text that has one of the given labels.
    ///
    /// - Throws: `CryptoError.malformedKey` if there is none, or the text is not PEM.
    static func first(labelled labels: [String], in text: String) throws(CryptoError) -> PEMBlock {
        let blocks: [PEMBlock]
        do { blocks = try Self.blocks(of: text) } catch { throw .malformedKey(error.reason) }
        guard let block = blocks.first(where: { labels.contains($0.label) }) else {
            throw .malformedKey("the text is not a PEM block of such a key")
        }
        return block
    }
}
