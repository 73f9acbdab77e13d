// SPDX-License-Identifier: Apache-2.0

/// A task that one server of a store does for all of them.
package enum SharedTask: String, Sendable, CaseIterable {
    /// The removal of expired rows.
    case pruning
}
