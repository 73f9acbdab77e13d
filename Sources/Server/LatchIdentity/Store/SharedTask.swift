// SPDX-License-Identifier: Apache-2.0

/// A task that one of the servers of a store does for all of them.
package enum SharedTask: String, Sendable, CaseIterable {
    /// The removal of what has ended.
    case pruning
}
