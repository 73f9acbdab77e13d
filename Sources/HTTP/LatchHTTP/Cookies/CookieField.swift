// SPDX-License-Identifier: Apache-2.0

extension HTTPRequest {
    /// Adds cookies to those that the request carries already, so that no name stands there twice.
    ///
    /// The `Cookie` field is one line afterwards, as RFC 6265bis §5.8.1 wants it.
    ///
    /// - Parameter replacing: Whether a cookie takes the place of one of its name; without it the earlier one stays,
    ///   because whoever wrote it meant it for this request.
    package mutating func add(_ cookies: [Cookie], replacing: Bool) {
        guard !cookies.isEmpty else { return }
        // By the name that the server will read: a cookie without a name may look like one that has one.
        let own = cookies.map { (name: Self.name(ArraySlice($0.pair.utf8)), pair: $0.pair) }
        let names = Set(own.map(\.name))
        // Bytes, since a character that clings to a separator would hide it.
        let written = fields.values(of: .cookie).flatMap { $0.utf8.split(separator: 0x3B) }
            .map { trimmed(ArraySlice($0)) }.filter { !$0.isEmpty }
        let taken = Set(written.map(Self.name))
        let kept = written.filter { !replacing || !names.contains(Self.name($0)) }
            .map { String(decoding: $0, as: UTF8.self) }
        let added = own.filter { replacing || !taken.contains($0.name) }.map(\.pair)
        fields[.cookie] = (kept + added).joined(separator: "; ")
    }

    /// The name of a pair; a pair without `=` has none (RFC 6265bis §5.6 step 3).
    private static func name(_ pair: ArraySlice<UInt8>) -> String {
        guard let equals = pair.firstIndex(of: 0x3D) else { return "" }
        return String(decoding: trimmed(pair[..<equals]), as: UTF8.self)
    }
}

extension Cookie {
    /// The cookie as a request carries it (RFC 6265bis §5.8.3 step 6).
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }
}
