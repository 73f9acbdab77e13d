// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchJOSE
import LatchTesting

@testable import LatchWebAuthn

/// A registration or an authentication of which each part can be another one; by default it is valid.
struct Ceremony {
    static let party = RelyingParty(id: "example.com", origins: ["https://example.com", "https://id.example.com"])
    static let challenge = Array("a challenge of the server".utf8)
    static let userHandle = Array("user 1".utf8)

    /// A pair of keys that signs as an authenticator does.
    struct Signer {
        let algorithm: Int64
        let members: [(Int64, [UInt8])]
        let sign: ([UInt8]) throws -> [UInt8]

        var cose: [UInt8] { CBORBytes.map(members.map { (CBORBytes.integer($0.0), $0.1) }) }

        static func es256() throws -> Signer {
            let key = try P256.Signing.PrivateKey.generate()
            let point = Array(key.publicKey.rawRepresentation)
            return Signer(
                algorithm: -7,
                members: [
                    (1, CBORBytes.integer(2)), (3, CBORBytes.integer(-7)), (-1, CBORBytes.integer(1)),
                    (-2, CBORBytes.bytes(Array(point[..<32]))), (-3, CBORBytes.bytes(Array(point[32...]))),
                ]
            ) { try key.signature(for: $0).derRepresentation.map(\.self) }
        }

        static func eddsa() throws -> Signer {
            let key = try Curve25519.Signing.PrivateKey.generate()
            return Signer(
                algorithm: -8,
                members: [
                    (1, CBORBytes.integer(1)), (3, CBORBytes.integer(-8)), (-1, CBORBytes.integer(6)),
                    (-2, CBORBytes.bytes(Array(key.publicKey.rawRepresentation))),
                ]
            ) { try Array(key.signature(for: $0)) }
        }

        static func rs256(bits: Int = 2048) throws -> Signer {
            let key = try RSA.Signing.PrivateKey(keySizeInBits: bits)
            return Signer(
                algorithm: -257,
                members: [
                    (1, CBORBytes.integer(3)), (3, CBORBytes.integer(-257)),
                    (-1, CBORBytes.bytes(key.publicKey.modulus)), (-2, CBORBytes.bytes(key.publicKey.exponent)),
                ]
            ) { try Array(key.signature(for: $0, padding: .pkcs1v15, hash: .sha256)) }
        }

        /// The same key with other members in its public form.
        func with(_ members: [(Int64, [UInt8])]) -> Signer {
            Signer(algorithm: algorithm, members: members, sign: sign)
        }
    }

    var signer: Signer
    var isRegistration = true
    var type: String
    var origin = JSONValue.string("https://id.example.com")
    var statedChallenge = JSONValue.string(Base64URL.encode(challenge))
    /// Further members of the client data.
    var clientMembers: JSONObject = ["crossOrigin": false]
    /// The bytes of the client data; nil for JSON of the members.
    var clientBytes: [UInt8]?
    var relyingParty = "example.com"
    var flags: UInt8
    var counter: UInt32 = 0
    var id: [UInt8] = Array(1...16)
    /// The identifier in the attested credential; nil for the same.
    var attestedID: [UInt8]?
    var hasCredential: Bool
    /// The bytes after the authenticator data.
    var tail: [UInt8] = []
    var format = "none"
    var statement: [([UInt8], [UInt8])] = []
    /// Members of the attestation object other than the three.
    var furtherMembers: [([UInt8], [UInt8])] = []
    var userHandle: JSONValue = .string(Base64URL.encode(Ceremony.userHandle))
    /// Changes the JSON form at the end.
    var change: (inout JSONObject) -> Void = { _ in }
    /// Changes what is signed, or the signature.
    var changeSignature: (inout [UInt8]) -> Void = { _ in }

    init(registering signer: Signer) {
        self.signer = signer
        (type, flags, hasCredential) = ("webauthn.create", 0x5D, true)
    }

    init(signingWith signer: Signer) {
        self.signer = signer
        (type, flags, hasCredential, isRegistration) = ("webauthn.get", 0x1D, false, false)
    }

    var clientData: [UInt8] {
        if let clientBytes { return clientBytes }
        var object: JSONObject = ["type": .string(type), "challenge": statedChallenge, "origin": origin]
        for (name, value) in clientMembers { object[name] = value }
        return JSONValue.object(object).serialized()
    }

    var authenticatorData: [UInt8] {
        var data = Array(SHA256.hash(data: Array(relyingParty.utf8))) + [flags]
        data += withUnsafeBytes(of: counter.bigEndian) { Array($0) }
        if hasCredential {
            let id = attestedID ?? id
            data +=
                [UInt8](repeating: 9, count: 16) + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id + signer.cose
        }
        return data + tail
    }

    /// What a signature is about.
    var signed: [UInt8] { authenticatorData + Array(SHA256.hash(data: clientData)) }

    /// The statement of packed self attestation (§8.2).
    mutating func attestItself(algorithm: Int64? = nil) throws {
        format = "packed"
        var signature = try signer.sign(signed)
        changeSignature(&signature)
        statement = [
            (CBORBytes.text("alg"), CBORBytes.integer(algorithm ?? signer.algorithm)),
            (CBORBytes.text("sig"), CBORBytes.bytes(signature)),
        ]
    }

    func json() throws -> JSONObject {
        var response: JSONObject = ["clientDataJSON": .string(Base64URL.encode(clientData))]
        if isRegistration {
            let object = CBORBytes.map(
                [
                    (CBORBytes.text("fmt"), CBORBytes.text(format)),
                    (CBORBytes.text("attStmt"), CBORBytes.map(statement)),
                    (CBORBytes.text("authData"), CBORBytes.bytes(authenticatorData)),
                ] + furtherMembers)
            response["attestationObject"] = .string(Base64URL.encode(object))
            response["transports"] = ["internal", "hybrid", "internal", "not a word", 7]
        } else {
            var signature = try signer.sign(signed)
            changeSignature(&signature)
            response["authenticatorData"] = .string(Base64URL.encode(authenticatorData))
            response["signature"] = .string(Base64URL.encode(signature))
            response["userHandle"] = userHandle
        }
        let text = JSONValue.string(Base64URL.encode(id))
        var json: JSONObject = [
            "id": text, "rawId": text, "type": "public-key", "response": .object(response),
            "clientExtensionResults": [:],
        ]
        change(&json)
        return json
    }

    func register() throws -> RegisteredCredential {
        try Self.party.verify(RegistrationResponse(json()), challenge: Self.challenge)
    }

    /// Verifies the authentication against what the server has stored.
    func authenticate() throws -> VerifiedAssertion {
        let stored = StoredCredential(
            id: Array(1...16), userHandle: Self.userHandle, publicKey: signer.cose)
        return try Self.party.verify(AuthenticationResponse(json()), challenge: Self.challenge, of: stored)
    }
}

/// Returns the reason for which a body fails; nil if it succeeds.
func reason(_ body: () throws -> some Any) throws -> WebAuthnError? {
    do {
        _ = try body()
        return nil
    } catch let error as WebAuthnError {
        return error
    }
}
