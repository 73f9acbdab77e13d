// SPDX-License-Identifier: Apache-2.0

/// The conversions between naming styles.
///
/// Protocol Buffers language guide, "JSON mapping", and protoc's rules for enums.
package enum Names {
    /// Whether a text is an identifier in a .proto file (Protocol Buffers Language Specification, "Letters and
    /// Digits").
    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "_")
        }
    }

    /// Returns the JSON name of a field: without underscores, and with each lowercase letter after one capitalized.
    package static func json(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
        return withoutUnderscores(name, isCapital: false) { $0 }
    }

    /// Returns a name in PascalCase, such as `FooBar` for `FOO_BAR`.
    static func pascal(_ name: some StringProtocol) -> String {
        withoutUnderscores(name, isCapital: true, other: \.lowercased)
    }

    /// Returns the name of a map entry, such as `FooBarEntry` for `foo_bar`.
    static func entry(_ field: String) -> String { withoutUnderscores(field, isCapital: true) { $0 } + "Entry" }

    /// Returns a name without underscores, and with each letter after one capitalized.
    ///
    /// - Parameters:
    ///   - isCapital: Whether the first letter is capitalized.
    ///   - other: The form of the other letters.
    private static func withoutUnderscores(
        _ name: some StringProtocol, isCapital: Bool, other: (UInt8) -> UInt8
    ) -> String {
        var (result, isCapital) = ([UInt8](), isCapital)
        for byte in name.utf8 {
            if byte != UInt8(ascii: "_") { result.append(isCapital ? byte.uppercased : other(byte)) }
            isCapital = byte == UInt8(ascii: "_")
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns an enum value's name without the enum's name before it, ignoring case and underscores.
    ///
    /// The name is unchanged if it has no such prefix, or consists only of the prefix.
    static func withoutPrefix(_ name: String, of enumName: String) -> Substring {
        let prefix = enumName.utf8.filter { $0 != UInt8(ascii: "_") }.map(\.lowercased)
        var rest = Substring(name)
        var index = 0
        while index < prefix.count {
            guard let byte = rest.utf8.first else { return Substring(name) }
            rest = rest.dropFirst()
            if byte == UInt8(ascii: "_") { continue }
            guard byte.lowercased == prefix[index] else { return Substring(name) }
            index += 1
        }
        rest = rest.drop { $0 == "_" }
        return rest.isEmpty ? Substring(name) : rest
    }
}

extension UInt8 {
    var uppercased: UInt8 { (0x61...0x7A).contains(self) ? self - 32 : self }
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 32 : self }
}
