// SPDX-License-Identifier: Apache-2.0

/// A field whose value is a list (RFC 9651 §3.1).
public struct StructuredList: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The members, in order.
    public var members: [StructuredMember]

    /// A list of these members.
    public init(_ members: [StructuredMember] = []) { self.members = members }

    /// A list from a literal.
    public init(arrayLiteral elements: StructuredMember...) { members = elements }

    /// Reads a field whose value is a list (§4.2); an empty text is an empty list.
    ///
    /// - Throws: `HTTPError.malformedStructuredField`.
    public init(parsing text: some StringProtocol) throws(HTTPError) {
        var parser = StructuredParser(text.utf8)
        members = try parser.whole { parser throws(HTTPError) in try parser.list() }
    }

    /// The list as a field writes it (§4.1.1); nothing for an empty one, whose field is then not sent.
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` where a part has no spelling.
    public func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        for (place, member) in members.enumerated() {
            if place > 0 { writer.text += ", " }
            try writer.write(member)
        }
        return writer.text
    }
}
