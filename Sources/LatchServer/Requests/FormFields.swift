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
        for pair in text.split(separator: "&") {
            guard fields.count < limit else { throw .malformedRequest("The form has more than \(limit) fields.") }
            let name = pair.prefix { $0 != "=" }
            let value = pair[name.endIndex...].dropFirst()
            guard let name = percentDecoded(name.utf8, plusIsSpace: true),
                let value = percentDecoded(value.utf8, plusIsSpace: true)
            else { throw .malformedRequest("The form is not percent-encoded UTF-8.") }
            fields.append(Field(name: name, value: value))
        }
    }

    /// Reads a query; a pair that cannot be decoded is left out, and so is what exceeds `limit`.
    init(query: Substring, limit: Int) {
        for pair in query.split(separator: "&", maxSplits: limit).prefix(limit) {
            let name = pair.prefix { $0 != "=" }
            let value = pair[name.endIndex...].dropFirst()
            guard let name = percentDecoded(name.utf8, plusIsSpace: true),
                let value = percentDecoded(value.utf8, plusIsSpace: true)
            else { continue }
            fields.append(Field(name: name, value: value))
        }
    }
}
