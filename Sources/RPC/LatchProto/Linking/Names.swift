// SPDX-License-Identifier: Apache-2.0

/// How names are turned into others (Protocol Buffers language guide, "JSON mapping", and the rules of enums).
package enum Names {
    /// The name of a field in JSON: without underscores, and with a capital where one stood before a letter.
    package static func json(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
        var result: [UInt8] = []
        var isCapital = false
        for byte in name.utf8 {
            if byte == UInt8(ascii: "_") {
                isCapital = true
            } else {
                result.append(isCapital && (0x61...0x7A).contains(byte) ? byte - 32 : byte)
                isCapital = false
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// `FooBar` for `FOO_BAR`.
    static func pascal(_ name: some StringProtocol) -> String {
        var result: [UInt8] = []
        var isCapital = true
        for byte in name.utf8 {
            if byte == UInt8(ascii: "_") {
                isCapital = true
            } else {
                result.append(isCapital ? byte.uppercased : byte.lowercased)
                isCapital = false
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The name of a value without that of its enum in front, whatever their spelling; the name itself where the enum's is
    /// not in front, or is all of it.
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
