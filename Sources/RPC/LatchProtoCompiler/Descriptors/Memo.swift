// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that a generator derives from a declaration once, on whichever thread needs it first.
package final class Memo: Sendable {
    private let known = Mutex<(any Sendable)?>(nil)

    init() {}

    /// Returns the value; if none of its type is known, `make` computes it.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        if let value = known.withLock({ $0 as? Value }) { return value }
        // The lock is not held here: two threads may compute the same value.
        let value = make()
        known.withLock { $0 = value }
        return value
    }
}
