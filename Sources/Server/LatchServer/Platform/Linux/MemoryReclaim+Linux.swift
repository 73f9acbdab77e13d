// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchEpoll
import Dispatch
import LatchHTTP

extension MemoryBudget {
    /// The peak in bytes from which memory is returned to the system, since allocators keep the pages of freed memory.
    private static let reclaimThreshold = 16 << 20

    /// Whether requests held much memory, so that the loop must check again even without events.
    var isReclaimDue: Bool { peakBytes >= Self.reclaimThreshold }

    /// Returns freed pages to the system when requests hold only a small part of their earlier memory.
    func reclaim() {
        guard isReclaimDue, heldBytes <= peakBytes / 4 else { return }
        resetPeak()
        // Delayed, since a request is freed after its bytes are released; on another thread, since it takes
        // milliseconds.
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1) { _ = malloc_trim(0) }
    }
}

#endif
