// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchJOSE

/// The options of a new passkey, from a server's `PublicKeyCredentialCreationOptionsJSON` (WebAuthn §5.1.8).
public struct PasskeyCreationOptions: Sendable, Hashable {
    /// The account that the passkey is for.
    public struct User: Sendable, Hashable {
        /// The server's handle of the account, which the passkey returns at each sign-in.
        public let handle: [UInt8]
        /// The name that the user signs in with.
        public let name: String
        /// The name of the person.
        public let displayName: String
    }

    /// The options as the server sent them, for an authenticator that takes JSON.
    public let json: JSONObject
    /// The domain that the passkey is for.
    public let relyingPartyID: String
    /// The bytes that the registration signs or repeats.
    public let challenge: [UInt8]
    /// The account.
    public let user: User
    /// The account's existing credentials, which the authenticator must not create again on the same device.
    public let excludedCredentialIDs: [[UInt8]]
    /// The server's requirement for user verification: `required`, `preferred` or `discouraged`.
    public let userVerification: String

    /// Creates options from the member `publicKey` of a server's response.
    ///
    /// - Throws: `AccountError.invalidResponse` if a member that every device needs is missing or malformed.
    public init(json: JSONObject) throws(AccountError) {
        guard let relyingParty = json["rp"]?["id"]?.stringValue, let challenge = json.bytes("challenge"),
            let user = json["user"]?.objectValue, let handle = user.bytes("id"), !handle.isEmpty,
            let name = user["name"]?.stringValue
        else { throw .invalidResponse }
        self.json = json
        relyingPartyID = relyingParty
        self.challenge = challenge
        self.user = User(handle: handle, name: name, displayName: user["displayName"]?.stringValue ?? name)
        excludedCredentialIDs = json.credentialIDs("excludeCredentials")
        userVerification = json["authenticatorSelection"]?["userVerification"]?.stringValue ?? "preferred"
    }
}

/// The options of a sign-in with a passkey, from a server's `PublicKeyCredentialRequestOptionsJSON` (WebAuthn §5.1.9).
public struct PasskeyRequestOptions: Sendable, Hashable {
    /// The options as the server sent them, for an authenticator that takes JSON.
    public let json: JSONObject
    /// The domain that the passkey is for.
    public let relyingPartyID: String
    /// The bytes that the passkey signs.
    public let challenge: [UInt8]
    /// The credentials that may sign; empty for any that the device has for the domain.
    public let allowedCredentialIDs: [[UInt8]]
    /// The server's requirement for user verification: `required`, `preferred` or `discouraged`.
    public let userVerification: String
    /// The time after which the server no longer accepts the challenge; nil if the server does not state it.
    public let timeout: Duration?

    /// Creates options from the member `publicKey` of a server's response.
    ///
    /// - Throws: `AccountError.invalidResponse` if a member that every device needs is missing or malformed.
    public init(json: JSONObject) throws(AccountError) {
        guard let relyingParty = json["rpId"]?.stringValue, let challenge = json.bytes("challenge") else {
            throw .invalidResponse
        }
        self.json = json
        relyingPartyID = relyingParty
        self.challenge = challenge
        allowedCredentialIDs = json.credentialIDs("allowCredentials")
        userVerification = json["userVerification"]?.stringValue ?? "preferred"
        timeout = json["timeout"]?.intValue.flatMap { $0 > 0 ? .milliseconds($0) : nil }
    }
}

extension JSONObject {
    /// Returns the bytes of a member in base64url; nil if it is missing or malformed.
    func bytes(_ name: String) -> [UInt8]? {
        self[name]?.stringValue.flatMap { try? Base64URL.decode($0) }
    }

    /// Returns the identifiers of a list of credential descriptors (WebAuthn §5.8.3).
    fileprivate func credentialIDs(_ name: String) -> [[UInt8]] {
        (self[name]?.arrayValue ?? []).compactMap { $0.objectValue?.bytes("id") }
    }
}
