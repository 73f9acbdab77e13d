// SPDX-License-Identifier: Apache-2.0

/// A credential from a verified registration.
package struct RegisteredCredential: Sendable, Hashable {
    package let id: [UInt8]
    /// The public key in COSE.
    package let publicKey: [UInt8]
    /// The authenticator's number of signatures; 0 if it does not count them.
    package let counter: UInt32
    /// The model of the authenticator, 16 bytes; zeros if unknown.
    package let aaguid: [UInt8]
    /// Whether the credential may be synchronized to other devices.
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package let transports: [String]
}

extension RelyingParty {
    /// Verifies a registration (WebAuthn Level 3 §7.1).
    ///
    /// The caller's store checks whether the credential is already registered (step 26).
    ///
    /// - Parameter challenge: The challenge of the options.
    /// - Throws: `WebAuthnError`, one for each step.
    package func verify(
        _ response: RegistrationResponse, challenge: [UInt8]
    ) throws(WebAuthnError) -> RegisteredCredential {
        try check(response.clientData, of: "webauthn.create", challenge: challenge)
        let object = try AttestationObject(response.attestationObject)
        let data = object.authenticatorData
        try check(data)
        guard let credential = data.credential else { throw .misplacedCredential }
        guard credential.id == response.id else { throw .contradictoryID }
        let key = try COSEKey(credential.publicKey)
        try object.verify(by: key, clientDataDigest: Self.digest(response.clientDataJSON))
        return RegisteredCredential(
            id: credential.id, publicKey: credential.publicKey, counter: data.counter, aaguid: credential.aaguid,
            isBackupEligible: data.flags.contains(.backupEligible), isBackedUp: data.flags.contains(.backedUp),
            transports: response.transports)
    }
}

/// The proof of a new credential (§6.5.4).
struct AttestationObject: Sendable {
    let authenticatorData: AuthenticatorData
    private let authenticatorBytes: [UInt8]
    private let format: CBORValue
    private let statement: [CBORValue: CBORValue]

    /// Decodes the object.
    ///
    /// - Throws: `WebAuthnError.malformedAttestationObject`, or the errors of its authenticator data.
    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        let value: CBORValue
        do throws(CBORError) { value = try CBORValue(decoding: bytes) } catch { throw .malformedAttestationObject }
        guard let format = value["fmt"], let statement = value["attStmt"]?.map, let data = value["authData"]?.bytes,
            value.map?.count == 3
        else { throw .malformedAttestationObject }
        (self.format, self.statement, authenticatorBytes) = (format, statement, data)
        authenticatorData = try AuthenticatorData(data)
    }

    /// Verifies the attestation statement: none, or a self-attestation (§8.2 and §8.7).
    ///
    /// No other format was requested, and an unverified statement must not count as none (decision 0091).
    func verify(by key: COSEKey, clientDataDigest: [UInt8]) throws(WebAuthnError) {
        switch format {
        case .text(Array("none".utf8)):
            guard statement.isEmpty else { throw .invalidAttestation }
        case .text(Array("packed".utf8)):
            let value = CBORValue.map(statement)
            guard value["x5c"] == nil else { throw .unsupportedAttestation }
            guard statement.count == 2, value["alg"]?.integer == key.algorithm.rawValue,
                let signature = value["sig"]?.bytes,
                key.isValidSignature(signature, for: authenticatorBytes + clientDataDigest)
            else { throw .invalidAttestation }
        default: throw .unsupportedAttestation
        }
    }
}
