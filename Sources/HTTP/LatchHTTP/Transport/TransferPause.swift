// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The pauses of a transfer whose reader is slower than the network.
///
/// It is for a transport with calls that suspend and resume. Decision: one lock covers both the state and the resulting
/// call. Otherwise the reader could resume a transfer between the decision to suspend it and the suspension, which
/// would then never end.
final class TransferPause: Sendable {
    private let isSuspended = Mutex(false)

    /// Calls `suspend` if the transfer is held and not suspended; called after a chunk that left no room.
    func suspend(if isHeld: () -> Bool, _ suspend: () -> Void) {
        isSuspended.withLock { isSuspended in
            guard !isSuspended, isHeld() else { return }
            isSuspended = true
            suspend()
        }
    }

    /// Calls `resume` if the transfer is suspended; called after the reader has made room.
    func end(_ resume: () -> Void) {
        isSuspended.withLock { isSuspended in
            guard isSuspended else { return }
            isSuspended = false
            resume()
        }
    }
}
