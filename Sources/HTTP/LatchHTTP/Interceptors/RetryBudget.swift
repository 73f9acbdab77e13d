// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Bounds how much of all traffic may be repeats, for all requests that share it.
///
/// A server that is down makes every request fail, and policies that look at one request alone then multiply the load
/// by their number of attempts. A budget earns a share of a repeat with each request and spends one with each repeat.
public final class RetryBudget: Sendable {
    private let share: Double
    private let maximum: Double
    /// How many repeats can be made now; also by parts.
    private let balance: Mutex<Double>

    /// A budget.
    ///
    /// - Parameters:
    ///   - share: How many repeats each request pays for; by default every fifth request may be repeated.
    ///   - reserve: How many repeats can be made before any request has paid, and are kept at most: a quiet client is not
    ///     held to a share of nothing.
    public init(share: Double = 0.2, reserve: Int = 10) {
        self.share = min(max(share, 0), 1)
        maximum = Double(max(reserve, 0))
        balance = Mutex(Double(max(reserve, 0)))
    }

    /// Whether a repeat could be made now.
    public var isEmpty: Bool { balance.withLock { $0 < 1 } }

    /// Pays in for a request.
    func deposit() {
        balance.withLock { $0 = min($0 + share, maximum) }
    }

    /// Pays for a repeat, where there is enough.
    func withdraw() -> Bool {
        balance.withLock { balance in
            guard balance >= 1 else { return false }
            balance -= 1
            return true
        }
    }
}
