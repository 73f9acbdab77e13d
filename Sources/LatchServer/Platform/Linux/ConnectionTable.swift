// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

/// The connections of one loop, found by a token that is never given twice.
struct ConnectionTable {
    private var slots: [Connection?] = []
    private var free: [Int] = []
    private var generation: UInt64 = 0

    var count: Int { slots.count - free.count }

    var isEmpty: Bool { count == 0 }

    /// The connection of a token; nil when it has closed, even where its slot is in use again.
    subscript(token: UInt64) -> Connection? {
        let slot = Int(token & 0xFFFF_FFFF)
        guard slot < slots.count, let connection = slots[slot], connection.token == token else { return nil }
        return connection
    }

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
