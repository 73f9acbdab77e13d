// SPDX-License-Identifier: Apache-2.0

/// The rules that keep a session from being lost or doubled, each checked by name at the line that enforces it.
///
/// A simulation disables one, and must then see the session break: a simulation that finds no fault in a faulty
/// session proves nothing about a good one. Code outside this package cannot disable a rule.
package enum SessionRule: CaseIterable, Sendable {
    /// All callers of a session share the running refresh.
    case sharedRefresh
    /// Only the issuer or the user ends a session; no other failure of a refresh does.
    case issuerEnds
    /// An operation that began before a sign-in or a sign-out has no effect after it.
    case generations
    /// An issued credential is kept in memory until it can be stored.
    case unstoredKept
    /// A store that cannot be read is not an empty one.
    case unreadableNotEmpty
    /// The refusal of a credential that is no longer current causes no refresh.
    case lateRefusals
    /// A refresh is repeated under the key of its first attempt.
    case oneKey
    /// The record is read again once the session holds the lock.
    case readAgain
    /// The key of a refresh is stored before the request.
    case intentFirst
    /// The sessions over one record ask the issuer one at a time.
    case lock
    /// A session keeps the lock until it has stored the successor.
    case lockKept
    /// Only a caller that cannot use the current credential waits for the lock of another session.
    case waitsInNeed
    /// The changes of another session to the record are not overwritten.
    case othersStand
    /// The session reads the record again before it reports that it is signed out.
    case confirmedSignOut
}

extension Session {
    /// Whether this session keeps a rule: always, except in a simulation of its breach.
    nonisolated func keeps(_ rule: SessionRule) -> Bool { rule != broken }
}
