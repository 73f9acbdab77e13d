// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A limit for the bytes that all requests of a server hold together: received, decompressed and decoded.
///
/// A budget within another one is the share of one client, and counts against both.
package final class MemoryBudget: Sendable {
    fileprivate let limit: Int
    private let whole: MemoryBudget?
    private let held = Atomic(0)
    private let highest = Atomic(0)

    /// Creates a budget of `limit` bytes.
    package init(limit: Int, within whole: MemoryBudget? = nil) {
        self.limit = limit
        self.whole = whole
    }

    /// Returns the budget of one client: a quarter, so that one client cannot make the server reject the content of
    /// others.
    package func share() -> MemoryBudget { MemoryBudget(limit: limit / 4, within: self) }

    /// The number of reserved bytes.
    package var heldBytes: Int { held.load(ordering: .relaxed) }

    /// The largest number of reserved bytes since the last call of `resetPeak()`.
    package var peakBytes: Int { highest.load(ordering: .relaxed) }

    /// Begins a new measurement of the peak.
    package func resetPeak() { highest.store(heldBytes, ordering: .relaxed) }

    /// Reserves bytes, or none if the limit would be exceeded.
    fileprivate func reserve(_ count: Int) -> Bool {
        guard count <= limit else { return false }
        let (_, sum) = held.add(count, ordering: .relaxed)
        guard sum <= limit, whole?.reserve(count) ?? true else {
            held.subtract(count, ordering: .relaxed)
            return false
        }
        note(sum)
        return true
    }

    /// Counts bytes even beyond the limit.
    fileprivate func hold(_ count: Int) {
        note(held.add(count, ordering: .relaxed).newValue)
        whole?.hold(count)
    }

    /// Records a sum for the peak; writing it each time would make the loops' threads wait for each other.
    private func note(_ sum: Int) {
        if sum > highest.load(ordering: .relaxed) { highest.max(sum, ordering: .relaxed) }
    }

    fileprivate func release(_ count: Int) {
        held.subtract(count, ordering: .relaxed)
        whole?.release(count)
    }
}

/// The bytes that one request holds; decoders charge their memory here.
///
/// The server releases the rest when the request has ended, so a failing decoder need not do so.
package final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let held = Atomic(0)

    private let isGuaranteed: Bool

    /// Creates an empty reservation.
    ///
    /// - Parameter isGuaranteed: Whether it gets the memory for a login even if other requests hold the whole budget.
    package init(_ budget: MemoryBudget, isGuaranteed: Bool = true) {
        (self.budget, self.isGuaranteed) = (budget, isGuaranteed)
    }

    deinit { releaseAll() }

    /// The number of bytes that every request gets, even if others hold the whole budget: enough for a login.
    ///
    /// The number of connections limits their sum.
    private var guaranteed: Int { isGuaranteed ? min(16 << 10, budget.limit / 4096) : 0 }

    /// The maximum to reserve for a result of unknown size, so that a few such results do not fill the budget.
    package var largestAdvance: Int { budget.limit / 4 }

    /// Reserves bytes; returns false if the client's share or the server's budget would be exceeded.
    package func reserve(_ count: Int) -> Bool {
        guard count > 0 else { return true }
        if held.load(ordering: .relaxed) + count <= guaranteed {
            budget.hold(count)
        } else {
            guard budget.reserve(count) else { return false }
        }
        held.add(count, ordering: .relaxed)
        return true
    }

    /// Releases bytes that were reserved and are no longer held.
    package func release(_ count: Int) {
        guard count > 0 else { return }
        held.subtract(count, ordering: .relaxed)
        budget.release(count)
    }

    /// Releases everything.
    package func releaseAll() {
        let count = held.exchange(0, ordering: .relaxed)
        if count != 0 { budget.release(count) }
    }
}
