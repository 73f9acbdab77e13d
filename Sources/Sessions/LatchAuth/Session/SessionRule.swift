// SPDX-License-Identifier: Apache-2.0

/// The rules that keep a session from being lost or doubled, each checked by name at the line that enforces it.
///
/// A simulation leaves one out, and must then see the session break: a simulation that finds no fault in a faulty
/// session proves nothing about a good one. Nothing outside of this package can leave one out.
package enum SessionRule: CaseIterable, Sendable {
    /// All callers of a session share the renewal that is under way.
    case sharedRenewal
    /// Only the issuer's word or the person's ends a session, no other failure of a renewal.
    case issuerEnds
    /// What was begun before a sign-in or a sign-out has no effect after it.
    case generations
    /// What the issuer handed out is kept in memory until it can be stored.
    case unstoredKept
    /// A store that cannot be read is not an empty one.
    case unreadableNotEmpty
    /// The refusal of a credential that is no longer current causes no renewal.
    case lateRefusals
    /// A renewal is repeated under the key of its first attempt.
    case oneKey
    /// The record is read again once the session has its turn.
    case readAgain
    /// What the issuer will be asked is written down before.
    case intentFirst
    /// The sessions over one record ask the issuer one at a time.
    case turns
    /// A session that has a successor lets no other ask for one before it is stored.
    case turnKept
    /// The turn of another session is waited for only by who can do nothing with the credential that there is.
    case waitsInNeed
    /// What another session made of the record meanwhile is not overwritten.
    case othersStand
    /// Nobody is told "signed out" by the word of memory alone.
    case lookAgain
}

extension Session {
    /// Whether this session keeps a rule: always, but in a simulation of its breach.
    nonisolated func keeps(_ rule: SessionRule) -> Bool { rule != broken }

    /// Whether what was begun in a generation still counts.
    func isCurrent(_ generation: Int) -> Bool { generation == self.generation || !keeps(.generations) }
}
