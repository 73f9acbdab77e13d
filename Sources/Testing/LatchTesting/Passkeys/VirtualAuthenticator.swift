// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
public import LatchFoundation
import LatchJOSE
import Synchronization

/// An authenticator for passkeys in software (WebAuthn Level 3), with the browser or app around it.
///
/// A test registers and signs in with it, as a user does with a phone or a security key.
///
/// ```swift
/// let authenticator = VirtualAuthenticator()
/// let created = try authenticator.create(creationOptions, origin: "https://id.example.com")
/// let signedIn = try authenticator.get(requestOptions, origin: "https://id.example.com")
/// ```
///
/// Options are `PublicKeyCredentialCreationOptionsJSON` and `PublicKeyCredentialRequestOptionsJSON`, the content of
/// `publicKey` in a server's response. Results are `RegistrationResponseJSON` and `AuthenticationResponseJSON`. Keys
/// are ES256, and every credential is discoverable. The keys are not protected.
public final class VirtualAuthenticator: Sendable {
    /// The behavior of an authenticator, which a test can change between ceremonies.
    public struct Behavior: Sendable, Hashable {
        /// Whether the user proves who they are, by a fingerprint or a code.
        public var verifiesUser = true
        /// Whether it counts its signatures, as security keys do and synchronized passkeys do not.
        public var countsSignatures = false
        /// Whether its credentials may be synchronized to other devices.
        public var isBackupEligible = true
        /// Whether its credentials are synchronized to other devices.
        public var isBackedUp = true

        /// Creates the behavior of a phone: it verifies its user, synchronizes, and counts nothing.
        public init() {}

        /// The behavior of a security key: its credentials stay in it, and it counts its signatures.
        public static let securityKey: Behavior = {
            var behavior = Behavior()
            behavior.countsSignatures = true
            (behavior.isBackupEligible, behavior.isBackedUp) = (false, false)
            return behavior
        }()
    }

    struct Credential: Sendable {
        let id: [UInt8]
        let relyingParty: String
        let userHandle: [UInt8]
        let key: P256.Signing.PrivateKey
        var counter: UInt32
    }

    private struct State {
        var behavior: Behavior
        /// The credentials, the newest last.
        var credentials: [Credential] = []
    }

    private let aaguid: [UInt8]
    private let state: Mutex<State>

