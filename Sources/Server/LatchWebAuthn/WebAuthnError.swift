// SPDX-License-Identifier: Apache-2.0

/// The step of a verification that a response has failed (WebAuthn Level 3 §7.1 and §7.2), for the operator.
///
/// Clients do not learn it: it would tell an attacker what to correct.
package enum WebAuthnError: String, Error, Sendable, CaseIterable {
    /// The JSON form lacks a member, or one is not what §5.1 says.
    case malformedResponse
    /// The credential is not a public key.
    case wrongCredentialType
    /// `id` and `rawId`, or the attested credential, are of different credentials.
    case contradictoryID
    /// The identifier of the credential is empty, or longer than 1023 bytes.
    case invalidIDLength
    /// The client data is not JSON with type, challenge and origin.
    case malformedClientData
    /// The client data is of another ceremony.
    case wrongCeremony
    /// The challenge is another one.
    case wrongChallenge
    /// The page or the app is not one of the relying party's.
    case wrongOrigin
    /// The page was shown inside a page of another origin.
    case embeddedPage
    /// The attestation object is not CBOR with its three members.
    case malformedAttestationObject
    /// The authenticator data has another structure, or bytes after it.
    case malformedAuthenticatorData
    /// The authenticator data is for another relying party.
    case wrongRelyingParty
    /// The user was not present.
    case userNotPresent
    /// The user was not verified.
    case userNotVerified
    /// The credential is backed up, and is not eligible for it.
    case impossibleBackupState
    /// A registration has no credential, or an authentication has one.
    case misplacedCredential
    /// The public key is not one of the key types, or has other parameters than these.
    case malformedPublicKey
    /// The algorithm of the key was not asked for.
    case unsupportedAlgorithm
    /// The attestation statement is of a format that was not asked for.
    case unsupportedAttestation
    /// The attestation statement is not valid.
    case invalidAttestation
    /// The user handle is missing, or another user's.
    case wrongUser
    /// The signature is not the credential's.
    case invalidSignature
}
