// SPDX-License-Identifier: Apache-2.0

/// A field whose value is a dictionary, whose keys are in order (RFC 9651 §3.2).
public struct StructuredDictionary: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private var storage = OrderedPairs<StructuredMember>()

    /// An empty dictionary.
    public init() {}

    /// A dictionary from a literal.
    ///
    /// A key that stands twice has its last value, at its first place.
    public init(dictionaryLiteral elements: (String, StructuredMember)...) {
        for (key, member) in elements { storage[key] = member }
    }

    /// Reads a field whose value is a dictionary (§4.2); an empty text is an empty dictionary.
    ///
    /// - Throws: `HTTPError.malformedStructuredField`.
    public init(parsing text: some StringProtocol) throws(HTTPError) {
        var parser = StructuredParser(text.utf8)
        storage = try parser.whole { parser throws(HTTPError) in try parser.dictionary() }
    }

    /// The member of a key; a new one is added at the end, nil removes it.
    public subscript(key: String) -> StructuredMember? {
        get { storage[key] }
        set { storage[key] = newValue }
    }

    /// The dictionary as a field writes it (§4.1.2); nothing for an empty one, whose field is then not sent.
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` where a part has no spelling.
    public func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        for (place, pair) in storage.pairs.enumerated() {
            if place > 0 { writer.text += ", " }
            try writer.write(key: pair.key)
            if case .item(let item) = pair.value, item.value == .boolean(true) {
                // §4.1.2: true is written by the key alone.
                try writer.write(item.parameters)
            } else {
                writer.text += "="
                try writer.write(pair.value)
            }
        }
        return writer.text
    }
}

extension StructuredDictionary: RandomAccessCollection {
    /// The index of the first member.
    public var startIndex: Int { 0 }

    /// The index after the last member.
    public var endIndex: Int { storage.pairs.count }

    /// The member at an index, with its key.
    public subscript(position: Int) -> (key: String, member: StructuredMember) {
        (storage.pairs[position].key, storage.pairs[position].value)
    }
}
