// SPDX-License-Identifier: Apache-2.0

/// A value with its parameters (RFC 9651 §3.3).
public struct StructuredItem: Sendable, Hashable {
    /// The value itself.
    public var value: StructuredValue
    /// What is said about it.
    public var parameters: StructuredParameters

    /// An item from its parts.
    public init(_ value: StructuredValue, _ parameters: StructuredParameters = [:]) {
        self.value = value
        self.parameters = parameters
    }

    /// Reads a field whose value is one item (§4.2).
    ///
    /// - Throws: `HTTPError.malformedStructuredField`.
    public init(parsing text: some StringProtocol) throws(HTTPError) {
        var parser = StructuredParser(text.utf8)
        self = try parser.whole { parser throws(HTTPError) in try parser.item() }
    }

    /// The item as a field writes it (§4.1.3).
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` where a part has no spelling.
    public func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        try writer.write(self)
        return writer.text
    }
}
