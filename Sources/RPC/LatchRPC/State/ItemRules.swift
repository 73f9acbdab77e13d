// SPDX-License-Identifier: Apache-2.0

/// The rules of a collection in a state: the identity, limit, search and order of its items.
///
/// The items are an array in the state; the rules are the same for all states of a client.
public struct ItemRules<Item: Hashable & Sendable, Key: Hashable & Sendable>: Sendable {
    /// The name of the collection.
    public let name: String
    /// The maximum number of items; nil for no limit.
    public let limit: Int?
    /// The default sort field.
    public let defaultSort: String?
    private let keyOf: @Sendable (Item) -> Key
    private let search: @Sendable (Item) -> [String]
    private let sort: [SortField<Item>]
    private let ignoring: (@Sendable (inout Item) -> Void)?

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - name: The name of the collection.
    ///   - limit: The maximum number of items; nil for no limit.
    ///   - key: A function that returns the identity of an item.
    ///   - search: A function that returns the searchable texts of an item; by default there are none.
    ///   - sort: The sort fields.
    ///   - defaultSort: The name of the sort field to use if none is given; nil to keep the current order.
    ///   - ignoring: A function that clears the fields that comparisons ignore; nil to compare everything.
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

    /// The names of the sort fields.
    public var sortFields: [String] { sort.map(\.name) }

    /// Returns what identifies an item in its collection.
    public func key(of item: Item) -> Key { keyOf(item) }
}

extension ItemRules {
    /// Appends items; an item whose key exists replaces the existing item.
    ///
    /// If the limit is exceeded, the first items are dropped.
    public func append(_ new: [Item], to items: inout [Item]) {
        merge(new, into: &items)
        if let limit, items.count > limit { items.removeFirst(items.count - limit) }
    }

    private func merge(_ new: [Item], into items: inout [Item]) {
        var positions: [Key: Int] = [:]
        for (position, item) in items.enumerated() { positions[keyOf(item)] = position }
        for item in new {
            if let position = positions[keyOf(item)] {
                items[position] = item
            } else {
                positions[keyOf(item)] = items.count
                items.append(item)
            }
        }
    }

    /// Replaces all items; if two items have the same key, the later one wins, and items over the limit are dropped.
    public func replaceAll(_ items: inout [Item], with new: [Item]) {
        items = []
        merge(new, into: &items)
        if let limit, items.count > limit { items.removeLast(items.count - limit) }
    }

    /// Replaces the item with a key, by default the item's own key.
    ///
    /// If no item has the key, nothing changes.
    public func update(_ item: Item, withKey key: Key? = nil, in items: inout [Item]) {
        let key = key ?? keyOf(item)
        guard let position = items.firstIndex(where: { keyOf($0) == key }) else { return }
        items[position] = item
    }

    /// Removes the item with a key, if it exists.
    public func remove(_ key: Key, from items: inout [Item]) { items.removeAll { keyOf($0) == key } }

    /// Returns the item with a key, or nil.
    public func item(_ key: Key, in items: [Item]) -> Item? { items.first { keyOf($0) == key } }
}

extension ItemRules {
    /// Returns the items that contain each word of a query in one of the searchable texts, ignoring case.
    ///
    /// A query without words returns all items.
    public func search(_ query: String, in items: [Item]) -> [Item] {
        let words = query.lowercased().unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map {
            String($0)
        }
        guard !words.isEmpty else { return items }
        return items.filter { item in
            let texts = search(item).map { $0.lowercased() }
            return words.allSatisfy { word in texts.contains { $0.utf8.contains(word.utf8) } }
        }
    }

    /// Returns the items sorted by a field; the sort is stable.
    ///
    /// - Parameters:
    ///   - items: The items to sort.
    ///   - field: The name of the field; nil for the default field, or for the current order if there is none.
    ///   - ascending: Whether the order is ascending; equal items keep their order in both cases.
    /// - Throws: `ActionError.unknownSortField` for an unknown name.
    public func sorted(_ items: [Item], by field: String?, ascending: Bool) throws(ActionError) -> [Item] {
        guard let name = field ?? defaultSort else { return items }
        guard let field = sort.first(where: { $0.name == name }) else {
            throw .unknownSortField(name, of: self.name, sortFields)
        }
        // Equal items keep their order in both directions.
        return items.enumerated().sorted { one, other in
            let (left, right) = ascending ? (one, other) : (other, one)
            if field.isLess(left.element, right.element) { return true }
            if field.isLess(right.element, left.element) { return false }
            return one.offset < other.offset
        }.map(\.element)
    }

    /// Returns the items sorted by a field, and throws the client's own error type.
    public func sorted<Failure: ActionFailure>(
        _ items: [Item], by field: String?, ascending: Bool, orThrow failure: Failure.Type
    ) throws(Failure) -> [Item] {
        do throws(ActionError) { return try sorted(items, by: field, ascending: ascending) } catch {
            throw Failure(error)
        }
    }

    /// Returns a page of the items; shorter at the end, empty after it.
    public func page(_ items: [Item], offset: Int, limit: Int) -> [Item] {
        guard offset < items.count, limit > 0 else { return [] }
        let start = max(0, offset)
        return Array(items[start..<(start + min(limit, items.count - start))])
    }

    /// Whether two lists are equal for observers of the state.
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

    /// Hashes a subset of the properties that `areEqual` compares.
    public func hash(_ items: [Item], into hasher: inout Hasher) {
        guard ignoring != nil else { return hasher.combine(items) }
        hasher.combine(items.count)
        for item in items { hasher.combine(keyOf(item)) }
    }
}

/// A named order of items.
public struct SortField<Item>: Sendable {
    /// The name of the field.
    public let name: String
    /// Whether one item comes before another.
    let isLess: @Sendable (Item, Item) -> Bool

    /// Creates a sort field; items without a value come first.
    public init<Value: Comparable & SendableMetatype>(_ name: String, _ value: @escaping @Sendable (Item) -> Value?) {
        self.name = name
        // A value that does not equal itself (NaN) has no order, and counts as missing.
        let orderable: @Sendable (Item) -> Value? = { item in value(item).flatMap { $0 == $0 ? $0 : nil } }
        isLess = { one, other in
            guard let right = orderable(other) else { return false }
            guard let left = orderable(one) else { return true }
            return left < right
        }
    }
}
