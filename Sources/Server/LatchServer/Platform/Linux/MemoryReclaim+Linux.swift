// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CEpoll
import Dispatch
import LatchHTTP

extension MemoryBudget {
    /// The peak in bytes from which memory is returned to the system: allocators keep the pages of freed memory.
    private static let reclaimThreshold = 16 << 20

    /// Whether requests held much, so that the loop must look again though nothing happens.
    var isReclaimDue: Bool { peakBytes >= Self.reclaimThreshold }

    /// Returns freed pages to the system once requests hold a small part of what they held.
    func reclaim() {
        guard isReclaimDue, heldBytes <= peakBytes / 4 else { return }
        resetPeak()
        // Later, since a request is freed after its bytes are released; elsewhere, since it takes milliseconds.
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1) { _ = malloc_trim(0) }
    }
}

#endif
