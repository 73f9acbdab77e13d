// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// A serializer of structured fields (RFC 9651 §4.1), which rejects values without a serialization.
struct StructuredWriter {
    var text = ""

    mutating func write(_ member: StructuredMember) throws(HTTPError) {
        switch member {
        case .item(let item): try write(item)
        case .innerList(let list): try write(list)
        }
    }

    /// Writes an inner list (§4.1.1.1).
    mutating func write(_ list: StructuredInnerList) throws(HTTPError) {
        text += "("
        for (index, item) in list.items.enumerated() {
            if index > 0 { text += " " }
            try write(item)
        }
        text += ")"
        try write(list.parameters)
    }

    /// Writes an item (§4.1.3).
    mutating func write(_ item: StructuredItem) throws(HTTPError) {
        try write(item.value)
        try write(item.parameters)
    }

    /// Writes parameters (§4.1.1.2).
    mutating func write(_ parameters: StructuredParameters) throws(HTTPError) {
        for (key, value) in parameters {
            text += ";"
            try write(key: key)
            guard value != .boolean(true) else { continue }
            text += "="
            try write(value)
        }
    }

    /// Writes a key (§4.1.1.3).
    mutating func write(key: String) throws(HTTPError) {
        guard let first = key.utf8.first, StructuredSyntax.beginsKey(first),
            key.utf8.allSatisfy(StructuredSyntax.isKey)
        else { throw .unwritableStructuredField("a key holds a character that it may not") }
        text += key
    }

    /// Writes a bare item (§4.1.3.1).
    mutating func write(_ value: StructuredValue) throws(HTTPError) {
        switch value {
        case .integer(let number): text += try Self.digits(number)
        case .decimal(let number): try write(number)
        case .string(let content): try write(string: content)
        case .token(let word): try write(token: word)
        case .bytes(let bytes): write(bytes)
        case .boolean(let isTrue): text += isTrue ? "?1" : "?0"
        case .date(let seconds): text += "@" + (try Self.digits(seconds))
        case .displayString(let content): write(displayString: content)
        }
    }

    /// Returns the digits of an integer, at most 15 (§4.1.4).
    private static func digits(_ number: Int64) throws(HTTPError) -> String {
        guard number.magnitude <= 999_999_999_999_999 else {
            throw .unwritableStructuredField("an integer has more than 15 digits")
        }
        return String(number)
    }

    /// Writes a decimal with as few fractional digits as possible, and at least one (§4.1.5).
    private mutating func write(_ number: StructuredDecimal) throws(HTTPError) {
        guard number.isWithinBounds else {
            throw .unwritableStructuredField("a decimal has more than 12 digits before the point")
        }
        let (whole, fraction) = number.thousandths.magnitude.quotientAndRemainder(dividingBy: 1_000)
        var digits = String(fraction + 1_000).utf8.dropFirst()
        while digits.count > 1, digits.last == 0x30 { digits.removeLast() }
        text += (number.thousandths < 0 ? "-" : "") + "\(whole).\(Substring(digits))"
    }

    /// Writes a string (§4.1.6).
    private mutating func write(string content: String) throws(HTTPError) {
        guard content.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .unwritableStructuredField("a string holds more than printable ASCII")
        }
        text += "\""
        for character in content.unicodeScalars {
            if character == "\"" || character == "\\" { text += "\\" }
            text.unicodeScalars.append(character)
        }
        text += "\""
    }

    /// Writes a token (§4.1.7).
    private mutating func write(token word: String) throws(HTTPError) {
        guard let first = word.utf8.first, StructuredSyntax.beginsToken(first),
            word.utf8.allSatisfy(StructuredSyntax.isToken)
        else { throw .unwritableStructuredField("a token holds a character that it may not") }
        text += word
    }

    /// Writes a byte sequence in padded base64 (§4.1.8).
    private mutating func write(_ bytes: [UInt8]) { text += ":" + Base64Alphabet.standard.encodePadded(bytes) + ":" }

    /// Writes a display string: non-ASCII bytes, percent signs and quotes are percent-encoded in lower case (§4.1.11).
    private mutating func write(displayString content: String) {
        text += "%\""
        for byte in content.utf8 {
            if (0x20...0x7E).contains(byte), byte != 0x25, byte != 0x22 {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + Hex.encode([byte])
            }
        }
        text += "\""
    }
}
