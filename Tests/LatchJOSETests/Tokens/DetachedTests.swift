// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import TestTags
import Testing

@Suite struct DetachedTests {
    private let key: Key
    private let keys: KeySet

    init() throws {
        key = try Key.generate(.eddsa, id: "k1")
        keys = KeySet([key])
    }

    /// A text of a header that is written as it stands.
    private func text(_ header: String, _ payload: String) throws -> String {
        let content = Base64URL.encode(Array(header.utf8)) + "." + payload
        return content + "." + Base64URL.encode(try key.signature(for: Array(content.utf8)))
    }

    private func verify(_ text: String, understanding: Set<String> = []) throws -> JWS {
        try JWS(verifying: text, keys: keys, algorithms: [.eddsa], understanding: understanding)
    }

    @Test(arguments: [JWSEncoding.base64url, .unencoded])
    func `Detached or unencoded signed bytes verify for that payload and no other`(encoding: JWSEncoding) throws {
        for payload in [[], [0], Array("a.b\u{1}".utf8), SecureRandom.bytes(100_000)] {
            let text = try JWS.signDetached(payload, with: key, encoding: encoding)
            #expect(text.split(separator: ".", omittingEmptySubsequences: false)[1].isEmpty)
            func verify(_ payload: [UInt8]) throws -> JWS {
                try JWS(verifying: text, detachedPayload: payload, keys: keys, algorithms: [.eddsa])
            }
            try expectEqual(verify(payload).payload, payload)
            #expect(throws: JOSEError.badSignature) { try verify(payload + [0]) }
        }
    }

    @Test func `Detached or unencoded signed bytes are refused if the text brings its own payload`() throws {
        let text = try JWS.sign([1], with: key)
        #expect { try JWS(verifying: text, detachedPayload: [1], keys: keys, algorithms: [.eddsa]) } throws: {
            JOSEError.malformedToken ~= $0
        }
    }

    @Test func `Detached or unencoded signed bytes are not a token with an empty payload`() throws {
        let text = try JWS.signDetached([1], with: key)
        #expect(throws: JOSEError.badSignature) { try verify(text) }
    }

    @Test
    func `Detached or unencoded signed bytes are unencoded in a compact text if they are ASCII without a dot`() throws {
        for payload in ["", "plain text", "{\"a\":1}", "~ !"] {
            let text = try JWS.sign(Array(payload.utf8), with: key, encoding: .unencoded)
            #expect(text.contains(".\(payload)."))
            try expectEqual(verify(text).payload, Array(payload.utf8))
        }
        for payload in ["a.b", "é", "a\n", "\u{7F}", "\u{0}"] {
            #expect { try JWS.sign(Array(payload.utf8), with: key, encoding: .unencoded) } throws: {
                JOSEError.unsignable ~= $0
            }
        }
        let header = #"{"alg":"EdDSA","b64":false,"crit":["b64"]}"#
        for payload in ["é", "a\n"] { #expect(throws: JOSEError.self) { try verify(text(header, payload)) } }
    }

    @Test func `Detached or unencoded signed bytes say so in a header that the caller cannot change`() throws {
        let text = try JWS.sign(
            [0x61], with: key, header: ["b64": true, "crit": ["exp"], "exp": 1, "x": 2], encoding: .unencoded)
        let header = try verify(text, understanding: ["exp"]).header
        expectEqual(
            header.members,
            [
                "alg": "EdDSA", "kid": "k1", "crit": ["b64", "exp"], "exp": 1, "x": 2, "b64": false,
            ])
        #expect(throws: JOSEError.refusedExtension) { try verify(text) }
        let encoded = try JWS.sign([0x61], with: key, header: ["b64": false])
        try expectNil(verify(encoded).header.members["b64"])
    }

    // RFC 7797 §6: a reader that does not know b64 must be made to refuse it.
    @Test(
        .tags(.tokenForgery),
        arguments: [
            #"{"alg":"EdDSA","b64":false}"#, #"{"alg":"EdDSA","b64":true}"#,
            #"{"alg":"EdDSA","b64":false,"crit":["exp"],"exp":1}"#,
            #"{"alg":"EdDSA","crit":["b64"]}"#,
        ])
    func `Detached or unencoded signed bytes are refused if b64 is not critical, or critical and missing`(
        header: String
    ) throws {
        let text = try text(header, "AAAA")
        #expect(throws: JOSEError.refusedExtension) { try verify(text, understanding: ["exp"]) }
    }

    // RFC 7515 §4.1.11.
    @Test(
        .tags(.tokenForgery),
        arguments: [
            #""crit":[]"#, #""crit":"x","x":1"#, #""crit":null"#, #""crit":{"x":1},"x":1"#, #""crit":["x"]"#,
            #""crit":["x","x"],"x":1"#, #""crit":[1],"x":1"#, #""crit":["alg"]"#, #""crit":["kid"],"kid":"k1""#,
            #""crit":["jku","x"],"jku":"https://evil.example","x":1"#, #""crit":["crit"]"#,
            #""crit":["x","y"],"x":1,"y":2"#,
            "\"crit\":[\"x\u{301}\"],\"x\u{301}\":1",
        ])
    func `Detached or unencoded signed bytes are refused if crit is malformed or not understood`(crit: String)
        throws
    {
        let text = try text(#"{"alg":"EdDSA",\#(crit)}"#, "AAAA")
        #expect(throws: JOSEError.refusedExtension) {
            try verify(text, understanding: ["x", "alg", "kid", "jku", "crit"])
        }
    }

    @Test
    func `Detached or unencoded signed bytes are accepted with a critical member that the caller understands`() throws {
        let text = try text(#"{"alg":"EdDSA","crit":["x"],"x":1}"#, "AAAA")
        try expectEqual(verify(text, understanding: ["x"]).payload, [0, 0, 0])
        #expect(throws: JOSEError.refusedExtension) { try verify(text) }
    }

    @Test(
        arguments: [
            ["typ": ["exp"]], ["typ": nil], ["crit": []], ["crit": ["x"]], ["crit": ["x", "x"], "x": 1],
            ["crit": "x", "x": 1],
            ["crit": ["alg"]],
        ] as [JSONObject])
    func `Detached or unencoded signed bytes are not signed under a header that every reader would refuse`(
        header: JSONObject
    ) throws {
        #expect { try JWS.sign([1], with: key, header: header) } throws: { JOSEError.unsignable ~= $0 }
        #expect { try JWS.signDetached([1], with: key, header: header) } throws: { JOSEError.unsignable ~= $0 }
        #expect { try JWSDocument.sign([1], by: [.init(key, protected: header)]) } throws: {
            JOSEError.unsignable ~= $0
        }
    }

    // RFC 7797 §7.
    @Test(.tags(.tokenForgery)) func `Detached or unencoded signed bytes are not a token with claims`() throws {
        let verifier = JWTVerifier(keys: keys, algorithms: [.eddsa], clock: .stopped(at: 0))
        let unencoded = try JWS.sign(Array(#"{"exp":9}"#.utf8), with: key, encoding: .unencoded)
        #expect(throws: JOSEError.refusedExtension) { try verifier.verify(unencoded) }
    }
}
