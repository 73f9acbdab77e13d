// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A collection of items that the state of a client keeps.
struct CollectionPlan {
    /// The name of the collection, as spelled in the options.
    let name: String
    let item: MessageDescriptor
    /// The field that identifies an item.
    let key: FieldDescriptor
    /// Whether the collection is loaded page by page.
    let isPaginated: Bool
    /// The fields that a search covers; empty if the collection cannot be searched.
    let searchFields: [FieldDescriptor]
    /// The fields by which items can be sorted; empty if the collection cannot be sorted.
    let sortFields: [FieldDescriptor]
    /// The field of the default order.
    let defaultSort: FieldDescriptor?
    /// The maximum number of items; nil for no limit.
    let limit: Int?
    /// The fields that comparisons of states ignore.
    let ignoredFields: [FieldDescriptor]
    /// Whether another collection has items of the same type, so that the type's name is ambiguous.
    var sharesItem = false

    /// The name of the state's property.
    var property: String { SwiftNames.property(name) }

    /// The Swift type of the keys.
    var keyType: String { key.scalarType?.type ?? "String" }

    /// The plural inside other names: `searchUsers`.
    var plural: String { SwiftNames.pascal(name) }

    /// The singular inside other names: `addingUser`.
    var singular: String {
        sharesItem ? SwiftNames.pascal(Self.singular(name)) : SwiftNames.type(item.name)
    }

    /// Returns the singular of an English noun, according to the common rules.
    static func singular(_ plural: String) -> String {
        if plural.hasSuffix("ies") { return plural.dropLast(3) + "y" }
        if ["sses", "shes", "ches", "xes", "zes"].contains(where: plural.hasSuffix) {
            return String(plural.dropLast(2))
        }
        return plural.hasSuffix("s") && !plural.hasSuffix("ss") ? String(plural.dropLast()) : plural
    }

    /// Returns the plural of an English noun, according to the common rules.
    static func plural(_ singular: String) -> String {
        if ["s", "sh", "ch", "x", "z"].contains(where: singular.hasSuffix) { return singular + "es" }
        guard singular.hasSuffix("y"), !["ay", "ey", "oy", "uy"].contains(where: singular.hasSuffix) else {
            return singular + "s"
        }
        return singular.dropLast() + "ies"
    }
}
