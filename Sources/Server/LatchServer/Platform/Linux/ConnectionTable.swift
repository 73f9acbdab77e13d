// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

/// The connections of one loop, found by a token that is never given twice.
struct ConnectionTable {
    /// Dense, so that looking at all deadlines is a walk over an array.
    private var slots: [Connection?] = []
    /// Slots to be used again, the last freed first.
    private var free: [Int] = []
    /// The upper half of the next token; 31 bits, so that no token is one of the loop's own.
    private var generation: UInt64 = 0

    var count: Int { slots.count - free.count }

    /// Whether a drain may end.
    var isEmpty: Bool { count == 0 }

    /// The connection of a token; nil when it has closed, even where its slot is in use again.
    subscript(token: UInt64) -> Connection? {
        let slot = Int(token & 0xFFFF_FFFF)
        guard slot < slots.count, let connection = slots[slot], connection.token == token else { return nil }
        return connection
    }

    /// Gives the connection a slot; the caller keeps the token in the connection.
    mutating func insert(_ connection: Connection) -> UInt64 {
        let slot: Int
        if let last = free.popLast() {
            slot = last
        } else {
            slots.append(nil)
            slot = slots.count - 1
        }
        slots[slot] = connection
        generation = (generation + 1) & 0x7FFF_FFFF
        return generation << 32 | UInt64(slot)
    }

    /// Forgets a connection; a token that is not its slot's any more does nothing.
    mutating func remove(_ token: UInt64) {
        guard self[token] != nil else { return }
        let slot = Int(token & 0xFFFF_FFFF)
        slots[slot] = nil
        free.append(slot)
    }

    /// Visits every connection; they may close meanwhile.
    func forEach(_ visit: (Connection) -> Void) {
        for case let connection? in slots { visit(connection) }
    }
}

#endif
