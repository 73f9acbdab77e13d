// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Items of a keychain that can be added and deleted, but not updated in place.
protocol KeychainItems {
    /// Whether an item with this name exists.
    func hasItem(_ name: String) throws -> Bool
    /// Returns the secret of an item; nil if the item does not exist.
    func secret(of name: String) throws -> [UInt8]?
    /// Adds an item; throws if it already exists.
    func add(_ secret: [UInt8], as name: String) throws
    /// Deletes an item; a missing item is not an error.
    func delete(_ name: String) throws
}

/// The atomic replacement of keychain items that need the user's presence.
///
/// An update in place asks the user, like a read. Deleting and adding do not. Each secret therefore has two slots: the
/// new secret goes into the free slot before the old slot is deleted. If both slots are occupied, the first is valid,
/// so that a crash between the two steps leaves the old or the new secret.
struct TwoSlotItems<Items: KeychainItems> {
    /// The suffix of the second slot.
    private static var suffix: String { ".latch-second" }

    private let items: Items

    /// Wraps the items of one service.
    init(_ items: Items) { self.items = items }

    /// Returns the secret with a name.
    ///
    /// The first slot is read again at the end, because a write may have moved the secret there in the meantime.
    func read(_ name: String) throws -> [UInt8]? {
        try items.secret(of: name) ?? items.secret(of: Self.second(name)) ?? items.secret(of: name)
    }

    /// Stores a secret under a name.
    func write(_ secret: [UInt8], for name: String) throws {
        let second = Self.second(name)
        if try items.hasItem(name) {
            // This slot is left over from an interrupted write.
            try items.delete(second)
            try items.add(secret, as: second)
            try items.delete(name)
        } else {
            try items.add(secret, as: name)
            do { try items.delete(second) } catch {
                // The new secret is already valid; the next write deletes the old one.
            }
        }
    }

    /// Removes the secret with a name; the valid slot is deleted last.
    func remove(_ name: String) throws {
        try items.delete(Self.second(name))
        try items.delete(name)
    }

    /// Returns the sorted names of secrets from the names of the items.
    static func names(of items: [String]) -> [String] {
        Set(items.map { $0.utf8.ends(with: suffix.utf8) ? String($0.utf8.dropLast(suffix.utf8.count)) ?? $0 : $0 })
            .sorted()
    }

    private static func second(_ name: String) -> String { name + suffix }
}
