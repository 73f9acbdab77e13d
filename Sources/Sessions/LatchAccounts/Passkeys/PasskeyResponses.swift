// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchJOSE

/// A new passkey for a server's registration: a `RegistrationResponseJSON` (WebAuthn §5.1).
public struct PasskeyRegistration: Sendable, Hashable, Redacting {
    /// The response in the form that the server accepts.
    public let json: JSONObject

    /// Creates a response from an authenticator's JSON.
    ///
    /// - Throws: `AccountError.passkeysUnavailable` if the JSON has no credential.
    public init(json: JSONObject) throws(AccountError) { self.json = try json.asCredential() }

    /// Creates a response from its parts.
    ///
    /// - Parameters:
    ///   - credentialID: The identifier of the passkey.
    ///   - clientDataJSON: The client data, exactly as hashed.
    ///   - attestationObject: The attestation object with the public key.
    ///   - transports: The transports by which the authenticator is reached, such as `internal`.
    public init(
        credentialID: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8], transports: [String] = []
    ) {
        json = JSONObject(
            credential: credentialID,
            [
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
                "attestationObject": .string(Base64URL.encode(attestationObject)),
                "transports": .array(transports.map { .string($0) }),
            ])
    }
}

/// The signature of a passkey for a server's sign-in: an `AuthenticationResponseJSON` (WebAuthn §5.1).
///
/// The server accepts it once.
public struct PasskeyAssertion: Sendable, Hashable, Redacting {
    /// The response in the form that the server accepts.
    public let json: JSONObject

    /// Creates a response from an authenticator's JSON.
    ///
    /// - Throws: `AccountError.passkeysUnavailable` if the JSON has no credential.
    public init(json: JSONObject) throws(AccountError) { self.json = try json.asCredential() }

    /// Creates a response from its parts.
    ///
    /// - Parameters:
    ///   - credentialID: The identifier of the passkey.
    ///   - clientDataJSON: The client data, exactly as hashed.
    ///   - authenticatorData: The data of the authenticator with its flags.
    ///   - signature: The signature over both.
    ///   - userHandle: The server's handle of the account.
    public init(
        credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        userHandle: [UInt8]
    ) {
        json = JSONObject(
            credential: credentialID,
            [
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
                "authenticatorData": .string(Base64URL.encode(authenticatorData)),
                "signature": .string(Base64URL.encode(signature)),
                "userHandle": .string(Base64URL.encode(userHandle)),
            ])
    }
}

extension JSONObject {
    /// Creates the JSON of a credential of this device with its response.
    fileprivate init(credential id: [UInt8], _ response: JSONObject) {
        let text = JSONValue.string(Base64URL.encode(id))
        self = [
            "id": text, "rawId": text, "type": "public-key", "authenticatorAttachment": "platform",
            "response": .object(response), "clientExtensionResults": [:],
        ]
    }

    /// Returns the object if it has the members that every credential has.
    fileprivate func asCredential() throws(AccountError) -> JSONObject {
        guard bytes("id") != nil, self["response"]?["clientDataJSON"]?.stringValue != nil else {
            throw .passkeysUnavailable("the authenticator's response has no credential")
        }
        return self
    }
}
