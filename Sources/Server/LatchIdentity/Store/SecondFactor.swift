// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The secret that an account shares with an authenticator app, and what was tried with it.
package struct SecondFactor: Sendable, Hashable {
    package let accountID: String
    /// Encrypted by the server; the store cannot read it.
    package let sealedSecret: [UInt8]
    /// Whether its owner has shown a code of it; until then it is asked for nowhere.
    package var isConfirmed = false
    package let createdAt: Date
    /// The step of the newest code that was accepted: no code of it or of an earlier one is accepted again.
    package var lastStep: Int64 = 0
    /// Wrong codes since the last right one.
    package var failures = 0
    /// When the last of them came.
    package var failedAt: Date?

    /// Until when no code is looked at.
    ///
    /// From the fifth wrong code on each costs twice the wait of the one before it, up to an hour. So whoever has the
    /// password has about 24 guesses a day, each good for three codes of a million.
    package var lockedUntil: Date? {
        guard failures >= Self.freeFailures, let failedAt else { return nil }
        let doublings = min(failures - Self.freeFailures, 7)
        return failedAt.addingTimeInterval(min(30 * Double(1 << doublings), 3600))
    }

    /// How many wrong codes cost nothing.
    package static let freeFailures = 5
}

extension SecondFactor: CustomStringConvertible, CustomReflectable {
    package var description: String { "SecondFactor(\(isConfirmed ? "confirmed" : "begun"))" }
    package var customMirror: Mirror { Mirror(self, children: ["isConfirmed": isConfirmed]) }
}

/// What somebody shows to prove a second factor.
package enum FactorProof: Sendable {
    /// The step of which the code is; nil where it is of none around now.
    ///
    /// `sealedSecret` is the one it was compared with: a factor that was replaced meanwhile is not proved by it.
    case code(step: Int64?, sealedSecret: [UInt8])
    /// The digest of a recovery code.
    case recovery(digest: [UInt8])
}

/// What became of a proof.
package enum FactorVerdict: Sendable, Hashable {
    case accepted
    /// Wrong, used before, of a factor that is gone, or of a challenge that is.
    case refused
    /// Too many were wrong before it; it was not looked at.
    case locked(until: Date)
}

/// A sign-in whose password was right, and which waits for the second factor; kept by the digest of its text.
package struct SignInChallenge: Sendable, Hashable {
    /// SHA-256 of the text.
    package let digest: [UInt8]
    package let accountID: String
    /// That of the account when its password was checked: a reset meanwhile ends the challenge.
    package let passwordChangedAt: Date
    /// For which app; nil for the server's own.
    package let appID: String?
    /// The scopes that the tokens will have.
    package let scope: String
    /// Whether the session is to outlive the day.
    package let isRemembered: Bool
    package let createdAt: Date
    package let expiresAt: Date
}
