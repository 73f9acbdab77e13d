// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchJOSE
import LatchTesting
import Testing

@testable import LatchWebAuthn

/// A change of a valid registration, and the reason for which it is refused then.
private struct Deviation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: WebAuthnError
    let apply: @Sendable (inout Ceremony) throws -> Void

    init(_ name: String, _ reason: WebAuthnError, _ apply: @escaping @Sendable (inout Ceremony) throws -> Void) {
        (testDescription, self.reason, self.apply) = (name, reason, apply)
    }

    static let response: [Deviation] = [
        .init("no response", .malformedResponse) { $0.change = { $0["response"] = nil } },
        .init("no rawId", .malformedResponse) { $0.change = { $0["rawId"] = nil } },
        .init("rawId with padding", .malformedResponse) { $0.change = { $0["rawId"] = "AQ==" } },
        .init("no attestation object", .malformedResponse) {
            $0.change = { $0["response"] = ["clientDataJSON": $0["response"]?["clientDataJSON"] ?? .null] }
        },
        .init("another type of credential", .wrongCredentialType) { $0.change = { $0["type"] = "password" } },
        .init("another id than rawId", .contradictoryID) { $0.change = { $0["id"] = "AQID" } },
        .init("another attested id", .contradictoryID) { $0.attestedID = [1, 2, 3] },
        .init("an id of no bytes", .invalidIDLength) { $0.attestedID = [] },
        .init("an id of 1024 bytes", .invalidIDLength) { $0.attestedID = [UInt8](repeating: 1, count: 1024) },
    ]

    static let clientData: [Deviation] = [
        .init("client data that is not JSON", .malformedClientData) { $0.clientBytes = Array("webauthn".utf8) },
        .init("client data with a type twice", .malformedClientData) {
            $0.clientBytes = Array(
                #"{"type":"webauthn.create","type":"webauthn.create","challenge":"AA","origin":"https://a.example"}"#
                    .utf8)
        },
        .init("client data that is a list", .malformedClientData) { $0.clientBytes = Array("[]".utf8) },
        .init("no challenge", .malformedClientData) { $0.statedChallenge = .null },
        .init("a challenge with padding", .malformedClientData) { $0.statedChallenge = "AA==" },
        .init("an origin that is a number", .malformedClientData) { $0.origin = 7 },
        .init("a crossOrigin that is a text", .malformedClientData) { $0.clientMembers["crossOrigin"] = "false" },
        .init("the type of an authentication", .wrongCeremony) { $0.type = "webauthn.get" },
        .init("another challenge", .wrongChallenge) {
            $0.statedChallenge = .string(Base64URL.encode(Array("a challenge of the servet".utf8)))
        },
        .init("a longer challenge", .wrongChallenge) {
            $0.statedChallenge = .string(Base64URL.encode(Ceremony.challenge + [0]))
        },
        .init("another site", .wrongOrigin) { $0.origin = "https://example.org" },
        .init("another scheme", .wrongOrigin) { $0.origin = "http://example.com" },
        .init("another port", .wrongOrigin) { $0.origin = "https://example.com:8443" },
        .init("a subdomain that is not one of the origins", .wrongOrigin) { $0.origin = "https://evil.example.com" },
        .init("a page within a page of another site", .embeddedPage) { $0.clientMembers["crossOrigin"] = true },
        .init("a page at the top", .embeddedPage) { $0.clientMembers["topOrigin"] = "https://evil.example" },
    ]

    static let authenticatorData: [Deviation] = [
        .init("a further member of the object", .malformedAttestationObject) {
            $0.furtherMembers = [(CBORBytes.text("more"), CBORBytes.integer(1))]
        },
        .init("a member twice", .malformedAttestationObject) {
            $0.furtherMembers = [(CBORBytes.text("fmt"), CBORBytes.text("none"))]
        },
        .init("bytes after the data", .malformedAuthenticatorData) { $0.tail = [0] },
        .init("the flag of extensions without any", .malformedAuthenticatorData) { $0.flags |= 0x80 },
        .init("extensions that are not a map", .malformedAuthenticatorData) {
            $0.flags |= 0x80
            $0.tail = CBORBytes.integer(1)
        },
        .init("extensions without the flag", .malformedAuthenticatorData) { $0.tail = CBORBytes.map([]) },
        .init("another relying party", .wrongRelyingParty) { $0.relyingParty = "example.org" },
        .init("a user who is not present", .userNotPresent) { $0.flags &= ~0x01 },
        .init("a user who is not verified", .userNotVerified) { $0.flags &= ~0x04 },
        .init("a backup of what is not eligible for it", .impossibleBackupState) { $0.flags &= ~0x08 },
        .init("no credential", .misplacedCredential) {
            $0.hasCredential = false
            $0.flags &= ~0x40
        },
    ]

    static let keys: [Deviation] = [
        .init("an algorithm that was not asked for", .unsupportedAlgorithm) { $0.changeKey(3, CBORBytes.integer(-35)) },
        .init("no algorithm", .malformedPublicKey) { $0.changeKey(3, nil) },
        .init("another type of key", .malformedPublicKey) { $0.changeKey(1, CBORBytes.integer(3)) },
        .init("another curve", .malformedPublicKey) { $0.changeKey(-1, CBORBytes.integer(2)) },
        .init("a compressed point", .malformedPublicKey) { $0.changeKey(-3, [0xF5]) },
        .init("a point beside the curve", .malformedPublicKey) {
            $0.changeKey(-3, CBORBytes.bytes([UInt8](repeating: 1, count: 32)))
        },
        .init("a short coordinate", .malformedPublicKey) {
            $0.changeKey(-2, CBORBytes.bytes([UInt8](repeating: 1, count: 31)))
        },
        .init("an optional parameter", .malformedPublicKey) { $0.changeKey(4, CBORBytes.array([])) },
        .init("a short RSA key", .malformedPublicKey) {
            let modulus: [UInt8] = [0xC1] + [UInt8](repeating: 0x55, count: 127)
            $0.signer = $0.signer.with([
                (1, CBORBytes.integer(3)), (3, CBORBytes.integer(-257)), (-1, CBORBytes.bytes(modulus)),
                (-2, CBORBytes.bytes([1, 0, 1])),
            ])
        },
        .init("a short Ed25519 key", .malformedPublicKey) {
            $0.signer = $0.signer.with([
                (1, CBORBytes.integer(1)), (3, CBORBytes.integer(-8)), (-1, CBORBytes.integer(6)),
                (-2, CBORBytes.bytes([1, 2, 3])),
            ])
        },
    ]

    static let statements: [Deviation] = [
        .init("a statement of none with a member", .invalidAttestation) {
            $0.statement = [(CBORBytes.text("alg"), CBORBytes.integer(-7))]
        },
        .init("another format", .unsupportedAttestation) { $0.format = "fido-u2f" },
        .init("a format in another case", .unsupportedAttestation) { $0.format = "None" },
        .init("a statement of a manufacturer", .unsupportedAttestation) {
            try $0.attestItself()
            $0.statement.append((CBORBytes.text("x5c"), CBORBytes.array([CBORBytes.bytes([0x30, 0])])))
        },
        .init("a statement of another algorithm", .invalidAttestation) { try $0.attestItself(algorithm: -257) },
        .init("a statement with a further member", .invalidAttestation) {
            try $0.attestItself()
            $0.statement.append((CBORBytes.text("more"), CBORBytes.integer(1)))
        },
        .init("a statement with another signature", .invalidAttestation) {
            $0.changeSignature = { $0[$0.count - 1] ^= 1 }
            try $0.attestItself()
        },
        .init("a statement about other client data", .invalidAttestation) {
            try $0.attestItself()
            $0.clientMembers["more"] = 1
        },
        .init("a statement about other authenticator data", .invalidAttestation) {
            try $0.attestItself()
            $0.counter = 1
        },
    ]
}

