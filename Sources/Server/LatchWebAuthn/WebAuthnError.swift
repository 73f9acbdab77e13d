// SPDX-License-Identifier: Apache-2.0

/// The verification step that a response failed (WebAuthn Level 3 §7.1 and §7.2), for the operator.
///
/// Clients do not see it, because it would tell an attacker what to correct.
package enum WebAuthnError: String, Error, Sendable, CaseIterable {
    /// The JSON form lacks a member, or a member does not match §5.1.
    case malformedResponse
    /// The credential is not a public key.
    case wrongCredentialType
    /// `id`, `rawId` and the attested credential do not match.
    case contradictoryID
    /// The identifier of the credential is empty, or longer than 1023 bytes.
    case invalidIDLength
    /// The client data is not JSON with type, challenge and origin.
    case malformedClientData
    /// The client data belongs to another ceremony.
    case wrongCeremony
    /// The challenge does not match.
    case wrongChallenge
    /// The page or the app does not belong to the relying party.
    case wrongOrigin
    /// The page was embedded in a page of another origin.
    case embeddedPage
    /// The attestation object is not CBOR with its three members.
    case malformedAttestationObject
    /// The authenticator data has another structure, or bytes after its end.
    case malformedAuthenticatorData
    /// The authenticator data is for another relying party.
    case wrongRelyingParty
    case userNotPresent
    case userNotVerified
    /// The credential is backed up, although it is not eligible for backup.
    case impossibleBackupState
    /// A registration has no credential, or an authentication has one.
    case misplacedCredential
    /// The public key has an unknown type or the wrong parameters.
    case malformedPublicKey
    /// The algorithm of the key was not requested.
    case unsupportedAlgorithm
    /// The format of the attestation statement was not requested.
    case unsupportedAttestation
    /// The attestation statement is not valid.
    case invalidAttestation
    /// The user handle is missing, or belongs to another user.
    case wrongUser
    /// The signature was not made with the credential's key.
    case invalidSignature
}
