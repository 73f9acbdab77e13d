// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import LatchHTTP

/// The system's allocator returns freed pages when memory becomes scarce, so the server need not do so.
extension MemoryBudget {
    /// Always false.
    var isReclaimDue: Bool { false }

    /// Does nothing.
    func reclaim() {}
}

#endif