extension Ceremony {
    /// Sets a parameter of the public key, or removes it.
    fileprivate mutating func changeKey(_ number: Int64, _ value: [UInt8]?) {
        var members = signer.members.filter { $0.0 != number }
        if let value { members.append((number, value)) }
        signer = signer.with(members)
    }
}

@Suite struct RegistrationTests {
    @Test func `A registration yields the credential`() throws {
        let ceremony = Ceremony(registering: try .es256())
        let credential = try ceremony.register()
        #expect(credential.id == ceremony.id && credential.publicKey == ceremony.signer.cose)
        #expect(credential.counter == 0 && credential.isBackupEligible && credential.isBackedUp)
        expectEqual(credential.aaguid, [UInt8](repeating: 9, count: 16))
        expectEqual(credential.transports, ["internal", "hybrid"])
    }

    @Test(arguments: Deviation.response + Deviation.clientData + Deviation.authenticatorData + Deviation.keys)
    private func `A registration is refused with its reason`(_ deviation: Deviation) throws {
        var ceremony = Ceremony(registering: try .es256())
        try expectNil(reason { try ceremony.register() })
        try deviation.apply(&ceremony)
        try expectEqual(reason { try ceremony.register() }, deviation.reason)
    }

    @Test(arguments: Deviation.statements)
    private func `A registration is refused with an unreliable statement`(_ deviation: Deviation) throws {
        var ceremony = Ceremony(registering: try .es256())
        try deviation.apply(&ceremony)
        try expectEqual(reason { try ceremony.register() }, deviation.reason)
    }

    @Test func `A registration can be attested by the credential itself, with each algorithm`() throws {
        for signer in [try Ceremony.Signer.es256(), try .eddsa(), try .rs256()] {
            var ceremony = Ceremony(registering: signer)
            try ceremony.attestItself()
            try expectEqual(ceremony.register().publicKey, signer.cose)
        }
    }

    @Test func `A registration ignores unrequested extensions, and reserved flags`() throws {
        var ceremony = Ceremony(registering: try .es256())
        ceremony.flags |= 0x80 | 0x22
        ceremony.tail = CBORBytes.map([(CBORBytes.text("credProtect"), CBORBytes.integer(2))])
        ceremony.clientMembers["other_keys_can_be_added_here"] = "do not compare clientDataJSON against a template"
        try expectNil(reason { try ceremony.register() })
    }

    @Test func `A registration is read with a byte order mark, as UTF-8 decode does`() throws {
        var ceremony = Ceremony(registering: try .es256())
        ceremony.clientBytes = [0xEF, 0xBB, 0xBF] + ceremony.clientData
        try expectNil(reason { try ceremony.register() })
    }

    @Test func `A registration is refused wherever its attestation object ends early`() throws {
        let ceremony = Ceremony(registering: try .es256())
        let whole = try RegistrationResponse(ceremony.json()).attestationObject
        for count in 0..<whole.count {
            let reason = try reason { try AttestationObject(Array(whole[..<count])) }
            expectEqual(reason, .malformedAttestationObject)
        }
        let data = ceremony.authenticatorData
        for count in 0..<data.count {
            try expectEqual(reason { try AuthenticatorData(Array(data[..<count])) }, .malformedAuthenticatorData)
        }
    }
}
