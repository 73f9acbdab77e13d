// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// A task that one of the servers of a store does for all of them.
package enum SharedTask: String, Sendable, CaseIterable {
    /// The removal of what has ended.
    case pruning
}

/// The storage of who does a shared task, and until when nobody else does it.
///
/// A lease is a row with an end: a server that is killed leaves nothing that somebody would have to release.
package protocol SharedTaskStore: Sendable {
    /// Returns whether nobody has the task at a time.
    func isFree(_ task: SharedTask, at now: Date) async throws(IdentityError) -> Bool

    /// Takes a task, or keeps it until another time, unless somebody else has it.
    ///
    /// A lease whose end is more than a day away was made by a clock that was wrong, and does not count.
    ///
    /// - Returns: Whether the holder has the task until `end`.
    func take(_ task: SharedTask, as holder: String, at now: Date, until end: Date) async throws(IdentityError) -> Bool
}
