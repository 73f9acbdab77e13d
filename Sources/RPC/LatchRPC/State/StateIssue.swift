// SPDX-License-Identifier: Apache-2.0

/// Something in a state that its options do not allow.
public enum StateIssue: Sendable, Hashable, CustomStringConvertible {
    /// More items than are to be kept.
    case collectionSizeExceeded(collection: String, count: Int, limit: Int)
    /// An item whose field does not hold what it must.
    case invalidFieldValue(collection: String, key: String, reason: String)
    /// Two items with one key.
    case constraintViolation(collection: String, key: String)

    /// What is wrong, for a person.
    public var description: String {
        switch self {
        case .collectionSizeExceeded(let name, let count, let limit):
            "\(name): \(count) items are more than the \(limit) that are kept"
        case .invalidFieldValue(let name, let key, let reason): "\(name)[\(key)]: \(reason)"
        case .constraintViolation(let name, let key): "\(name)[\(key)]: there are two items with this key"
        }
    }
}

extension ItemRules {
    /// What is wrong with the items of a state that was made by hand.
    ///
    /// - Parameter reasons: What is wrong with the fields of one item.
    public func issues(_ items: [Item], reasons: (Item) -> [String] = { _ in [] }) -> [StateIssue] {
        var issues: [StateIssue] = []
        if let limit, items.count > limit {
            issues.append(.collectionSizeExceeded(collection: name, count: items.count, limit: limit))
        }
        var seen: Set<Key> = []
        for item in items {
            let key = key(of: item)
            if !seen.insert(key).inserted { issues.append(.constraintViolation(collection: name, key: "\(key)")) }
            issues += reasons(item).map { .invalidFieldValue(collection: name, key: "\(key)", reason: $0) }
        }
        return issues
    }
}

/// How much is in a state.
public struct StateStatistics: Sendable, Hashable {
    /// How many items are in each collection, by its name.
    public let itemCounts: [String: Int]

    /// Statistics.
    public init(_ itemCounts: [String: Int]) { self.itemCounts = itemCounts }

    /// How many items are in all collections.
    public var totalItems: Int { itemCounts.values.reduce(0, +) }

    /// Whether there are so many items that a list should show them page by page.
    public var isOptimizedForLargeDatasets: Bool { totalItems > 1_000 }
}
