// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that a generator derives from a declaration once, whichever thread asks first.
package final class Memo: Sendable {
    private let known = Mutex<(any Sendable)?>(nil)

    init() {}

    /// Returns the value; `make` computes it where nothing of its type is known.
    package func value<Value: Sendable>(_ make: () -> Value) -> Value {
        if let value = known.withLock({ $0 as? Value }) { return value }
        // Without the lock: two threads may compute the same value.
        let value = make()
        known.withLock { $0 = value }
        return value
    }
}
