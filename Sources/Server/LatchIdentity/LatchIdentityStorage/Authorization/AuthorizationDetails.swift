// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// The rights of a grant that no scope can say, such as one payment (RFC 9396 §2).
///
/// The server does not know what the members mean, except for `type`. It shows them to the user, and passes them on to
/// the resource server.
package struct AuthorizationDetails: Sendable, Hashable {
    /// The rights, each a JSON object with a `type`.
    package let elements: [JSONValue]

    package init(_ elements: [JSONValue] = []) { self.elements = elements }

    /// The maximum size of all rights and of the text of one in bytes, and the maximum number of rights.
    private static let (maximumSize, maximumText, maximumCount) = (4096, 1000, 20)

    /// Parses the parameter of a request; nil if the request has none.
    ///
    /// - Throws: `IdentityError.invalidAuthorizationDetails` (§5).
    package init?(requested text: String?) throws(IdentityError) {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= Self.maximumSize else { throw .invalidAuthorizationDetails("they are too long") }
        let list: [JSONValue]?
        do throws(JSONError) { list = try JSONValue(parsing: text).arrayValue } catch { list = nil }
        guard let list, (1...Self.maximumCount).contains(list.count), list.allSatisfy(Self.isValid) else {
            throw .invalidAuthorizationDetails("they are not a list of 1 to 20 JSON objects with a type")
        }
        self.init(list)
    }

    /// Returns whether a right has the members of RFC 9396 §2.2 in their types, and can be shown as it is.
    private static func isValid(_ element: JSONValue) -> Bool {
        guard let members = element.objectValue, let type = members["type"]?.stringValue, isType(type) else {
            return false
        }
        for name in ["locations", "actions", "datatypes", "privileges"] {
            guard let value = members[name] else { continue }
            guard let list = value.arrayValue, list.allSatisfy({ $0.stringValue != nil }) else { return false }
        }
        guard members.allSatisfy({ $0.key.isWord(maximum: 100, also: "-_.") }) else { return false }
        let text = text(of: element)
        return text.isVisible && text.utf8.count <= maximumText
            && (members["identifier"].map { $0.stringValue != nil } ?? true)
    }

    /// Returns whether a text can be the name of a type.
    package static func isType(_ text: String) -> Bool { text.isWord(maximum: 200, also: "-._:/") }

    /// Returns the type of a right.
    package static func type(of element: JSONValue) -> String { element["type"]?.stringValue ?? "" }

    /// Returns the URLs of the resource servers at which a right counts (RFC 9396 §2.2); nil for all.
    package static func locations(of element: JSONValue) -> [String]? {
        element["locations"]?.arrayValue?.compactMap(\.stringValue)
    }

    /// Returns the members of a right for its user, without its type.
    ///
    /// A text that could look like another member is in quotation marks.
    package static func text(of element: JSONValue) -> String {
        (element.objectValue ?? [:]).filter { $0.key != "type" }.map { name, value in
            "\(name): \(value.arrayValue.flatMap(list) ?? word(value))"
        }.joined(separator: "; ")
    }

    private static func list(_ values: [JSONValue]) -> String? {
        values.allSatisfy { $0.stringValue != nil } ? values.map(word).joined(separator: ", ") : nil
    }

    private static func word(_ value: JSONValue) -> String {
        if let text = value.stringValue, !text.isEmpty, text.utf8.first != 0x20, text.utf8.last != 0x20,
            !text.utf8.contains(where: ",;:()[]{}\"\\".utf8.contains)
        {
            return text
        }
        return String(decoding: value.serialized(), as: UTF8.self)
    }

    package var isEmpty: Bool { elements.isEmpty }

    /// The value of a claim or member; nil without rights.
    package var json: JSONValue? { isEmpty ? nil : .array(elements) }

    package func filter(_ isIncluded: (_ element: JSONValue) -> Bool) -> AuthorizationDetails {
        AuthorizationDetails(elements.filter(isIncluded))
    }
}
