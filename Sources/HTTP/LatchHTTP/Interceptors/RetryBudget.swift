// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A limit on the share of retries in all traffic of the clients that share it.
///
/// If a server is down, every request fails. Independent retry policies then multiply the load by their number of
/// attempts. A budget gains a fraction of a retry with each request and spends one with each retry.
public final class RetryBudget: Sendable {
    private let share: Double
    private let maximum: Double
    /// The number of retries available now, including fractions.
    private let balance: Mutex<Double>

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - share: The number of retries gained per request; by default every fifth request can be retried.
    ///   - reserve: The initial and maximum number of retries, so that a client with little traffic can retry, too.
    public init(share: Double = 0.2, reserve: Int = 10) {
        self.share = min(max(share, 0), 1)
        maximum = Double(max(reserve, 0))
        balance = Mutex(Double(max(reserve, 0)))
    }

    /// Whether no retry is available now.
    package var isEmpty: Bool { balance.withLock { $0 < 1 } }

    /// Adds the share of a request.
    func deposit() {
        balance.withLock { $0 = min($0 + share, maximum) }
    }

    /// Spends a retry, if one is available.
    func withdraw() -> Bool {
        balance.withLock { balance in
            guard balance >= 1 else { return false }
            balance -= 1
            return true
        }
    }
}
