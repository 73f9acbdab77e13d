// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension AccountList {
    /// What a list holds at a moment.
    public struct Content: Sendable, Hashable {
        /// The accounts, in the order in which they came.
        public internal(set) var entries: [AccountEntry] = []
        /// Which of them is meant where nobody says which.
        ///
        /// Nil also where there are accounts: when the current one is removed, no other is made current, since nobody
        /// should find themselves acting as somebody else.
        public internal(set) var currentID: String?

        /// No accounts.
        public init() {}

        /// The account that is meant where nobody says which.
        public var current: AccountEntry? { currentID.flatMap { self[$0] } }

        /// The account of that identifier.
        public subscript(id: String) -> AccountEntry? { entries.first { $0.id == id } }

        /// The account that people call so.
        public func entry(named name: String) -> AccountEntry? { entries.first { $0.name == name } }

        /// The account of the same person at the same issuer; nil where there is none.
        func entry(like other: AccountEntry) -> AccountEntry? { entries.first { $0.isSamePerson(as: other) } }

        /// The name, or the first free one of `name (2)`, `name (3)` and so on.
        func freeName(for name: String) -> String {
            var free = name
            var number = 2
            while entry(named: free) != nil {
                free = "\(name) (\(number))"
                number += 1
            }
            return free
        }

        /// Puts an entry in the place of the one with its identifier, or at the end.
        mutating func put(_ entry: AccountEntry) {
            guard let place = entries.firstIndex(where: { $0.id == entry.id }) else { return entries.append(entry) }
            entries[place] = entry
        }

        /// Takes an account out.
        mutating func remove(_ id: String) {
            entries.removeAll { $0.id == id }
            if currentID == id { currentID = nil }
        }
    }
}
