// SPDX-License-Identifier: Apache-2.0

/// The decoded names and values of a form or a query, in their order.
public struct FormFields: Sendable, Hashable, RandomAccessCollection {
    /// One name and its value.
    public struct Field: Sendable, Hashable {
        /// The decoded name.
        public let name: String
        /// The decoded value; empty if there was no `=`.
        public let value: String
    }

    /// The fields; names may repeat, since only the caller knows whether that is allowed.
    private var fields: [Field] = []

    /// The index of the first field.
    public var startIndex: Int { 0 }

    /// The index after the last field.
    public var endIndex: Int { fields.count }

    /// The field at an index.
    public subscript(position: Int) -> Field { fields[position] }

    /// The first value of a name.
    public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Returns all values of a name, in order.
    public func values(of name: String) -> [String] { fields.compactMap { $0.name == name ? $0.value : nil } }

    /// Returns the only value of a name; nil if it is missing.
    ///
    /// - Throws: `ServerError.malformedRequest` if the name repeats. OAuth forbids that (RFC 6749 §3.2), since two
    ///   parsers of one request could otherwise see different values.
    public func single(_ name: String) throws(ServerError) -> String? {
        let values = values(of: name)
        guard values.count < 2 else { throw .malformedRequest("The form contains a field more than once.") }
        return values.first
    }
}

extension FormFields {
    /// Creates fields from names and values that are decoded.
    package init(_ pairs: [(name: String, value: String)]) {
        fields = pairs.map { Field(name: $0.name, value: $0.value) }
    }

    /// Parses `application/x-www-form-urlencoded` text.
    ///
    /// - Throws: `ServerError.malformedRequest` for invalid escapes, bytes that are not UTF-8, and more than `limit`
    ///   fields.
    package init(parsing text: Substring, limit: Int) throws(ServerError) {
        var rest = text.utf8
        while let pair = Self.nextPair(&rest) {
            guard fields.count < limit else { throw .malformedRequest("The form has more than \(limit) fields.") }
            guard let field = Field(pair) else { throw .malformedRequest("The form is not percent-encoded UTF-8.") }
            fields.append(field)
        }
    }

    /// Parses a query; pairs that cannot be decoded, or exceed `limit`, are omitted.
    init(query: Substring, limit: Int) {
        var (rest, count) = (query.utf8, 0)
        while count < limit, let pair = Self.nextPair(&rest) {
            count += 1
            if let field = Field(pair) { fields.append(field) }
        }
    }

    /// Removes the next pair that is not empty from the text; nil at its end.
    ///
    /// Pairs beyond a limit are never parsed. The text is split as bytes, since Swift combines `&` and a following
    /// accent into one `Character`, but other implementations do not.
    private static func nextPair(_ rest: inout Substring.UTF8View) -> Substring.UTF8View? {
        rest = rest.drop { $0 == 0x26 }
        guard !rest.isEmpty else { return nil }
        let pair = rest.prefix { $0 != 0x26 }
        rest = rest[pair.endIndex...]
        return pair
    }
}

extension FormFields.Field {
    /// Decodes a pair with `=` between name and value; nil if it is malformed.
    fileprivate init?(_ pair: Substring.UTF8View) {
        let encodedName = pair.prefix { $0 != 0x3D }
        guard let name = percentDecoded(encodedName, plusIsSpace: true),
            let value = percentDecoded(pair[encodedName.endIndex...].dropFirst(), plusIsSpace: true)
        else { return nil }
        self.init(name: name, value: value)
    }
}
