// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// One turn of doing an action, or of several that stand and fall together.
///
/// A client passes it on as it came.
public struct ActionRun: Sendable {
    /// Which one it is.
    let id: Int
    /// Whether what it changes may be taken back, so that its failure is no part of the state.
    var isAtomic = false
    /// What another attempt may follow; nil for the last one.
    var attempt: ActionAttempt?
}

/// One attempt of several at an action: whether another one follows is found out where it fails.
final class ActionAttempt: Sendable {
    private let allowsUncertain: Bool
    private let isFollowed = Mutex(false)

    /// - Parameter allowsUncertain: Whether an action is done again that the server may have done.
    init(allowsUncertain: Bool) { self.allowsUncertain = allowsUncertain }

    /// Whether another attempt follows.
    var isRepeated: Bool { isFollowed.withLock { $0 } }

    /// Finds out whether another attempt follows.
    func end(_ error: ActionError, isRetryable: Bool) {
        isFollowed.withLock { $0 = isRetryable && (allowsUncertain || !error.mayHaveRun) }
    }
}
