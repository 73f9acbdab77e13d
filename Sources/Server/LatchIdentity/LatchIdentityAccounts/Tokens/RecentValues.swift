// SPDX-License-Identifier: Apache-2.0

/// A bounded dictionary that drops the least recently used values.
///
/// Two generations of entries bound the memory. An entry that is used moves to the newer generation. When that is full,
/// the older generation is dropped, with all entries that were not used since.
package struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The maximum number of entries of one generation.
    private let capacity: Int
    private var newer: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    /// Creates an empty dictionary for at most twice as many entries as `capacity`.
    package init(capacity: Int) { self.capacity = max(capacity, 1) }

    package var count: Int { newer.count + older.count }

    /// Returns the value of a key, which becomes the most recently used one.
    package mutating func use(_ key: Key) -> Value? {
        if let value = newer[key] { return value }
        guard let value = older.removeValue(forKey: key) else { return nil }
        insert(value, for: key)
        return value
    }

    /// Inserts a value or replaces the value of its key.
    package mutating func insert(_ value: Value, for key: Key) {
        if newer.count >= capacity, newer[key] == nil {
            older = newer
            newer = Dictionary(minimumCapacity: capacity)
        }
        newer[key] = value
    }

    /// Removes the value of a key, if there is one.
    package mutating func remove(_ key: Key) {
        newer[key] = nil
        older[key] = nil
    }
}
