// SPDX-License-Identifier: Apache-2.0

/// The data that a relying party stores for a credential.
package struct StoredCredential: Sendable, Hashable {
    package let id: [UInt8]
    /// The handle of the user for whom the credential was made.
    package let userHandle: [UInt8]
    /// The public key in COSE.
    package let publicKey: [UInt8]

    /// Creates the credential.
    package init(id: [UInt8], userHandle: [UInt8], publicKey: [UInt8]) {
        (self.id, self.userHandle, self.publicKey) = (id, userHandle, publicKey)
    }
}

/// The changes to a credential after a verified authentication.
package struct VerifiedAssertion: Sendable, Hashable {
    package let counter: UInt32
    /// Whether the credential may be backed up.
    ///
    /// It changes when a password manager is updated, or takes over the credential.
    package let isBackupEligible: Bool
    package let isBackedUp: Bool

    /// Creates the changes.
    package init(counter: UInt32, isBackupEligible: Bool, isBackedUp: Bool) {
        (self.counter, self.isBackupEligible, self.isBackedUp) = (counter, isBackupEligible, isBackedUp)
    }

    /// Whether the counter has grown since the stored one, or the authenticator does not count (§7.2 step 22).
    ///
    /// If not, there may be a copy of the authenticator.
    package func isNewer(than stored: UInt32) -> Bool { counter > stored || (counter == 0 && stored == 0) }
}

extension RelyingParty {
    /// Verifies an authentication with a discoverable credential (WebAuthn Level 3 §7.2), whose user handle identifies
    /// its owner.
    ///
    /// The caller compares the counter in the transaction that stores it (``VerifiedAssertion/isNewer(than:)``).
    ///
    /// - Parameter challenge: The challenge of the options.
    /// - Throws: `WebAuthnError`, one for each step.
    package func verify(
        _ response: AuthenticationResponse, challenge: [UInt8], of stored: StoredCredential
    ) throws(WebAuthnError) -> VerifiedAssertion {
        guard response.id == stored.id else { throw .contradictoryID }
        guard response.userHandle == stored.userHandle else { throw .wrongUser }
        try check(response.clientData, of: "webauthn.get", challenge: challenge)
        let data = try AuthenticatorData(response.authenticatorData)
        guard data.credential == nil else { throw .misplacedCredential }
        try check(data)
        let signed = response.authenticatorData + Self.digest(response.clientDataJSON)
        guard try COSEKey(stored.publicKey).isValidSignature(response.signature, for: signed) else {
            throw .invalidSignature
        }
        // §7.2 compares the eligibility for backup only if the relying party's rules depend on it. Ours do not.
        return VerifiedAssertion(
            counter: data.counter, isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp))
    }
}
