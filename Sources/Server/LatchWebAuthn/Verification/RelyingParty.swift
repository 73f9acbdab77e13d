// SPDX-License-Identifier: Apache-2.0

import LatchCrypto

/// A relying party: the site of the credentials, and the pages and apps that may use them.
package struct RelyingParty: Sendable, Hashable {
    /// The identifier: a domain (WebAuthn Level 3 §5.1.2).
    package let id: String
    /// The origins of its pages and apps, compared character by character.
    package let origins: [String]

    /// Creates a relying party.
    package init(id: String, origins: [String]) {
        self.id = id
        self.origins = origins
    }

    /// Checks the client data of a ceremony (§7.1 steps 7 to 11, §7.2 steps 11 to 15).
    func check(_ data: ClientData, of ceremony: String, challenge: [UInt8]) throws(WebAuthnError) {
        guard data.type.utf8.elementsEqual(ceremony.utf8) else { throw .wrongCeremony }
        guard constantTimeEquals(data.challenge, challenge) else { throw .wrongChallenge }
        guard origins.contains(where: { $0.utf8.elementsEqual(data.origin.utf8) }) else { throw .wrongOrigin }
        guard !data.isEmbedded else { throw .embeddedPage }
    }

    /// Checks the authenticator data of a ceremony (§7.1 steps 14 to 17, §7.2 steps 16 to 19); the user must be
    /// verified.
    func check(_ data: AuthenticatorData) throws(WebAuthnError) {
        guard constantTimeEquals(data.relyingPartyDigest, Self.digest(Array(id.utf8))) else {
            throw .wrongRelyingParty
        }
        guard data.flags.contains(.userPresent) else { throw .userNotPresent }
        guard data.flags.contains(.userVerified) else { throw .userNotVerified }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw .impossibleBackupState
        }
    }

    static func digest(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
