// SPDX-License-Identifier: Apache-2.0

/// A list inside of a list or a dictionary, with parameters of its own (RFC 9651 §3.1.1).
public struct StructuredInnerList: Sendable, Hashable {
    /// The items, in order.
    public var items: [StructuredItem]
    /// What is said about the list as a whole.
    public var parameters: StructuredParameters

    /// A list from its parts.
    public init(_ items: [StructuredItem], _ parameters: StructuredParameters = [:]) {
        self.items = items
        self.parameters = parameters
    }

    /// The list as a field writes it (§4.1.1.1).
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` where a part has no spelling.
    public func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        try writer.write(self)
        return writer.text
    }
}
