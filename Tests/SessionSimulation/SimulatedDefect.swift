// SPDX-License-Identifier: Apache-2.0

/// A defect that is put into a life from outside, to show that its rules notice it.
package enum SimulatedDefect: Sendable, CaseIterable {
    /// The policy has no limit of requests.
    case unlimitedRefreshes
    /// The policy has no time limit.
    case noTimeLimit
    /// Lost answers are not asked for immediately.
    case lateRepetitions
    /// Waiters for a lock never give up.
    case endlessPatience
    /// The session is not told of a suspension.
    case lockKeptWhileSuspended
    /// Callers do not leave when they are cancelled.
    case cancelledCallersStay
    /// The key of a request stays in the record after its answer was stored.
    case intentKept
    /// A successor that nobody uses is not revoked.
    case droppedSuccessorsKept
    /// The predecessor of each new sign-in is revoked, at issuers with one grant too.
    case predecessorsRevoked
    /// An answer without a refresh token erases the old one.
    case refreshTokenErased
    /// The resource's date corrects the session's clock.
    case resourceDateTrusted
    /// A store that cannot be decoded counts as empty.
    case corruptCountsAsEmpty
    /// A request goes out although its session has let go of its lock.
    case sentWithoutLock

    /// The beginning of the rule that notices it, and the first seed whose life breaks the rule.
    ///
    /// `simulate-session defects` looks for the seeds again, after a change of what a seed means.
    package var evidence: (rule: String, seed: UInt64) {
        switch self {
        case .unlimitedRefreshes: ("too many requests", 16)
        case .noTimeLimit: ("a caller waited", 4108)
        case .lateRepetitions: ("the lost answer", 1)
        case .endlessPatience: ("a caller waited", 15)
        case .lockKeptWhileSuspended: ("suspended with a lock", 14)
        case .cancelledCallersStay: ("a cancelled caller", 19)
        case .intentKept: ("an intent", 1)
        case .droppedSuccessorsKept: ("a successor was dropped", 384)
        case .predecessorsRevoked: ("a session that its user has not left", 37)
        case .refreshTokenErased: ("0: lost", 33)
        case .resourceDateTrusted: ("was refreshed without a reason", 25)
        case .corruptCountsAsEmpty: ("signed out for no reason", 33)
        case .sentWithoutLock: ("the used refresh token", 11_826)
        }
    }
}
