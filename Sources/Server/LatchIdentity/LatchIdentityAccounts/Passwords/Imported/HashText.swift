// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The text of a hash in one format, divided into fields; it has only visible ASCII characters.
struct HashText {
    /// The name of the format, for errors.
    let format: String
    let fields: [Substring]

    /// Divides a text by a character.
    init(_ text: Substring, at separator: Unicode.Scalar = "$", format: String) {
        self.format = format
        fields = text.split(at: separator)
    }

    private init(fields: [Substring], format: String) { (self.fields, self.format) = (fields, format) }

    /// The text after `count` fields.
    func dropFirst(_ count: Int) -> HashText { HashText(fields: Array(fields.dropFirst(count)), format: format) }

    /// The field at an index; empty if there is none.
    subscript(index: Int) -> Substring { fields.indices.contains(index) ? fields[index] : "" }

    func error(_ why: String) -> ImportedHashError { .malformed(format, why) }

    /// Checks that the text has a number of fields.
    func requireCount(_ count: Int) throws(ImportedHashError) {
        guard fields.count == count else { throw error("it has not the fields of \(format)") }
    }

    /// Parses a decimal number without a sign or leading zeros.
    func number(_ text: Substring, _ name: String) throws(ImportedHashError) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text == "0" || text.utf8.first != UInt8(ascii: "0")
        else { throw error("\(name) is not a number") }
        // A bound of the function is far lower than this, which also fits in 32 bits.
        guard text.utf8.count < 10, let number = Int(text) else {
            throw .outOfBounds(format, "\(name) is too large")
        }
        return number
    }

    /// Parses `ln=16,r=8,p=1`: these names, in this order.
    func numbers(_ text: Substring, named names: [String]) throws(ImportedHashError) -> [Int] {
        let pairs = text.split(at: ",")
        guard pairs.count == names.count else { throw error("its parameters are not \(names.joined(separator: ", "))") }
        var numbers: [Int] = []
        for (pair, name) in zip(pairs, names) {
            guard pair.begins(with: "\(name)=") else {
                throw error("its parameters are not \(names.joined(separator: ", "))")
            }
            numbers.append(try number(pair.dropFirst(name.utf8.count + 1), name))
        }
        return numbers
    }

    /// The exponent of N.
    func log2(_ text: Substring) throws(ImportedHashError) -> Int {
        let number = try number(text, "N")
        guard number > 1, number & (number - 1) == 0 else { throw error("N is not a power of two above 1") }
        return number.trailingZeroBitCount
    }

    /// Decodes base64 in either alphabet or in that of passlib, with or without padding.
    func base64(_ text: Substring, _ name: String) throws(ImportedHashError) -> [UInt8] {
        let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed() as [UInt8]
        let padding = text.utf8.count - digits.count
        let standard = digits.map { (digit: UInt8) -> UInt8 in
            switch digit {
            case UInt8(ascii: "-"), UInt8(ascii: "."): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: digit
            }
        }
        guard padding == 0 || text.utf8.count % 4 == 0 && padding < 3,
            let bytes = Base64Alphabet.standard.decode(standard)
        else { throw error("\(name) is not base64") }
        return bytes
    }

    /// Decodes hexadecimal digits.
    func hexadecimal(_ text: Substring, _ name: String) throws(ImportedHashError) -> [UInt8] {
        let digits = text.utf8.map { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
        guard digits.count % 2 == 0, !digits.contains(nil) else { throw error("\(name) is not hexadecimal") }
        let values = digits.compactMap { $0 }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// Returns the lower-case hexadecimal digits of bytes.
    static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}

extension Substring {
    /// Divides a text by an ASCII character; empty parts count.
    func split(at separator: Unicode.Scalar) -> [Substring] {
        unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// Whether the text has these bytes first.
    func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}
