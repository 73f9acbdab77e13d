// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// A client's response to an authentication, from its JSON form `AuthenticationResponseJSON` (WebAuthn Level 3 §5.1).
package struct AuthenticationResponse: Sendable {
    /// The identifier of the credential.
    package let id: [UInt8]
    package let clientData: ClientData
    /// The JSON of the client data, exactly as it was signed.
    let clientDataJSON: [UInt8]
    let authenticatorData: [UInt8]
    let signature: [UInt8]
    /// The user handle that the authenticator states; nil if it states none.
    package let userHandle: [UInt8]?

    /// Parses the JSON form.
    ///
    /// - Throws: `WebAuthnError.malformedResponse`, `.wrongCredentialType`, `.contradictoryID` or
    ///   `.malformedClientData`.
    package init(_ json: JSONObject) throws(WebAuthnError) {
        let response: JSONObject
        (id, response) = try json.credential()
        clientDataJSON = try response.bytes("clientDataJSON")
        clientData = try ClientData(clientDataJSON)
        authenticatorData = try response.bytes("authenticatorData")
        signature = try response.bytes("signature")
        userHandle = try response.optionalBytes("userHandle")
    }
}
