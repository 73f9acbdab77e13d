// SPDX-License-Identifier: Apache-2.0

extension HTTPFields {
    /// Adds the lines of a field that a system's library has made one of.
    ///
    /// RFC 9110 §5.3 allows it for every field but `Set-Cookie`, whose dates hold commas, and URLSession does it there
    /// too. Such a value is taken apart where a comma and a space stand before what begins a cookie: a token and `=`.
    package mutating func append(folded value: String, for name: HTTPFieldName) {
        guard name == .setCookie else { return append(value, for: name) }
        let bytes = Array(value.utf8)
        var start = 0
        for comma in bytes.indices where bytes[comma] == 0x2C && Self.beginsCookie(bytes[(comma + 1)...]) {
            append(String(decoding: trimmed(bytes[start..<comma]), as: UTF8.self), for: name)
            start = comma + 1
        }
        append(String(decoding: trimmed(bytes[start...]), as: UTF8.self), for: name)
    }

    private static func beginsCookie(_ rest: ArraySlice<UInt8>) -> Bool {
        guard rest.first == 0x20 else { return false }
        let name = rest.dropFirst().prefix(while: isTokenByte)
        return !name.isEmpty && name.endIndex < rest.endIndex && rest[name.endIndex] == 0x3D
    }
}
