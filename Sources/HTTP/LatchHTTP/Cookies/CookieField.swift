// SPDX-License-Identifier: Apache-2.0

extension HTTPRequest {
    /// Adds cookies to the request's cookies so that no name occurs twice.
    ///
    /// Afterwards the `Cookie` field is a single line, as RFC 6265bis §5.8.1 requires.
    ///
    /// - Parameter replacing: Whether a cookie replaces an existing one of the same name; otherwise the existing one is
    ///   kept, because the caller set it for this request.
    package mutating func add(_ cookies: [Cookie], replacing: Bool) {
        guard !cookies.isEmpty else { return }
        // Compared by the name that the server will parse, since a cookie without a name may look like one with a name.
        let own = cookies.map { (name: Self.name(ArraySlice($0.pair.utf8)), pair: $0.pair) }
        let names = Set(own.map(\.name))
        // Bytes, since a combining character after a separator would hide it.
        let written = fields.values(of: .cookie).flatMap { $0.utf8.split(separator: 0x3B) }
            .map { trimmed(ArraySlice($0)) }.filter { !$0.isEmpty }
        let taken = Set(written.map(Self.name))
        let kept = written.filter { !replacing || !names.contains(Self.name($0)) }
            .map { String(decoding: $0, as: UTF8.self) }
        let added = own.filter { replacing || !taken.contains($0.name) }.map(\.pair)
        fields[.cookie] = (kept + added).joined(separator: "; ")
    }

    /// Returns the name of a pair; a pair without `=` has an empty name (RFC 6265bis §5.6 step 3).
    private static func name(_ pair: ArraySlice<UInt8>) -> String {
        guard let equals = pair.firstIndex(of: 0x3D) else { return "" }
        return String(decoding: trimmed(pair[..<equals]), as: UTF8.self)
    }
}

extension Cookie {
    /// The name-value pair in a Cookie field (RFC 6265bis §5.8.3 step 6).
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }
}

extension HTTPFields {
    /// Adds the lines of a field that a system library has joined into one.
    ///
    /// RFC 9110 §5.3 allows joining for every field except `Set-Cookie`, whose dates hold commas. URLSession joins that
    /// one, too. Such a value is split at each comma and space before the beginning of a cookie: a token and `=`.
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
