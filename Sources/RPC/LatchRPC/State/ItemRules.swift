// SPDX-License-Identifier: Apache-2.0

/// How the items of a collection in a state are told apart, limited, looked for and put in order.
///
/// The items are a list in the state; the rules are the same for all states of a client.
public struct ItemRules<Item: Hashable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// The name of the collection.
    public let name: String
    /// How many items are kept at most; nil for any number.
    public let limit: Int?
    /// The field by which items are put in order where none is named.
    public let defaultSort: String?
    private let keyOf: @Sendable (Item) -> Key
    private let search: @Sendable (Item) -> [String]
    private let sort: [SortField<Item>]
    private let ignoring: (@Sendable (inout Item) -> Void)?

    /// Rules.
    ///
    /// - Parameters:
    ///   - key: What an item is told apart by.
    ///   - search: The texts of an item that are searched.
    ///   - sort: The fields by which items can be put in order.
    ///   - ignoring: Clears what is no difference between two items; nil where everything is.
    public init(
        _ name: String, limit: Int? = nil, key: @escaping @Sendable (Item) -> Key,
        search: @escaping @Sendable (Item) -> [String] = { _ in [] }, sort: [SortField<Item>] = [],
        defaultSort: String? = nil, ignoring: (@Sendable (inout Item) -> Void)? = nil
    ) {
        self.name = name
        self.limit = limit.map { max(0, $0) }
        keyOf = key
        self.search = search
        self.sort = sort
        self.defaultSort = defaultSort
        self.ignoring = ignoring
    }

    /// The names of the fields by which items can be put in order.
    public var sortFields: [String] { sort.map(\.name) }

    /// The key of an item.
    public func key(of item: Item) -> Key { keyOf(item) }
}

extension ItemRules {
    /// Adds items at the end; one whose key is there already takes the place of that one.
    ///
    /// Where there are more than the limit, the first ones go.
    public func append(_ new: [Item], to items: inout [Item]) {
        var places: [Key: Int] = [:]
        for (place, item) in items.enumerated() { places[keyOf(item)] = place }
        for item in new {
            if let place = places[keyOf(item)] {
                items[place] = item
            } else {
                places[keyOf(item)] = items.count
                items.append(item)
            }
        }
        if let limit, items.count > limit { items.removeFirst(items.count - limit) }
    }

    /// Makes `new` the items, the later of two with one key in the place of the earlier; those beyond the limit are
    /// not kept.
    public func replaceAll(_ items: inout [Item], with new: [Item]) {
        var result: [Item] = []
        var places: [Key: Int] = [:]
        for item in new {
            if let place = places[keyOf(item)] {
                result[place] = item
            } else if result.count < limit ?? .max {
                places[keyOf(item)] = result.count
                result.append(item)
            }
        }
        items = result
    }

    /// Puts an item in the place of the one with a key: its own, where none is given.
    ///
    /// Where none has the key, nothing changes.
    public func update(_ item: Item, withKey key: Key? = nil, in items: inout [Item]) {
        let key = key ?? keyOf(item)
        guard let place = items.firstIndex(where: { keyOf($0) == key }) else { return }
        items[place] = item
    }

    /// Removes the item with a key, where there is one.
    public func remove(_ key: Key, from items: inout [Item]) { items.removeAll { keyOf($0) == key } }

    /// The item with a key; nil where there is none.
    public func item(_ key: Key, in items: [Item]) -> Item? { items.first { keyOf($0) == key } }
}

extension ItemRules {
    /// The items in which each word of a query occurs in one of the searched fields, in whatever case; all for a query
    /// without words.
    public func search(_ query: String, in items: [Item]) -> [Item] {
        let words = query.lowercased().split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return items }
        return items.filter { item in
            let texts = search(item).map { $0.lowercased() }
            return words.allSatisfy { word in texts.contains { $0.contains(word) } }
        }
    }

    /// The items in the order of a field; those that are equal in it stay as they are.
    ///
    /// - Parameter field: The name of the field; nil for the default one, and where there is none for the order as it is.
    /// - Throws: `ActionError.unknownSortField` for a name that is none of a field.
    public func sorted(_ items: [Item], by field: String?, ascending: Bool) throws(ActionError) -> [Item] {
        guard let name = field ?? defaultSort else { return items }
        guard let field = sort.first(where: { $0.name == name }) else {
            throw .unknownSortField(name, of: self.name, sortFields)
        }
        // Each in its place before where the field does not tell them apart: both directions are orders, and stable.
        return items.enumerated().sorted { one, other in
            let (left, right) = ascending ? (one, other) : (other, one)
            if field.isLess(left.element, right.element) { return true }
            if field.isLess(right.element, left.element) { return false }
            return one.offset < other.offset
        }.map(\.element)
    }

    /// The same, the failure in the words of a client.
    public func sorted<Failure: ActionFailure>(
        _ items: [Item], by field: String?, ascending: Bool, orThrow failure: Failure.Type
    ) throws(Failure) -> [Item] {
        do throws(ActionError) { return try sorted(items, by: field, ascending: ascending) } catch {
            throw Failure(error)
        }
    }

    /// So many items from a place on; fewer at the end, none behind it.
    public func page(_ items: [Item], offset: Int, limit: Int) -> [Item] {
        guard offset < items.count, limit > 0 else { return [] }
        let start = max(0, offset)
        return Array(items[start..<(start + min(limit, items.count - start))])
    }

    /// Whether two lists are the same for those who follow the state.
    public func areEqual(_ one: [Item], _ other: [Item]) -> Bool {
        guard let ignoring else { return one == other }
        return one.count == other.count
            && zip(one, other).allSatisfy { left, right in
                var (left, right) = (left, right)
                ignoring(&left)
                ignoring(&right)
                return left == right
            }
    }

    /// Hashes what `areEqual` compares, or less of it.
    public func hash(_ items: [Item], into hasher: inout Hasher) {
        guard ignoring != nil else { return hasher.combine(items) }
        hasher.combine(items.count)
        for item in items { hasher.combine(keyOf(item)) }
    }
}

/// A field by which items can be put in order.
public struct SortField<Item>: Sendable {
    /// Its name.
    public let name: String
    /// Whether one item comes before another.
    let isLess: @Sendable (Item, Item) -> Bool

    /// A field; items without a value come first.
    public init<Value: Comparable & SendableMetatype>(_ name: String, _ value: @escaping @Sendable (Item) -> Value?) {
        self.name = name
        // What is not equal to itself (a NaN) is in no order with anything: it counts as no value.
        let orderable: @Sendable (Item) -> Value? = { item in value(item).flatMap { $0 == $0 ? $0 : nil } }
        isLess = { one, other in
            guard let right = orderable(other) else { return false }
            guard let left = orderable(one) else { return true }
            return left < right
        }
    }
}
