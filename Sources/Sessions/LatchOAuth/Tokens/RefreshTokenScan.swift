// SPDX-License-Identifier: Apache-2.0

/// A reader of the refresh token in the response to a refresh, even if the rest of the response is wrong.
///
/// The issuer has used up the old refresh token, so the new one must not be lost. The reader tolerates duplicate
/// members, numbers and strings that JSON forbids, and a missing end. It takes each byte once. It reads the members of
/// the first object, not of nested objects, and only strings with both quotation marks.
struct RefreshTokenScan: Sendable {
    /// The names of the refresh token in order of preference.
    private let names: [String]
    /// The last usable value of each name.
    private var values: [String: String] = [:]

    /// The number of objects and arrays around the next byte.
    private var depth = 0
    /// Whether the object has ended, so that no further byte is read.
    private(set) var isOver = false
    /// Whether only whitespace comes before the object, and not a notice of PHP, for example.
    private(set) var beginsWithObject = true
    /// Whether the next byte is inside a string.
    private var isInString = false
    /// Whether the last byte of the string was a backslash that escapes the next byte.
    private var isEscaped = false
    /// The bytes of the string between its quotation marks; empty for strings that are skipped.
    private var text: [UInt8] = []
    /// The last string of the object.
    ///
    /// A colon makes it a name, everything else a value.
    private var string: String?
    /// The name whose value follows.
    private var name: String?

    init(names: [String]) { self.names = names }

    /// Reads the next bytes of the content.
    mutating func read(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where !isOver {
            if isInString { readString(byte) } else { readStructure(byte) }
        }
    }

    /// The refresh token; nil if no usable one has arrived.
    var token: String? {
        var end = self
        end.keepValue()
        return names.lazy.compactMap { end.values[$0] }.first
    }

    private mutating func readString(_ byte: UInt8) {
        guard isEscaped || byte != UInt8(ascii: "\"") else { return endString() }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        if depth == 1 { text.append(byte) }
    }

    private mutating func endString() {
        isInString = false
        guard depth == 1 else { return }
        // A comma may be missing.
        keepValue()
        string = EscapedText.decode(text)
        text.removeAll(keepingCapacity: true)
    }

    private mutating func readStructure(_ byte: UInt8) {
        guard depth > 0 || byte == UInt8(ascii: "{") else {
            if !Self.spaces.contains(byte) { beginsWithObject = false }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if depth == 1 { endMember() }
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == 1 { endMember() }
            depth -= 1
            isOver = depth <= 0
        case UInt8(ascii: ":") where depth == 1: (name, string) = (string, nil)
        case UInt8(ascii: ",") where depth == 1: endMember()
        case ...0x20: break
        default:
            // A number, a literal, or unquoted text, which may contain strings.
            if depth == 1 { (name, string) = (nil, nil) }
        }
    }

    /// Whitespace, and the bytes of a byte order mark (RFC 8259 §2 and §8.1).
    private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]

    private mutating func endMember() {
        keepValue()
        (name, string) = (nil, nil)
    }

    /// Keeps the last string as the value of the current name, if that is a name of the refresh token.
    private mutating func keepValue() {
        // A string with an unreadable character is not a token.
        guard let name, let string, names.contains(name), !string.isEmpty, !string.unicodeScalars.contains("\u{FFFD}")
        else {
            return
        }
        values[name] = string
        self.name = nil
    }
}

/// The text of a JSON string (RFC 8259 §7).
private enum EscapedText {
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// Returns the text between two quotation marks; nil if it has an escape that JSON does not define.
    static func decode(_ bytes: [UInt8]) -> String? {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var units: [UInt16] = []
        var text = ""
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\") {
                guard let unit = unit(of: &rest) else { return nil }
                units.append(unit)
            } else {
                // Two consecutive escapes may form one character (RFC 8259 §7).
                text += String(decoding: units, as: UTF16.self)
                units.removeAll(keepingCapacity: true)
                let end = rest.firstIndex(of: UInt8(ascii: "\\")) ?? rest.endIndex
                text += String(decoding: [byte] + rest[..<end], as: UTF8.self)
                rest = rest[end...]
            }
        }
        return text + String(decoding: units, as: UTF16.self)
    }

    /// Reads the rest of an escape after the backslash; a lone surrogate counts like any other unit.
    private static func unit(of rest: inout ArraySlice<UInt8>) -> UInt16? {
        guard let kind = rest.popFirst() else { return nil }
        if kind != UInt8(ascii: "u") { return escapes[kind].map(UInt16.init) }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = rest.popFirst(), let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                return nil
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
