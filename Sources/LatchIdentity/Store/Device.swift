// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A signed-in place: one family of refresh tokens, of which only the newest may be used (RFC 9700 §4.14.2).
///
/// The row holds no token. `counter` says which generation is current, and `secret` makes its token's MAC, so that the
/// same successor can be given again to a client that did not hear the first answer.
package struct Device: Sendable, Hashable {
    /// Why a device was signed out.
    package enum Ending: String, Sendable {
        case logout, reuse, passwordChange, accountDisabled, administrator
    }

    /// 16 random bytes; the `sid` of its access tokens.
    package let id: [UInt8]
    package let accountID: String
    package let secret: [UInt8]
    package var counter: UInt32 = 0
    /// When the current generation replaced the one before it.
    package var rotatedAt: Date?
    /// The digest of the Idempotency-Key with which it did.
    package var rotationKey: [UInt8]?
    package let createdAt: Date
    package var lastUsedAt: Date
    /// The end that no use moves.
    package let expiresAt: Date
    package var revokedAt: Date?
    package var revokedBecause: Ending?
    package let userAgent: String?
    package let address: String?
}

extension Device: CustomStringConvertible, CustomReflectable {
    package var description: String { "Device(\(id.count) bytes, generation \(counter))" }
    package var customMirror: Mirror { Mirror(self, children: ["counter": counter]) }
}