    /// Creates an authenticator without credentials.
    ///
    /// - Parameters:
    ///   - aaguid: The identifier of its model.
    ///   - behavior: The way in which it verifies its user and stores its keys.
    public init(
        aaguid: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), behavior: Behavior = Behavior()
    ) {
        self.aaguid = withUnsafeBytes(of: aaguid.uuid) { Array($0) }
        state = Mutex(State(behavior: behavior))
    }

    private init(copying other: VirtualAuthenticator) {
        aaguid = other.aaguid
        state = Mutex(other.state.withLock { $0 })
    }

    /// Returns an authenticator with the same credentials and counters, as if an attacker had copied a key's memory.
    public func copy() -> VirtualAuthenticator { VirtualAuthenticator(copying: self) }

    /// The behavior from the next ceremony on.
    public var behavior: Behavior {
        get { state.withLock { $0.behavior } }
        set { state.withLock { $0.behavior = newValue } }
    }

    /// The identifiers of the credentials in base64url, the newest last.
    public var credentialIDs: [String] { state.withLock { $0.credentials.map { Base64URL.encode($0.id) } } }

    /// Creates a credential, as `navigator.credentials.create()` does.
    ///
    /// - Parameters:
    ///   - options: `PublicKeyCredentialCreationOptionsJSON`.
    ///   - origin: The origin of the page or app, such as `https://id.example.com`.
    /// - Returns: `RegistrationResponseJSON`.
    /// - Throws: `VirtualAuthenticatorError`, and `CryptoError` if the system has no randomness.
    public func create(_ options: Data, origin: String) throws -> Data {
        let options = try PasskeyOptions(options)
        let relyingParty = options.json["rp"]?["id"]?.stringValue ?? PasskeyOptions.host(of: origin)
        try PasskeyOptions.check(relyingParty, for: origin)
        guard let user = options.json["user"]?["id"]?.stringValue.flatMap({ try? Base64URL.decode($0) }),
            (1...64).contains(user.count)
        else { throw VirtualAuthenticatorError.malformedOptions }
        let algorithms = options.json["pubKeyCredParams"]?.arrayValue ?? []
        guard algorithms.contains(where: { $0["alg"]?.intValue == -7 && $0["type"] == "public-key" }) else {
            throw VirtualAuthenticatorError.unsupported
        }
        let excluded = options.credentials("excludeCredentials")
        let selection = options.json["authenticatorSelection"]?["userVerification"]?.stringValue
        let key = try P256.Signing.PrivateKey.generate()
        let (credential, behavior) = try state.withLock { state in
            let own = state.credentials.filter { $0.relyingParty.utf8.elementsEqual(relyingParty.utf8) }
            guard !own.contains(where: { excluded.contains($0.id) }) else {
                throw VirtualAuthenticatorError.alreadyRegistered
            }
            guard state.behavior.verifiesUser || selection != "required" else {
                throw VirtualAuthenticatorError.notAllowed
            }
            let credential = Credential(
                id: SecureRandom.bytes(16), relyingParty: relyingParty, userHandle: user, key: key, counter: 0)
            // An authenticator has one credential for each user of a site (§6.3.2 step 7).
            state.credentials.removeAll { $0.relyingParty == relyingParty && $0.userHandle == user }
            state.credentials.append(credential)
            return (credential, state.behavior)
        }
        let attested = aaguid + [0, UInt8(credential.id.count)] + credential.id + Self.publicKey(of: key)
        let data = Self.authenticatorData(of: credential, behavior, attesting: attested)
        let object = CBORBytes.map([
            (CBORBytes.text("fmt"), CBORBytes.text("none")), (CBORBytes.text("attStmt"), CBORBytes.map([])),
            (CBORBytes.text("authData"), CBORBytes.bytes(data)),
        ])
        return Self.json(
            credential.id,
            [
                "clientDataJSON": .base64URL(options.clientData("webauthn.create", origin: origin)),
                "attestationObject": .base64URL(object), "authenticatorData": .base64URL(data),
                "publicKeyAlgorithm": -7,
                "transports": behavior.isBackupEligible ? ["internal", "hybrid"] : ["usb"],
            ], extensions: ["credProps": ["rk": true]])
    }

    /// Signs a challenge, as `navigator.credentials.get()` does, with the newest credential that the options allow.
    ///
    /// - Parameters:
    ///   - options: `PublicKeyCredentialRequestOptionsJSON`.
    ///   - origin: The origin of the page or app, such as `https://id.example.com`.
    /// - Returns: `AuthenticationResponseJSON`.
    /// - Throws: `VirtualAuthenticatorError`, and `CryptoError` if the system has no randomness.
    public func get(_ options: Data, origin: String) throws -> Data {
        let options = try PasskeyOptions(options)
        let relyingParty = options.json["rpId"]?.stringValue ?? PasskeyOptions.host(of: origin)
        try PasskeyOptions.check(relyingParty, for: origin)
        let allowed = options.credentials("allowCredentials")
        let isRequired = options.json["userVerification"]?.stringValue == "required"
        let (credential, behavior) = try state.withLock { state in
            let index = state.credentials.lastIndex {
                $0.relyingParty.utf8.elementsEqual(relyingParty.utf8) && (allowed.isEmpty || allowed.contains($0.id))
            }
            guard let index, state.behavior.verifiesUser || !isRequired else {
                throw VirtualAuthenticatorError.notAllowed
            }
            if state.behavior.countsSignatures { state.credentials[index].counter += 1 }
            return (state.credentials[index], state.behavior)
        }
        let data = Self.authenticatorData(of: credential, behavior)
        let client = options.clientData("webauthn.get", origin: origin)
        let signature = try credential.key.signature(for: data + Array(SHA256.hash(data: client)))
        return Self.json(
            credential.id,
            [
                "clientDataJSON": .base64URL(client), "authenticatorData": .base64URL(data),
                "signature": .base64URL(Array(signature.derRepresentation)),
                "userHandle": .base64URL(credential.userHandle),
            ])
    }
}

extension VirtualAuthenticator {
    /// Returns authenticator data (§6.1).
    private static func authenticatorData(
        of credential: Credential, _ behavior: Behavior, attesting attested: [UInt8] = []
    ) -> [UInt8] {
        let flags: [(Bool, UInt8)] = [
            (true, 0x01), (behavior.verifiesUser, 0x04), (behavior.isBackupEligible, 0x08),
            (behavior.isBackupEligible && behavior.isBackedUp, 0x10), (!attested.isEmpty, 0x40),
        ]
        return Array(SHA256.hash(data: Array(credential.relyingParty.utf8)))
            + [flags.reduce(0) { $0 | ($1.0 ? $1.1 : 0) }]
            + withUnsafeBytes(of: credential.counter.bigEndian) { Array($0) } + attested
    }

    /// Returns a public key in COSE (RFC 9053 §7.1.1).
    private static func publicKey(of key: P256.Signing.PrivateKey) -> [UInt8] {
        let point = Array(key.publicKey.rawRepresentation)
        return CBORBytes.map([
            (CBORBytes.integer(1), CBORBytes.integer(2)), (CBORBytes.integer(3), CBORBytes.integer(-7)),
            (CBORBytes.integer(-1), CBORBytes.integer(1)),
            (CBORBytes.integer(-2), CBORBytes.bytes(Array(point[..<32]))),
            (CBORBytes.integer(-3), CBORBytes.bytes(Array(point[32...]))),
        ])
    }

    private static func json(_ id: [UInt8], _ response: JSONObject, extensions: JSONObject = [:]) -> Data {
        let object: JSONObject = [
            "id": .base64URL(id), "rawId": .base64URL(id), "type": "public-key", "response": .object(response),
            "authenticatorAttachment": "platform", "clientExtensionResults": .object(extensions),
        ]
        return Data(JSONValue.object(object).serialized())
    }
}

extension JSONValue {
    fileprivate static func base64URL(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}

extension VirtualAuthenticator: CustomStringConvertible, CustomReflectable {
    /// A description that redacts the keys.
    public var description: String { "VirtualAuthenticator(\(credentialIDs.count) credentials, redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the keys.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
