// SPDX-License-Identifier: Apache-2.0

/// The conversion of .proto names to Swift.
///
/// Names are split into words as in the crate `heck`: at underscores, and between a lowercase and an uppercase letter.
/// A sequence of uppercase letters is split before its last letter if a lowercase letter follows. Digits belong to the
/// word before them. So `user_id` becomes `userId`, `HTTPServer` becomes `httpServer`, and `requires_2fa` becomes
/// `requires2fa`.
///
/// A keyword is escaped with backticks. Some names have a meaning in their context, such as `description` in a message
/// or `init` in any type. They receive an underscore as a suffix, which no other converted name has.
enum SwiftNames {
    /// Returns a name in `lowerCamelCase`, neither escaped nor checked.
    static func lowerCamel(_ name: some StringProtocol) -> String { joined(name, capitalizesFirst: false) }

    /// Returns a name in `PascalCase`, neither escaped nor checked.
    static func pascal(_ name: some StringProtocol) -> String { joined(name, capitalizesFirst: true) }

    /// Returns the name of a field's property.
    static func property(_ field: String) -> String { identifier(lowerCamel(field), reserved: memberNames) }

    /// Returns the name of a method's function.
    static func method(_ method: String) -> String { identifier(lowerCamel(method), reserved: methodNames) }

    /// Returns the name of a message, an enum or a service: capitalized and without underscores.
    ///
    /// The case of acronyms (`OAuthURL`) is preserved.
    static func type(_ name: String) -> String {
        var (result, begins) = ([UInt8](), true)
        result.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            let isUnderscore = byte == UInt8(ascii: "_")
            if !isUnderscore { result.append(begins ? byte.upper : byte) }
            begins = isUnderscore
        }
        return identifier(String(decoding: result, as: UTF8.self), reserved: typeNames)
    }

    /// Returns the case name of an enum value, without the enum's name as a prefix if the rest is a valid name.
    static func enumCase(_ value: String, of enumName: String) -> String {
        identifier(lowerCamel(withoutPrefix(value, enumName)), reserved: caseNames)
    }

    /// Returns the name of a oneof field's case.
    static func oneofCase(_ field: String) -> String { identifier(lowerCamel(field), reserved: oneofCaseNames) }

    /// Returns a valid identifier.
    ///
    /// A keyword is in backticks, and a reserved name has an underscore as a suffix. A name that begins with a digit
    /// has an underscore as a prefix.
    static func identifier(_ name: String, reserved: ReservedWords = .none) -> String {
        guard let first = name.utf8.first else { return "empty_" }
        if first.isDigit { return "_\(name)" }
        if reserved.contains(name) { return "\(name)_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// Whether a text is a Swift identifier that needs no backticks.
    static func isPlainIdentifier(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first, !first.isDigit, !keywords.contains(String(name)) else { return false }
        return name.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") }
    }

    /// Returns an identifier without backticks.
    static func bare(_ identifier: String) -> String {
        identifier.utf8.first == UInt8(ascii: "`") ? String(identifier.dropFirst().dropLast()) : identifier
    }

    /// Returns an identifier capitalized, for use within another name.
    static func capitalized(_ identifier: String) -> String {
        let bare = bare(identifier)
        return bare.prefix(1).uppercased() + bare.dropFirst()
    }

    /// Returns a name in lowercase without underscores; equal results mean that two names are equal in Swift.
    static func letters(of name: String) -> [UInt8] {
        name.utf8.lazy.filter { $0 != UInt8(ascii: "_") }.map(\.lower)
    }

    /// Returns an identifier as an argument label, in which few keywords need backticks.
    static func label(_ identifier: String) -> String {
        let bare = bare(identifier)
        return ["inout", "var", "let"].contains(bare) ? identifier : bare
    }

    /// Returns a text as a Swift string literal.
    static func literal(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if isPlain, !text.unicodeScalars.contains(where: \.isHidden) { return "\"\(text)\"" }
        return "\"\(escaped(text) { "\\u{\(String($0.value, radix: 16))}" })\""
    }

    /// Returns a text with escapes for characters that a literal of Swift or C cannot contain, or that a reader cannot
    /// see.
    static func escaped(_ text: String, control: (Unicode.Scalar) -> String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.isHidden: result += control(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension SwiftNames {
    /// Returns the number signs that delimit a raw string literal of some lines; empty if no raw string is needed.
    ///
    /// There is one more than after any quotation mark or backslash in the lines.
    static func rawStringDelimiter(for lines: [String], always: Bool = false) -> String {
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
    /// Returns a name in `snake_case`.
    static func snake(_ name: String) -> String {
        words(name).map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: "_")
    }

    static func words(_ name: some StringProtocol) -> [[UInt8]] {
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
            // The result consists of the name's letters and digits, so it is not longer.
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

    /// Calls a closure with each letter and digit of a name, and whether it begins a word.
    private static func visit(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (_ byte: UInt8, _ begins: Bool) -> Void) {
        var (mode, begins) = (Mode.boundary, true)
        for (index, byte) in bytes.enumerated() {
            guard byte.isAlphanumeric else {
                (mode, begins) = (.boundary, true)
                continue
            }
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            // The last of several uppercase letters begins the next word.
            if mode == .upper, byte.isUpper, next.isLower { begins = true }
            body(byte, begins)
            begins = false
            mode = byte.isLower ? .lower : byte.isUpper ? .upper : mode
            if mode == .lower, next.isUpper { (mode, begins) = (.boundary, true) }
        }
    }

    /// Returns an enum value's name without the enum's name as a prefix, ignoring case and underscores.
    private static func withoutPrefix(_ value: String, _ enumName: String) -> Substring {
        let prefix = enumName.utf8.filter { $0 != UInt8(ascii: "_") }.map(\.lower)
        var rest = Substring(value).utf8
        for byte in prefix {
            rest = rest.drop { $0 == UInt8(ascii: "_") }
            guard let first = rest.first, first.lower == byte else { return Substring(value) }
            rest = rest.dropFirst()
        }
        // `COLORLESS` of `Color` has no prefix.
        guard rest.first == UInt8(ascii: "_") else { return Substring(value) }
        rest = rest.drop { $0 == UInt8(ascii: "_") }
        guard let first = rest.first, first.isUpper || first.isLower else {
            return Substring(value)
        }
        return Substring(rest)
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII digit; the other properties also cover only ASCII.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    var isLower: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    var isAlphanumeric: Bool { isUpper || isLower || isDigit }
    var isBlank: Bool { self == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains(self) }
    fileprivate var upper: UInt8 { isLower ? self - 32 : self }
    fileprivate var lower: UInt8 { isUpper ? self + 32 : self }
}

extension String {
    /// Returns the name without a suffix; a name that equals the suffix is unchanged.
    func dropping(suffix: String) -> String {
        hasSuffix(suffix) && self != suffix ? String(dropLast(suffix.count)) : self
    }
}
