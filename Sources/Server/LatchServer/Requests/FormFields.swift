// SPDX-License-Identifier: Apache-2.0

/// Names and values of a form or a query, decoded, in the order in which they came.
public struct FormFields: Sendable, Hashable, RandomAccessCollection {
    /// One name and its value.
    public struct Field: Sendable, Hashable {
        /// The decoded name.
        public let name: String
        /// The decoded value; empty where there was no `=`.
        public let value: String
    }

    /// In the order of the text; names may stand twice, since it is the caller who knows whether that is allowed.
    private var fields: [Field] = []

    /// The index of the first field.
    public var startIndex: Int { 0 }

    /// The index after the last field.
    public var endIndex: Int { fields.count }

    /// The field at an index.
    public subscript(position: Int) -> Field { fields[position] }

    /// The first value of a name.
    public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// All values of a name, in order.
    public func values(of name: String) -> [String] { fields.compactMap { $0.name == name ? $0.value : nil } }

    /// The only value of a name; nil where it is missing.
    ///
    /// - Throws: `ServerError.malformedRequest` where the name stands twice: OAuth forbids that (RFC 6749 §3.2), since
    ///   two readers of one request could otherwise see two values.
    public func single(_ name: String) throws(ServerError) -> String? {
        let values = values(of: name)
        guard values.count < 2 else { throw .malformedRequest("A field stands more than once in the form.") }
        return values.first
    }
}

extension FormFields {
    /// Reads `application/x-www-form-urlencoded` text.
    ///
    /// - Throws: `ServerError.malformedRequest` for broken escapes, bytes that are no UTF-8, and more fields than
    ///   `limit`.
    package init(parsing text: Substring, limit: Int) throws(ServerError) {
        var rest = text.utf8
        while let pair = Self.nextPair(&rest) {
            guard fields.count < limit else { throw .malformedRequest("The form has more than \(limit) fields.") }
            guard let field = Field(pair) else { throw .malformedRequest("The form is not percent-encoded UTF-8.") }
            fields.append(field)
        }
    }

    /// Reads a query; a pair that cannot be decoded is left out, and so is what exceeds `limit`.
    init(query: Substring, limit: Int) {
        var (rest, count) = (query.utf8, 0)
        while count < limit, let pair = Self.nextPair(&rest) {
            count += 1
            if let field = Field(pair) { fields.append(field) }
        }
    }

    /// Takes the next pair that is not empty off the text; nil at its end.
    ///
    /// One at a time, so that what exceeds a limit costs nothing; and by bytes, since `&` with an accent behind it is
    /// one character to Swift and two to every other reader.
    private static func nextPair(_ rest: inout Substring.UTF8View) -> Substring.UTF8View? {
        rest = rest.drop { $0 == 0x26 }
        guard !rest.isEmpty else { return nil }
        let pair = rest.prefix { $0 != 0x26 }
        rest = rest[pair.endIndex...]
        return pair
    }
}

extension FormFields.Field {
    /// A pair as it was sent, with `=` between name and value; nil where it cannot be decoded.
    fileprivate init?(_ pair: Substring.UTF8View) {
        let encodedName = pair.prefix { $0 != 0x3D }
        guard let name = percentDecoded(encodedName, plusIsSpace: true),
            let value = percentDecoded(pair[encodedName.endIndex...].dropFirst(), plusIsSpace: true)
        else { return nil }
        self.init(name: name, value: value)
    }
}
