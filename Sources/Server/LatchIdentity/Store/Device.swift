// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// A signed-in place: one family of refresh tokens, of which only the newest may be used (RFC 9700 §4.14.2).
///
/// The row holds no token. `counter` says which generation is current, and `secret` makes its token's MAC, so that the
/// same successor can be given again to a client that did not hear the first answer.
package struct Device: Sendable, Hashable {
    /// Why a device was signed out.
    package enum Ending: String, Sendable {
        case logout, reuse, passwordChange, accountDisabled, administrator, secondFactor
    }

    /// 16 random bytes; the `sid` of its access tokens.
    package let id: [UInt8]
    package let accountID: String
    /// The id of the app that it was signed in by; nil for the server's own.
    ///
    /// Its tokens are worth nothing in the hands of another app.
    package var appID: String?
    /// What was granted at the sign-in, in one list (RFC 6749 §3.3); nil for devices from before there were scopes.
    package var scope: String?
    /// 32 random bytes, from which, with the server's pepper, the MAC of its refresh tokens is made.
    package let secret: [UInt8]
    /// Which generation of the refresh token is current; it only ever grows.
    package var counter: UInt32 = 0
    /// When the current generation replaced the one before it.
    package var rotatedAt: Date?
    /// The digest of the Idempotency-Key with which it did.
    package var rotationKey: [UInt8]?
    package let createdAt: Date
    /// The last renewal; reading with an access token does not move it, or every read would be a write.
    package var lastUsedAt: Date
    /// The end that no use moves.
    package let expiresAt: Date
    /// When it was signed out; nil while it is signed in.
    ///
    /// Nothing undoes it.
    package var revokedAt: Date?
    /// For people who ask why; programs get the same error for every reason.
    package var revokedBecause: Ending?
    /// What the client called itself at the login, cut short; for people, and never to decide anything.
    package let userAgent: String?
    /// The peer of the login's connection, for people as well.
    package let address: String?
    /// What the app calls the device it runs on, cut short; for people as well.
    package var name: String?
    /// Where messages to it are pushed; it opens nothing here, and is shown to its owner alone.
    package var pushToken: String?
    /// When a second factor was proved on it; nil where the account had none then.
    package var factorAt: Date?
}

extension Device: CustomStringConvertible, CustomReflectable {
    package var description: String { "Device(\(id.count) bytes, generation \(counter))" }
    package var customMirror: Mirror { Mirror(self, children: ["counter": counter]) }
}
