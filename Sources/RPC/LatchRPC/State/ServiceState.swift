// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// The state of a service client: a value that only actions change.
///
/// Observers are not notified of a change between equal states. Exclude properties that they should not observe from
/// `==`.
public protocol ServiceState: Hashable, Sendable {
    /// The error type of the client.
    associatedtype Failure: ActionFailure

    /// Whether an action that shows the loading state is running; set by the client.
    var isLoading: Bool { get set }
    /// The failure of the last action; nil after a success.
    var error: Failure? { get set }
    /// The time of the last change; nil before the first.
    var lastUpdated: Date? { get set }
    /// Whether the content comes from a cached response because the network is unreachable.
    var isStale: Bool { get set }
}

/// An error type of a client.
public protocol ActionFailure: Error, Hashable, Sendable {
    /// Creates the client's error for a failure of an action.
    init(_ error: ActionError)

    /// Whether the same action may succeed later.
    var isRetryable: Bool { get }
}

/// A state's violation of the service's options.
public enum StateIssue: Sendable, Hashable, CustomStringConvertible {
    /// A collection has more items than its limit.
    case collectionSizeExceeded(collection: String, count: Int, limit: Int)
    /// A field of an item has an invalid value.
    case invalidFieldValue(collection: String, key: String, reason: String)
    /// Two items have the same key.
    case constraintViolation(collection: String, key: String)

    /// A description of the problem.
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
    /// Returns the problems of a list of items, for states that the client did not create.
    ///
    /// - Parameters:
    ///   - items: The items of the collection.
    ///   - reasons: A function that returns the problems of the fields of one item; by default there are none.
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

/// The size of a state.
public struct StateStatistics: Sendable, Hashable {
    /// The number of items in each collection, by its name.
    public let itemCounts: [String: Int]

    /// Creates statistics.
    public init(_ itemCounts: [String: Int]) { self.itemCounts = itemCounts }

    /// The number of items in all collections.
    public var totalItems: Int { itemCounts.values.reduce(0, +) }

    /// Whether there are so many items that a list should page them.
    public var isOptimizedForLargeDatasets: Bool { totalItems > 1_000 }
}
