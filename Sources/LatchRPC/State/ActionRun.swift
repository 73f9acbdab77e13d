// SPDX-License-Identifier: Apache-2.0

/// One turn of doing an action, or of several that stand and fall together.
///
/// A client passes it on as it came.
public struct ActionRun: Sendable {
    /// Which one it is.
    let id: Int
    /// Whether what it changes may be taken back, so that its failure is no part of the state.
    var isAtomic = false
    /// Whether a failure that may pass is followed by another attempt.
    var isRetried = false
}
