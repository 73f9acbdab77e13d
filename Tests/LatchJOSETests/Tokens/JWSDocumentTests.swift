// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchJOSE
import TestTags
import Testing

@Suite struct JWSDocumentTests {
    private let first: Key
    private let second: Key
    private let keys: KeySet
    private let payload = Array("It is what was signed.".utf8)

    init() throws {
        first = try Key.generate(.eddsa, id: "first")
        second = try Key.generate(.hs256, id: "second")
        keys = KeySet([first, second])
    }

    private func verify(
        _ value: JSONValue, _ keys: KeySet? = nil, requiring requirement: JWSDocument.Requirement = .every,
        detached: [UInt8]? = nil, understanding: Set<String> = []
    ) throws -> JWSDocument {
        try JWSDocument(
            verifying: value.serialized(), keys: keys ?? self.keys, algorithms: [.eddsa, .hs256],
            requiring: requirement, detachedPayload: detached, understanding: understanding)
    }

    /// A document of one signature in the flattened form, with some of its members exchanged.
    private func changed(_ changes: JSONObject, removing: [String] = []) throws -> JSONValue {
        var document = try #require(
            try JWSDocument.sign(payload, by: [.init(first, unprotected: ["note": "x"])], form: .flattened).objectValue)
        for member in changes { document[member.key] = member.value }
        for name in removing { document[name] = nil }
        return .object(document)
    }

    @Test(arguments: [JWSEncoding.base64url, .unencoded], [true, false])
    func `Signed bytes in JSON come back by one or two signers, in either form, attached or detached`(
        encoding: JWSEncoding, isDetached: Bool
    ) throws {
        let detached = isDetached ? payload : nil
        for signers in [[first], [second], [first, second]] {
            for form in [JWSDocument.Form.general, .flattened] where form == .general || signers.count == 1 {
                let text = try JWSDocument.sign(
                    payload, by: signers.map { .init($0) }, form: form, isDetached: isDetached, encoding: encoding)
                expectEqual(text["payload"] == nil, isDetached)
                expectEqual(text["signatures"] == nil, form == .flattened)
                let document = try verify(text, detached: detached)
                expectEqual(document.payload, payload)
                expectEqual(document.signatures.map(\.key.id), signers.map(\.id))
            }
        }
    }

    @Test func `Signed bytes in JSON name the signer by the key, whatever an unprotected header claims`() throws {
        let text = try JWSDocument.sign(payload, by: [.init(first, unprotected: ["iss": "somebody"])])
        let signature = try verify(text).signatures[0]
        expectEqual(signature.key.thumbprint, first.thumbprint)
        expectEqual(signature.unprotected, ["iss": "somebody"])
        expectEqual(signature.protected, ["alg": "EdDSA", "kid": "first"])
        // Whoever passes it on may change what is not signed, and nothing else.
        try expectEqual(verify(changed(["header": ["note": "y"]])).signatures[0].unprotected["note"], "y")
        #expect(try verify(changed([:], removing: ["header"])).signatures[0].unprotected.isEmpty)
    }

    @Test func `Signed bytes in JSON require every signature, unless one is enough`() throws {
        let stranger = try Key.generate(.eddsa, id: "stranger")
        let text = try JWSDocument.sign(payload, by: [.init(stranger), .init(second)])
        #expect(throws: JOSEError.unknownKey) { try verify(text) }
        try expectEqual(verify(text, requiring: .one).signatures.map(\.key.id), ["second"])
        let impostor = try Key.generate(.eddsa, id: "first")
        let forged = try JWSDocument.sign(payload, by: [.init(impostor), .init(second)])
        #expect(throws: JOSEError.badSignature) { try verify(forged) }
        try expectEqual(verify(forged, requiring: .one).signatures.map(\.key.id), ["second"])
        let foreign = try JWSDocument.sign(payload, by: [.init(stranger)])
        for requirement in [JWSDocument.Requirement.every, .one] {
            #expect(throws: JOSEError.unknownKey) { try verify(foreign, requiring: requirement) }
        }
    }

    @Test(.tags(.tokenForgery))
    func `Signed bytes in JSON are refused by another algorithm, also if an unprotected header names it`() throws {
        let text = try JWSDocument.sign(payload, by: [.init(first, unprotected: ["alg": "", "kid": ""])])
        expectNil(text["signatures"]?[0]?["protected"])
        try expectEqual(verify(text).signatures[0].unprotected, ["alg": "EdDSA", "kid": "first"])
        for name in ["none", "HS256", "ES256", ""] {
            var signature = try #require(text["signatures"]?[0]?.objectValue)
            signature["header"] = ["alg": .string(name), "kid": "first"]
            let forged: JSONValue = ["payload": try #require(text["payload"]), "signatures": [.object(signature)]]
            #expect(throws: JOSEError.self) { try verify(forged) }
        }
    }

    @Test(.tags(.tokenForgery))
    func `Signed bytes in JSON are refused with an unknown or unprotected critical member`()
        throws
    {
        let text = try JWSDocument.sign(payload, by: [.init(first, protected: ["exp": 1, "crit": ["exp"]])])
        #expect(throws: JOSEError.refusedExtension) { try verify(text) }
        try expectEqual(verify(text, understanding: ["exp"]).signatures[0].protected["exp"], 1)
        for header: JSONValue in [["crit": ["exp"], "exp": 1], ["crit": ["b64"], "b64": false], ["b64": false]] {
            #expect(throws: JOSEError.refusedExtension) { try verify(changed(["header": header])) }
        }
    }

    @Test(.tags(.tokenForgery))
    func `Signed bytes in JSON are refused if a member is in both headers, or twice in one`() throws {
        #expect { try verify(changed(["header": ["kid": "first"]])) } throws: { JOSEError.malformedToken ~= $0 }
        let text = String(decoding: try changed([:]).serialized(), as: UTF8.self)
        for twice in [#""payload":"AA","#, #""signature":"AA","#, #""header":{},"#] {
            let bytes = Array(("{" + twice + text.dropFirst()).utf8)
            #expect { try JWSDocument(verifying: bytes, keys: keys, algorithms: [.eddsa]) } throws: {
                JOSEError.malformedToken ~= $0
            }
        }
    }

    @Test func `Signed bytes in JSON are refused if their form is wrong`() throws {
        let changes: [(JSONObject, [String])] = [
            (["signatures": []], []), (["signatures": [["signature": "AA"]]], []), ([:], ["signature"]),
            (["signature": 1], []), (["signature": "A"], []), (["signature": "AA=="], []), (["protected": ""], []),
            (["protected": "e30x"], []), (["protected": ["alg": "EdDSA"]], []), (["header": "x"], []),
            (["header": nil], []), (["payload": 1], []), (["payload": ["a": 1]], []), ([:], ["payload"]),
            (["payload": "=="], []), ([:], ["protected"]),
        ]
        for (change, removed) in changes {
            #expect("\(change.keys) \(removed)") { try verify(changed(change, removing: removed)) } throws: {
                $0 is JOSEError
            }
        }
        for value: JSONValue in [[], nil, "x", [:], ["signatures": "x"], ["signatures": [1]], ["signatures": [[:]]]] {
            #expect(throws: JOSEError.self) { try verify(value) }
            #expect(throws: JOSEError.self) { try verify(value, requiring: .one) }
        }
    }

    @Test func `Signed bytes in JSON are refused with a payload beside the given one, and without any`() throws {
        let whole = try JWSDocument.sign(payload, by: [.init(first)])
        let detached = try JWSDocument.sign(payload, by: [.init(first)], isDetached: true)
        #expect { try verify(whole, detached: payload) } throws: { JOSEError.malformedToken ~= $0 }
        #expect { try verify(detached) } throws: { JOSEError.malformedToken ~= $0 }
        #expect(throws: JOSEError.badSignature) { try verify(detached, detached: payload + [0]) }
    }

    // RFC 7797 §3.
    @Test func `Signed bytes in JSON are refused if their signatures differ in b64`() throws {
        let encoded = try JWSDocument.sign(payload, by: [.init(first)])
        let plain = try JWSDocument.sign(payload, by: [.init(second)], encoding: .unencoded)
        let signatures = [encoded, plain].compactMap { $0["signatures"]?[0] }
        for content in [encoded, plain].compactMap({ $0["payload"] }) {
            let mixed: JSONValue = ["payload": content, "signatures": .array(signatures)]
            for requirement in [JWSDocument.Requirement.every, .one] {
                #expect { try verify(mixed, requiring: requirement) } throws: { JOSEError.malformedToken ~= $0 }
            }
        }
    }

    @Test(.tags(.hugeToken))
    func `Signed bytes in JSON are refused with too many signatures, too long, or nested without end`() throws {
        let signature = try #require(try JWSDocument.sign(payload, by: [.init(first)])["signatures"]?[0])
        func document(_ count: Int) -> JSONValue {
            [
                "payload": .string(Base64URL.encode(payload)),
                "signatures": .array([JSONValue](repeating: signature, count: count)),
            ]
        }
        try expectEqual(verify(document(16)).signatures.count, 16)
        #expect { try verify(document(17)) } throws: { JOSEError.malformedToken ~= $0 }
        let long = try JWSDocument.sign([UInt8](repeating: 1, count: 1 << 20), by: [.init(first)]).serialized()
        #expect { try JWSDocument(verifying: long, keys: keys, algorithms: [.eddsa]) } throws: {
            JOSEError.malformedToken ~= $0
        }
        try expectEqual(
            JWSDocument(verifying: long, keys: keys, algorithms: [.eddsa], limit: 2 << 20).payload.count, 1 << 20)
        let deep = Array((String(repeating: "[", count: 100_000)).utf8)
        #expect(throws: JOSEError.self) { try JWSDocument(verifying: deep, keys: keys, algorithms: [.eddsa]) }
    }

    @Test func `Signed bytes in JSON are not made if the form has no place for them`() throws {
        let two = [first, second].map { JWSDocument.Signer($0) }
        #expect { try JWSDocument.sign(payload, by: two, form: .flattened) } throws: { JOSEError.unsignable ~= $0 }
        #expect { try JWSDocument.sign(payload, by: []) } throws: { JOSEError.unsignable ~= $0 }
        #expect { try JWSDocument.sign([0xFF], by: [two[0]], encoding: .unencoded) } throws: {
            JOSEError.unsignable ~= $0
        }
        _ = try JWSDocument.sign([0xFF], by: [two[0]], isDetached: true, encoding: .unencoded)
        for unprotected: JSONObject in [["crit": ["x"]], ["b64": false], ["typ": "x"]] {
            let signer = JWSDocument.Signer(first, protected: ["typ": "y"], unprotected: unprotected)
            #expect { try JWSDocument.sign(payload, by: [signer]) } throws: { JOSEError.unsignable ~= $0 }
        }
        let verifies = try #require(first.publicKey)
        #expect { try JWSDocument.sign(payload, by: [.init(verifies)]) } throws: { JOSEError.unsuitableKey ~= $0 }
    }
}
