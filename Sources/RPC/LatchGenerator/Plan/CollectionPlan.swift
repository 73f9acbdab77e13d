// SPDX-License-Identifier: Apache-2.0

public import LatchProto

/// Items of one kind that the state of a client keeps.
public struct CollectionPlan {
    /// Its name as the options spell it.
    public let name: String
    /// What its items are.
    public let item: MessageDescriptor
    /// The field by which items are told apart.
    public let key: FieldDescriptor
    /// Whether it is loaded page by page.
    public let isPaginated: Bool
    /// The fields in which text is looked for; empty where it is not searched.
    public let searchFields: [FieldDescriptor]
    /// The fields by which it can be sorted; empty where it is not.
    public let sortFields: [FieldDescriptor]
    /// The field by which it is sorted where none is named.
    public let defaultSort: FieldDescriptor?
    /// How many items are kept at most; nil for any number.
    public let limit: Int?
    /// The fields whose change alone is none of the state.
    public let ignoredFields: [FieldDescriptor]
    /// Whether another collection has items of the same kind, so that the item's name does not name this one.
    public internal(set) var sharesItem = false

    /// The property of the state.
    public let property: String

    init(
        name: String, item: MessageDescriptor, key: FieldDescriptor, isPaginated: Bool, searchFields: [FieldDescriptor],
        sortFields: [FieldDescriptor], defaultSort: FieldDescriptor?, limit: Int?, ignoredFields: [FieldDescriptor]
    ) {
        self.name = name
        self.item = item
        self.key = key
        self.isPaginated = isPaginated
        self.searchFields = searchFields
        self.sortFields = sortFields
        self.defaultSort = defaultSort
        self.limit = limit
        self.ignoredFields = ignoredFields
        property = SwiftNames.property(name)
    }

    /// The name within other names: `searchUsers`.
    public var plural: String { SwiftNames.pascal(name) }

    /// The name of one item within other names: `addingUser`.
    public var singular: String {
        sharesItem ? SwiftNames.pascal(Self.singular(name)) : SwiftNames.type(item.name)
    }

    /// One of several, as English does it most of the time.
    static func singular(_ plural: String) -> String {
        if plural.hasSuffix("ies") { return plural.dropLast(3) + "y" }
        if ["sses", "shes", "ches", "xes", "zes"].contains(where: plural.hasSuffix) {
            return String(plural.dropLast(2))
        }
        return plural.hasSuffix("s") && !plural.hasSuffix("ss") ? String(plural.dropLast()) : plural
    }

    /// Several of one, as English does it most of the time.
    static func plural(_ singular: String) -> String {
        if ["s", "sh", "ch", "x", "z"].contains(where: singular.hasSuffix) { return singular + "es" }
        guard singular.hasSuffix("y"), !["ay", "ey", "oy", "uy"].contains(where: singular.hasSuffix) else {
            return singular + "s"
        }
        return singular.dropLast() + "ies"
    }
}
