// SPDX-License-Identifier: Apache-2.0

/// What a list or a dictionary holds: an item or an inner list (RFC 9651 §3.1 and §3.2).
public enum StructuredMember: Sendable, Hashable {
    /// An item.
    case item(StructuredItem)
    /// A list of items.
    case innerList(StructuredInnerList)

    /// A member that is a value without parameters.
    public static func value(_ value: StructuredValue) -> StructuredMember { .item(StructuredItem(value)) }

    /// The item; nil for an inner list.
    public var item: StructuredItem? { if case .item(let item) = self { item } else { nil } }

    /// The inner list; nil for an item.
    public var innerList: StructuredInnerList? { if case .innerList(let list) = self { list } else { nil } }

    /// The parameters of either.
    public var parameters: StructuredParameters {
        switch self {
        case .item(let item): item.parameters
        case .innerList(let list): list.parameters
        }
    }

    /// The member as a field writes it, without the key that a dictionary has for it (§4.1.1 and §4.1.2).
    ///
    /// - Throws: `HTTPError.unwritableStructuredField` where a part has no spelling.
    public func serialized() throws(HTTPError) -> String {
        var writer = StructuredWriter()
        try writer.write(self)
        return writer.text
    }
}
