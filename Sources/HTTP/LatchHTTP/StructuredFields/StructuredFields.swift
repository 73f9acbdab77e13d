// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// A bare item of a structured field (RFC 9651 §3.3).
///
/// ```swift
/// let list: StructuredList = [.value("gzip"), .item(StructuredItem(.token("br"), ["q": 0.5]))]
/// ```
///
/// The content is validated when it is serialized.
package enum StructuredValue: Sendable, Hashable {
    /// An integer of at most 15 digits (§3.3.1).
    case integer(Int64)
    /// A decimal with at most 12 integer and 3 fractional digits (§3.3.2).
    case decimal(StructuredDecimal)
    /// A string of printable ASCII (§3.3.3).
    case string(String)
    /// A token: a short word without quotes (§3.3.4).
    case token(String)
    /// A byte sequence, in base64 between colons (§3.3.5).
    case bytes([UInt8])
    /// A boolean (§3.3.6).
    case boolean(Bool)
    /// A date: the seconds since 1970, without leap seconds (§3.3.7).
    case date(Int64)
    /// A display string: Unicode text (§3.3.8).
    case displayString(String)
}

extension StructuredValue {
    /// The text of a string or a token; nil for any other value.
    package var text: String? {
        switch self {
        case .string(let text), .token(let text): text
        default: nil
        }
    }

    /// The text of a string; nil for any other value.
    package var stringValue: String? { if case .string(let text) = self { text } else { nil } }

    /// The number of an integer; nil for any other value.
    package var integerValue: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The bytes of a byte sequence; nil for any other value.
    package var bytesValue: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

extension StructuredValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral
{
    /// Creates a string; tokens need `.token`.
    package init(stringLiteral value: String) { self = .string(value) }

    package init(integerLiteral value: Int64) { self = .integer(value) }

    package init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// Creates a decimal.
    package init(floatLiteral value: Double) { self = .decimal(StructuredDecimal(value)) }
}

/// A decimal with three fractional digits (RFC 9651 §3.3.2), stored exactly.
package struct StructuredDecimal: Sendable, Hashable, ExpressibleByFloatLiteral {
    /// The number times a thousand.
    package let thousandths: Int64

    /// Creates a decimal from its thousandths.
    package init(thousandths: Int64) { self.thousandths = thousandths }

    /// Creates the nearest decimal, rounding half to even (§4.1.5).
    ///
    /// A value out of range, or NaN, becomes a value that cannot be serialized.
    package init(_ value: Double) {
        let scaled = (value * 1_000).rounded(.toNearestOrEven)
        thousandths = Int64(exactly: scaled) ?? .max
    }

    /// Creates a decimal from a literal.
    package init(floatLiteral value: Double) { self.init(value) }

    /// Whether it has at most 12 integer digits (§3.3.2).
    var isWithinBounds: Bool { thousandths.magnitude <= 999_999_999_999_999 }
}

/// A structured item: a value with its parameters (RFC 9651 §3.3).
package struct StructuredItem: Sendable, Hashable {
    package var value: StructuredValue
    package var parameters: StructuredParameters

    /// Creates an item.
    package init(_ value: StructuredValue, _ parameters: StructuredParameters = [:]) {
        self.value = value
        self.parameters = parameters
    }

    /// Parses a field whose value is one item (§4.2).
    ///
    /// - Throws: `HTTPError.malformedStructuredField`.
    package init(parsing text: some StringProtocol) throws(HTTPError) {
        var parser = StructuredParser(text)
        self = try parser.whole { parser throws(HTTPError) in try parser.item() }
    }

    /// Serializes the item (§4.1.3).
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` if a value cannot be serialized.
    package func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        try writer.write(self)
        return writer.text
    }
}

/// The ordered parameters of an item or an inner list (RFC 9651 §3.1.2).
package typealias StructuredParameters = OrderedDictionary<StructuredValue>

extension StructuredParameters {
    /// Whether a parameter is present and `true`, like a key without a value.
    package func isTrue(_ key: String) -> Bool { self[key] == .boolean(true) }
}

/// An inner list of a list or a dictionary, with its own parameters (RFC 9651 §3.1.1).
package struct StructuredInnerList: Sendable, Hashable {
    /// The items, in order.
    package var items: [StructuredItem]
    /// The parameters of the list as a whole.
    package var parameters: StructuredParameters

    /// Creates an inner list.
    package init(_ items: [StructuredItem], _ parameters: StructuredParameters = [:]) {
        self.items = items
        self.parameters = parameters
    }

    /// Serializes the inner list (§4.1.1.1).
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` if a value cannot be serialized.
    package func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        try writer.write(self)
        return writer.text
    }
}

