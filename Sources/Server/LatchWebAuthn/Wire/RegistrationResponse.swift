// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchJOSE

/// A client's response to a registration, from its JSON form `RegistrationResponseJSON` (WebAuthn Level 3 §5.1).
package struct RegistrationResponse: Sendable {
    /// The maximum number of transports that are kept.
    private static let maximumTransports = 8

    /// The identifier of the credential.
    package let id: [UInt8]
    package let clientData: ClientData
    /// The JSON of the client data, exactly as it was sent.
    let clientDataJSON: [UInt8]
    let attestationObject: [UInt8]
    /// The ways to reach the authenticator, such as `internal`; unknown ones are kept (§5.8.4).
    package let transports: [String]

    /// Parses the JSON form; ignores members that repeat the attestation object.
    ///
    /// - Throws: `WebAuthnError.malformedResponse`, `.wrongCredentialType`, `.contradictoryID` or
    ///   `.malformedClientData`.
    package init(_ json: JSONObject) throws(WebAuthnError) {
        let response: JSONObject
        (id, response) = try json.credential()
        clientDataJSON = try response.bytes("clientDataJSON")
        clientData = try ClientData(clientDataJSON)
        attestationObject = try response.bytes("attestationObject")
        var known: Set<String> = []
        transports = (response["transports"]?.arrayValue ?? []).compactMap(\.stringValue)
            .filter { Self.isTransport($0) && known.insert($0).inserted }.prefix(Self.maximumTransports).map(\.self)
    }

    private static func isTransport(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
}

extension JSONObject {
    /// Returns the identifier and the response of a public key credential.
    func credential() throws(WebAuthnError) -> (id: [UInt8], response: JSONObject) {
        guard let type = self["type"]?.stringValue, let response = self["response"]?.objectValue else {
            throw .malformedResponse
        }
        guard type == "public-key" else { throw .wrongCredentialType }
        let id = try bytes("rawId")
        guard try bytes("id") == id else { throw .contradictoryID }
        return (id, response)
    }

    /// Returns the content of a member in base64url.
    func bytes(_ name: String) throws(WebAuthnError) -> [UInt8] {
        guard let bytes = try optionalBytes(name) else { throw .malformedResponse }
        return bytes
    }

    /// Returns the content of a member in base64url; nil if it is missing or null.
    func optionalBytes(_ name: String) throws(WebAuthnError) -> [UInt8]? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let text = value.stringValue, let bytes = try? Base64URL.decode(text) else { throw .malformedResponse }
        return bytes
    }
}
