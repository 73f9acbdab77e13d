// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchJOSE
import LatchTesting
import Testing

@testable import LatchWebAuthn

@Suite struct VirtualAuthenticatorTests {
    private let origin = "https://id.example.com"
    private let authenticator = VirtualAuthenticator(aaguid: UUID(), behavior: .securityKey)

    private func creation(
        user: String = "user 1", excluding ids: [String] = [], algorithm: Int64 = -7
    ) -> Data {
        let options: JSONObject = [
            "rp": ["id": "example.com", "name": "Example"],
            "user": ["id": .string(Base64URL.encode(Array(user.utf8))), "name": "ada", "displayName": "Ada"],
            "challenge": .string(Base64URL.encode(Ceremony.challenge)),
            "pubKeyCredParams": [["type": "public-key", "alg": .integer(algorithm)]],
            "excludeCredentials": .array(ids.map { ["type": "public-key", "id": .string($0)] }),
            "authenticatorSelection": ["userVerification": "required"],
        ]
        return Data(JSONValue.object(options).serialized())
    }

    private func request(allowing ids: [String] = [], rpID: String = "example.com") -> Data {
        let options: JSONObject = [
            "challenge": .string(Base64URL.encode(Ceremony.challenge)), "rpId": .string(rpID),
            "userVerification": "required",
            "allowCredentials": .array(ids.map { ["type": "public-key", "id": .string($0)] }),
        ]
        return Data(JSONValue.object(options).serialized())
    }

    private func object(_ data: Data) throws -> JSONObject {
        try #require(try JSONValue(parsing: data).objectValue)
    }

    private func create(_ options: Data) throws -> RegisteredCredential {
        try Ceremony.party.verify(
            RegistrationResponse(object(authenticator.create(options, origin: origin))), challenge: Ceremony.challenge)
    }

    private func get(_ registered: RegisteredCredential) throws -> VerifiedAssertion {
        let stored = StoredCredential(
            id: registered.id, userHandle: Ceremony.userHandle, publicKey: registered.publicKey)
        return try Ceremony.party.verify(
            AuthenticationResponse(object(authenticator.get(request(), origin: origin))),
            challenge: Ceremony.challenge, of: stored)
    }

    @Test func `A virtual authenticator registers and signs in, and counts`() throws {
        let registered = try create(creation())
        expectEqual(authenticator.credentialIDs, [Base64URL.encode(registered.id)])
        #expect(!registered.isBackupEligible && registered.transports == ["usb"])
        try expectEqual(get(registered).counter, 1)
        let copy = authenticator.copy()
        try expectEqual(get(registered).counter, 2)
        expectEqual(copy.credentialIDs, authenticator.credentialIDs)
    }

    @Test func `A virtual authenticator is a phone by default, which synchronizes and counts nothing`() throws {
        authenticator.behavior = VirtualAuthenticator.Behavior()
        let registered = try create(creation())
        #expect(registered.isBackupEligible && registered.isBackedUp)
        try expectEqual(get(registered), VerifiedAssertion(counter: 0, isBackupEligible: true, isBackedUp: true))
    }

    @Test func `A virtual authenticator refuses the same requests as a browser`() throws {
        let ids = [Base64URL.encode(try create(creation()).id)]
        #expect(throws: VirtualAuthenticatorError.alreadyRegistered) { try create(creation(excluding: ids)) }
        #expect(throws: VirtualAuthenticatorError.unsupported) { try create(creation(algorithm: -257)) }
        #expect(throws: VirtualAuthenticatorError.malformedOptions) {
            try authenticator.create(Data("{}".utf8), origin: origin)
        }
        for origin in ["https://evilexample.com", "https://example.org", "https://com"] {
            #expect(throws: VirtualAuthenticatorError.foreignRelyingParty) {
                try authenticator.get(request(), origin: origin)
            }
        }
        #expect(throws: VirtualAuthenticatorError.notAllowed) {
            try authenticator.get(request(allowing: ["AQID"]), origin: origin)
        }
        #expect(throws: VirtualAuthenticatorError.notAllowed) {
            try authenticator.get(request(rpID: "id.example.com"), origin: origin)
        }
        authenticator.behavior.verifiesUser = false
        #expect(throws: VirtualAuthenticatorError.notAllowed) {
            try authenticator.get(request(allowing: ids), origin: origin)
        }
        #expect(throws: VirtualAuthenticatorError.notAllowed) { try create(creation(user: "user 2")) }
    }

    @Test func `A virtual authenticator has one credential for each user of a site`() throws {
        let first = try create(creation())
        let second = try create(creation())
        let other = try create(creation(user: "user 2"))
        expectEqual(authenticator.credentialIDs, [second, other].map { Base64URL.encode($0.id) })
        expectNotEqual(first.id, second.id)
    }

    @Test func `A virtual authenticator shows no key`() throws {
        _ = try create(creation())
        var text = ""
        dump(authenticator, to: &text)
        #expect("\(authenticator)" == "VirtualAuthenticator(1 credentials, redacted)" && !text.contains("key"))
    }
}
