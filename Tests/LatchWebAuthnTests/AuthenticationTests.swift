// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchJOSE
import LatchTesting
import Testing

@testable import LatchWebAuthn

/// A change of a valid authentication, and the reason for which it is refused then.
private struct Deviation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: WebAuthnError
    let apply: @Sendable (inout Ceremony) -> Void

    init(_ name: String, _ reason: WebAuthnError, _ apply: @escaping @Sendable (inout Ceremony) -> Void) {
        (testDescription, self.reason, self.apply) = (name, reason, apply)
    }

    static let all: [Deviation] = [
        .init("no signature", .malformedResponse) {
            $0.change = { json in
                var response = json["response"]?.objectValue ?? [:]
                response["signature"] = nil
                json["response"] = .object(response)
            }
        },
        .init("another type of credential", .wrongCredentialType) { $0.change = { $0["type"] = "federated" } },
        .init("another id than rawId", .contradictoryID) { $0.change = { $0["id"] = "AQID" } },
        .init("another credential", .contradictoryID) { $0.id = [1, 2, 3] },
        .init("no user handle", .wrongUser) { $0.userHandle = .null },
        .init("another user's handle", .wrongUser) { $0.userHandle = .string(Base64URL.encode(Array("user 2".utf8))) },
        .init("the type of a registration", .wrongCeremony) { $0.type = "webauthn.create" },
        .init("another challenge", .wrongChallenge) { $0.statedChallenge = "AAAA" },
        .init("another site", .wrongOrigin) { $0.origin = "https://example.org" },
        .init("a page within a page of another site", .embeddedPage) { $0.clientMembers["crossOrigin"] = true },
        .init("a page at the top", .embeddedPage) { $0.clientMembers["topOrigin"] = "https://evil.example" },
        .init("bytes after the data", .malformedAuthenticatorData) { $0.tail = [0] },
        .init("a credential", .misplacedCredential) {
            $0.hasCredential = true
            $0.flags |= 0x40
        },
        .init("another relying party", .wrongRelyingParty) { $0.relyingParty = "id.example.com" },
        .init("a user who is not present", .userNotPresent) { $0.flags &= ~0x01 },
        .init("a user who is not verified", .userNotVerified) { $0.flags &= ~0x04 },
        .init("a backup of what is not eligible for it", .impossibleBackupState) { $0.flags &= ~0x08 },
        .init("another signature", .invalidSignature) { $0.changeSignature = { $0[$0.count - 1] ^= 1 } },
        .init("a signature in the form of tokens", .invalidSignature) {
            $0.changeSignature = { $0 = [UInt8](repeating: 1, count: 64) }
        },
        .init("no bytes as a signature", .invalidSignature) { $0.changeSignature = { $0 = [] } },
    ]
}

@Suite struct AuthenticationTests {
    @Test func `An authentication is verified with each algorithm`() throws {
        for signer in [try Ceremony.Signer.es256(), try .eddsa(), try .rs256()] {
            let assertion = try Ceremony(signingWith: signer).authenticate()
            expectEqual(assertion, VerifiedAssertion(counter: 0, isBackupEligible: true, isBackedUp: true))
        }
    }

    @Test(arguments: Deviation.all)
    private func `An authentication is refused with its reason`(_ deviation: Deviation) throws {
        var ceremony = Ceremony(signingWith: try .es256())
        try expectNil(reason { try ceremony.authenticate() })
        deviation.apply(&ceremony)
        try expectEqual(reason { try ceremony.authenticate() }, deviation.reason)
    }

    @Test func `An authentication is refused if its signature is of other bytes`() throws {
        let signer = try Ceremony.Signer.es256()
        let other = try Ceremony.Signer.es256()
        let valid = Ceremony(signingWith: signer)
        let signature = try signer.sign(valid.signed)
        var ceremony = valid
        ceremony.changeSignature = { $0 = signature }
        try expectNil(reason { try ceremony.authenticate() })
        ceremony.counter = 1
        try expectEqual(reason { try ceremony.authenticate() }, .invalidSignature)
        ceremony = valid
        ceremony.clientMembers["more"] = 1
        ceremony.changeSignature = { $0 = signature }
        try expectEqual(reason { try ceremony.authenticate() }, .invalidSignature)
        ceremony = valid
        let foreign = try other.sign(valid.signed)
        ceremony.changeSignature = { $0 = foreign }
        try expectEqual(reason { try ceremony.authenticate() }, .invalidSignature)
    }

    @Test(arguments: [(0, 0, true), (0, 1, true), (1, 2, true), (1, 1, false), (2, 1, false), (1, 0, false)])
    func `An authentication has a counter that grows, or none`(_ stored: UInt32, _ sent: UInt32, _ isAccepted: Bool)
        throws
    {
        var ceremony = Ceremony(signingWith: try .es256())
        ceremony.counter = sent
        try expectEqual(ceremony.authenticate().isNewer(than: stored), isAccepted)
    }

    @Test(arguments: [(UInt8(0x05), false, false), (0x0D, true, false), (0x1D, true, true)])
    func `An authentication states whether the credential can be and is backed up`(
        _ flags: UInt8, _ isEligible: Bool, _ isBackedUp: Bool
    ) throws {
        var ceremony = Ceremony(signingWith: try .es256())
        ceremony.flags = flags
        let expected = VerifiedAssertion(counter: 0, isBackupEligible: isEligible, isBackedUp: isBackedUp)
        try expectEqual(ceremony.authenticate(), expected)
    }

    @Test func `An authentication ignores unrequested extensions`() throws {
        var ceremony = Ceremony(signingWith: try .es256())
        ceremony.flags |= 0x80
        ceremony.tail = CBORBytes.map([(CBORBytes.text("appid"), [0xF5])])
        try expectNil(reason { try ceremony.authenticate() })
    }
}