/// A member of a list or a dictionary: an item or an inner list (RFC 9651 §3.1 and §3.2).
package enum StructuredMember: Sendable, Hashable {
    case item(StructuredItem)
    /// A list of items.
    case innerList(StructuredInnerList)

    /// Returns a member that is a value without parameters.
    package static func value(_ value: StructuredValue) -> StructuredMember { .item(StructuredItem(value)) }

    /// The item; nil for an inner list.
    package var item: StructuredItem? { if case .item(let item) = self { item } else { nil } }

    /// The inner list; nil for an item.
    package var innerList: StructuredInnerList? { if case .innerList(let list) = self { list } else { nil } }

    /// Serializes the member without its dictionary key (§4.1.1 and §4.1.2).
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` if a value cannot be serialized.
    package func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        try writer.write(self)
        return writer.text
    }
}

/// A structured list (RFC 9651 §3.1).
package struct StructuredList: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The members, in order.
    package var members: [StructuredMember]

    /// Creates a list.
    package init(_ members: [StructuredMember] = []) { self.members = members }

    /// Creates a list from a literal.
    package init(arrayLiteral elements: StructuredMember...) { members = elements }

    /// Parses a field whose value is a list (§4.2); an empty text is an empty list.
    ///
    /// - Throws: `HTTPError.malformedStructuredField`.
    package init(parsing text: some StringProtocol) throws(HTTPError) {
        var parser = StructuredParser(text)
        members = try parser.whole { parser throws(HTTPError) in try parser.list() }
    }

    /// Serializes the list (§4.1.1); an empty one yields an empty text, whose field is not sent.
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` if a value cannot be serialized.
    package func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        for (index, member) in members.enumerated() {
            if index > 0 { writer.text += ", " }
            try writer.write(member)
        }
        return writer.text
    }
}

/// A structured dictionary with ordered keys (RFC 9651 §3.2); the order matters to some fields.
package typealias StructuredDictionary = OrderedDictionary<StructuredMember>

extension StructuredDictionary {
    /// Parses a field whose value is a dictionary (§4.2); an empty text is an empty dictionary.
    ///
    /// - Throws: `HTTPError.malformedStructuredField`.
    package init(parsing text: some StringProtocol) throws(HTTPError) {
        var parser = StructuredParser(text)
        self = try parser.whole { parser throws(HTTPError) in try parser.dictionary() }
    }

    /// Serializes the dictionary (§4.1.2); an empty one yields an empty text, whose field is not sent.
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` if a value cannot be serialized.
    package func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        for (index, pair) in enumerated() {
            if index > 0 { writer.text += ", " }
            try writer.write(key: pair.key)
            if case .item(let item) = pair.value, item.value == .boolean(true) {
                // §4.1.2: a member with the value true is written as its key, without a value.
                try writer.write(item.parameters)
            } else {
                writer.text += "="
                try writer.write(pair.value)
            }
        }
        return writer.text
    }
}

extension HTTPFields {
    /// Returns all lines of a field as one value, joined as RFC 9110 §5.3 specifies, or nil if there is none.
    package func combinedValue(of name: HTTPFieldName) -> String? {
        let values = values(of: name)
        return values.count > 1 ? values.joined(separator: ", ") : values.first
    }

    /// Parses a field whose value is a dictionary, across all of its lines (RFC 9651 §4.2); empty if it is missing.
    ///
    /// - Throws: `HTTPError.malformedStructuredField`.
    package func structuredDictionary(_ name: HTTPFieldName) throws(HTTPError) -> StructuredDictionary {
        try StructuredDictionary(parsing: combinedValue(of: name) ?? "")
    }
}

extension HTTPError {
    /// A field is not a valid item, list or dictionary (RFC 9651 §4.2 requires that the whole field is ignored).
    package static let malformedStructuredField = HTTPError.malformedStructuredField("its form is wrong", at: 0)

    /// A structured value cannot be serialized: a number is too large, or a string has other characters than printable
    /// ASCII.
    package static let unwritableStructuredField = HTTPError.unwritableStructuredField("a value cannot be represented")

    /// Returns an error with the reason and the position, without the field's content, which may hold a secret.
    package static func malformedStructuredField(_ why: String, at offset: Int) -> HTTPError {
        HTTPError(
            code: "malformedStructuredField", message: "A structured field cannot be read: \(why) (at byte \(offset)).",
            hint: "Compare the field with RFC 9651.")
    }

    package static func unwritableStructuredField(_ why: String) -> HTTPError {
        HTTPError(
            code: "unwritableStructuredField", message: "A structured field cannot be written: \(why).",
            hint: "RFC 9651 §3.3 defines the content of each kind of value; a display string takes any text.")
    }
}
