// SPDX-License-Identifier: Apache-2.0

/// How names of a .proto file are spelled in Swift.
///
/// Words are found as the crate `heck` finds them: at underscores, where a capital follows a small letter, and before the
/// last capital of several where a small letter follows it; digits belong to the word before them. So `user_id` becomes
/// `userId`, `HTTPServer` becomes `httpServer`, and `requires_2fa` becomes `requires2fa`.
///
/// A name that Swift reserves is put into backticks. A name that already means something at its place (`description` of
/// a message, `init` of anything) gets an underscore behind it, which no name has otherwise, so that it hits no other.
package enum SwiftNames {
    /// A name in `lowerCamelCase`, neither escaped nor checked.
    package static func lowerCamel(_ name: some StringProtocol) -> String { joined(name, capitalizesFirst: false) }

    /// A name in `PascalCase`, neither escaped nor checked.
    package static func pascal(_ name: some StringProtocol) -> String { joined(name, capitalizesFirst: true) }

    /// The name of a field as a property of its message.
    package static func property(_ field: String) -> String {
        identifier(lowerCamel(field), reserved: memberNames)
    }

    /// The name of a method, or of a value that is made for one.
    package static func method(_ method: String) -> String {
        identifier(lowerCamel(method), reserved: methodNames)
    }

    /// The name of a message, an enum or a service: as it is written, with a capital in front and without underscores.
    ///
    /// Capitals of acronyms stay, since nothing else in Swift is told apart by them: `OAuthURL` is `OAuthURL`.
    package static func type(_ name: String) -> String {
        var (result, begins) = ([UInt8](), true)
        result.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            let isUnderscore = byte == UInt8(ascii: "_")
            if !isUnderscore { result.append(begins ? byte.upper : byte) }
            begins = isUnderscore
        }
        return identifier(String(decoding: result, as: UTF8.self), reserved: typeNames)
    }

    /// The name of an enum's value as a case: without the enum's name in front, where something is left that can begin
    /// a name.
    package static func enumCase(_ value: String, of enumName: String) -> String {
        identifier(lowerCamel(withoutPrefix(value, enumName)), reserved: caseNames)
    }

    /// The name of a oneof's field as a case.
    package static func oneofCase(_ field: String) -> String {
        identifier(lowerCamel(field), reserved: oneofCaseNames)
    }

    /// A name that can stand in Swift text: in backticks where it is a keyword, with an underscore behind it where it is
    /// among `reserved`, and with one in front where it begins with a digit.
    package static func identifier(_ name: String) -> String { identifier(name, reserved: .none) }

    static func identifier(_ name: String, reserved: ReservedWords) -> String {
        guard let first = name.utf8.first else { return "empty_" }
        if (0x30...0x39).contains(first) { return "_\(name)" }
        if reserved.contains(name) { return "\(name)_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// An identifier without its backticks: as a label of an argument, and in text.
    package static func bare(_ identifier: String) -> String {
        identifier.utf8.first == UInt8(ascii: "`") ? String(identifier.dropFirst().dropLast()) : identifier
    }

    /// An identifier with a capital in front, as it stands within another name.
    package static func capitalized(_ identifier: String) -> String {
        let bare = bare(identifier)
        return bare.prefix(1).uppercased() + bare.dropFirst()
    }

    /// Whether two names differ in underscores and capitals alone.
    package static func areAlike(_ one: String, _ other: String) -> Bool {
        // Most names end otherwise, and a service may have hundreds.
        if let end = one.utf8.last, let otherEnd = other.utf8.last, end.lower != otherEnd.lower,
            end != UInt8(ascii: "_"), otherEnd != UInt8(ascii: "_")
        {
            return false
        }
        return letters(of: one).elementsEqual(letters(of: other))
    }

    private static func letters(of name: String) -> some Sequence<UInt8> {
        name.utf8.lazy.filter { $0 != UInt8(ascii: "_") }.map(\.lower)
    }

    /// An identifier as the label of an argument, where few keywords need their backticks.
    package static func label(_ identifier: String) -> String {
        let bare = bare(identifier)
        return ["inout", "var", "let"].contains(bare) ? identifier : bare
    }

    /// A text as a literal of Swift.
    package static func literal(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard !isPlain else { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension SwiftNames {
    /// The number signs around a literal that shows lines as they are; none where they need none.
    ///
    /// One more than follow any quotation mark or backslash in them.
    package static func rawMark(for lines: [String], always: Bool = false) -> String {
        var (most, isNeeded) = (0, always)
        for line in lines {
            var run: Int?
            for byte in line.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    run = 0
                    isNeeded = true
                case UInt8(ascii: "#"):
                    run = run.map { $0 + 1 }
                    most = max(most, run ?? 0)
                default: run = nil
                }
            }
        }
        return isNeeded ? String(repeating: "#", count: most + 1) : ""
    }
}

extension SwiftNames {
    /// The words of a name, in its spelling.
    package static func words(_ name: some StringProtocol) -> [[UInt8]] {
        var (name, words) = (String(name), [[UInt8]]())
        name.withUTF8 { bytes in
            visit(bytes) { byte, begins in
                if begins { words.append([byte]) } else { words[words.count - 1].append(byte) }
            }
        }
        return words
    }

    private static func joined(_ name: some StringProtocol, capitalizesFirst: Bool) -> String {
        var name = String(name)
        return name.withUTF8 { bytes in
            // Letters and digits stay, so that it becomes no longer than it was.
            String(unsafeUninitializedCapacity: bytes.count) { result in
                var count = 0
                visit(bytes) { byte, begins in
                    let isCapital = begins && (capitalizesFirst || count > 0)
                    result.initializeElement(at: count, to: isCapital ? byte.upper : byte.lower)
                    count += 1
                }
                return count
            }
        }
    }

    private enum Mode { case boundary, lower, upper }

    /// Gives the letters and digits of a name in order, and whether each begins a word.
    private static func visit(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (_ byte: UInt8, _ begins: Bool) -> Void) {
        var (mode, begins) = (Mode.boundary, true)
        for (index, byte) in bytes.enumerated() {
            guard byte.isAlphanumeric else {
                (mode, begins) = (.boundary, true)
                continue
            }
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            // The last capital of several begins the next word.
            if mode == .upper, byte.isUpper, next.isLower { begins = true }
            body(byte, begins)
            begins = false
            mode = byte.isLower ? .lower : byte.isUpper ? .upper : mode
            if mode == .lower, next.isUpper { (mode, begins) = (.boundary, true) }
        }
    }

    /// A value's name without the words of its enum in front, whatever their spelling.
    private static func withoutPrefix(_ value: String, _ enumName: String) -> Substring {
        let prefix = enumName.utf8.filter { $0 != UInt8(ascii: "_") }.map(\.lower)
        var rest = Substring(value).utf8
        for byte in prefix {
            rest = rest.drop { $0 == UInt8(ascii: "_") }
            guard let first = rest.first, first.lower == byte else { return Substring(value) }
            rest = rest.dropFirst()
        }
        // `COLORLESS` of `Color` is a word of its own.
        guard rest.first == UInt8(ascii: "_") else { return Substring(value) }
        rest = rest.drop { $0 == UInt8(ascii: "_") }
        guard let first = rest.first, first.isAlphanumeric, !(0x30...0x39).contains(first) else {
            return Substring(value)
        }
        return Substring(rest)
    }
}

extension UInt8 {
    fileprivate var isUpper: Bool { (0x41...0x5A).contains(self) }
    fileprivate var isLower: Bool { (0x61...0x7A).contains(self) }
    fileprivate var isAlphanumeric: Bool { isUpper || isLower || (0x30...0x39).contains(self) }
    fileprivate var upper: UInt8 { isLower ? self - 32 : self }
    fileprivate var lower: UInt8 { isUpper ? self + 32 : self }
}
