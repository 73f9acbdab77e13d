// SPDX-License-Identifier: Apache-2.0

/// One page of a list that a server gives in parts.
public struct Page<Item: Sendable, Position: Hashable & Sendable>: Sendable {
    /// What is on it, in the server's order.
    public let items: [Item]
    /// Where it began.
    public let position: Position
    /// Where the next one begins; nil where this is the last.
    public let next: Position?
    /// How many items there are in all; nil where the server does not say.
    public let total: Int?

    /// A page from its parts.
    public init(items: [Item], position: Position, next: Position?, total: Int? = nil) {
        self.items = items
        self.position = position
        self.next = next
        self.total = total
    }
}
