// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchJOSE
import Testing

/// The keys of RFC 7515, Appendix A; the first is that of RFC 7519 and RFC 7797 as well.
private enum AppendixKey {
    static let secret: JSONObject = [
        "kty": "oct", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow",
        "alg": "HS256",
    ]
    static let rsa: JSONObject = [
        "kty": "RSA", "e": "AQAB", "alg": "RS256",
        "n": """
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCg\
        NMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665\
        xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuX\
        poQ
        """,
    ]
    static let p256: JSONObject = [
        "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
    ]
    static let p521: JSONObject = [
        "kty": "EC", "crv": "P-521",
        "x": "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
        "y": "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2",
        "d": "AY5pb7A0UFiB3RELSD64fTLOSV_jazdF7fLYyuTw8lOfRhWg6Y6rUrPAxerEzgdRhajnu0ferB0d53vM9mE15j2C",
    ]
    /// RFC 8037, Appendix A.1.
    static let ed25519: JSONObject = [
        "kty": "OKP", "crv": "Ed25519", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    ]
}

/// The claims of RFC 7515, Appendix A.1, which RFC 7519 §3.1 shares: `{"iss":"joe",…}`, with CR LF between its members.
private let claims = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

private let rs256Code = """
    cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcA\
    cQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHW\
    EsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
    """
private let es256Code =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

@Suite struct RFCExampleTests {
    private static let compact: [(JSONObject, String, String)] = [
        (
            AppendixKey.secret, "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + claims,
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        ),
        (AppendixKey.rsa, "eyJhbGciOiJSUzI1NiJ9." + claims, rs256Code),
        (AppendixKey.p256, "eyJhbGciOiJFUzI1NiJ9." + claims, es256Code),
        (
            AppendixKey.p521, "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA",
            """
            AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCP\
            EX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn
            """
        ),
    ]

    @Test(arguments: compact.indices)
    func `The examples of RFC 7515 verify in compact form: A.1 to A.4`(place: Int) throws {
        let (jwk, signed, signature) = Self.compact[place]
        let key = try Key(jwk: jwk)
        let read = try JWS(verifying: "\(signed).\(signature)", keys: KeySet([key]), algorithms: [key.algorithm])
        let payload = try Base64URL.decode(signed.split(separator: ".")[1])
        expectEqual(read.payload, payload)
        // Appendix F: the same signature with its payload taken out.
        let head = signed.prefix { $0 != "." }
        let detached = try JWS(
            verifying: "\(head)..\(signature)", detachedPayload: payload, keys: KeySet([key]),
            algorithms: [key.algorithm])
        expectEqual(detached.payload, payload)
        let reproducible = place < 2
        if reproducible, key.canSign {
            try expectEqual(key.signature(for: Array(signed.utf8)), Base64URL.decode(signature))
        }
    }

    @Test func `The examples of RFC 7515 of no algorithm are refused: A.5, and RFC 7519 section 6.1`() throws {
        for text in ["eyJhbGciOiJub25lIn0.\(claims)."] {
            for algorithms in [[.hs256], [SignatureAlgorithm(rawValue: "none")]] as [[SignatureAlgorithm]] {
                #expect(throws: JOSEError.self) {
                    try JWS(verifying: text, keys: KeySet([Key(jwk: AppendixKey.secret)]), algorithms: algorithms)
                }
            }
        }
    }

    @Test func `The examples of RFC 7515 verify in JSON: A.6 with two signatures, A.7 with one`() throws {
        var (rsa, ec) = (AppendixKey.rsa, AppendixKey.p256)
        (rsa["kid"], ec["kid"]) = ("2010-12-29", "e9bc097a-ce51-4036-9562-d2ade882db0d")
        let keys = KeySet([try Key(jwk: rsa), try Key(jwk: ec)])
        let first: JSONValue = [
            "protected": "eyJhbGciOiJSUzI1NiJ9", "header": ["kid": "2010-12-29"], "signature": .string(rs256Code),
        ]
        let second: JSONObject = [
            "protected": "eyJhbGciOiJFUzI1NiJ9", "header": ["kid": "e9bc097a-ce51-4036-9562-d2ade882db0d"],
            "signature": .string(es256Code),
        ]
        let general: JSONValue = ["payload": .string(claims), "signatures": [first, .object(second)]]
        let both = try JWSDocument(verifying: general.serialized(), keys: keys, algorithms: [.rs256, .es256])
        expectEqual(both.signatures.map(\.key.id), ["2010-12-29", "e9bc097a-ce51-4036-9562-d2ade882db0d"])
        var flattened = second
        flattened["payload"] = .string(claims)
        let one = try JWSDocument(
            verifying: JSONValue.object(flattened).serialized(), keys: keys, algorithms: [.es256])
        #expect(one.payload == both.payload && one.signatures.count == 1)
    }
}

@Suite struct RFCKeyExampleTests {
    @Test func `RFC 7517 A.1: of two public keys, the one for encryption is left out`() throws {
        let encryption: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM", "use": "enc", "kid": "1",
        ]
        var rsa = AppendixKey.rsa
        rsa["kid"] = "2011-04-29"
        let set = try KeySet(jwks: ["keys": [encryption, .object(rsa)]])
        expectEqual(set.keys.map(\.id), ["2011-04-29"])
        expectEqual(set.keys[0].algorithm, .rs256)
    }

    @Test func `RFC 7517 A.3: of two shared secrets, the one for encryption is distinguished`() throws {
        let keyWrap: JSONValue = ["kty": "oct", "alg": "A128KW", "k": "GawgguFyGrWKav7AX4VKUg"]
        var secret = AppendixKey.secret
        (secret["kid"], secret["alg"]) = ("HMAC key used in JWS spec Appendix A.1 example", nil)
        // The example names no algorithm, which is left to whoever uses it.
        #expect { try Key(jwk: secret) } throws: { JOSEError.unsuitableKey ~= $0 }
        let key = try Key(jwk: secret, algorithm: .hs256)
        expectEqual(key.id, "HMAC key used in JWS spec Appendix A.1 example")
        #expect(try KeySet(jwks: ["keys": [keyWrap]]).keys.isEmpty)
    }

    @Test func `RFC 7519 3.1: the claims are read, and the token has expired long ago`() throws {
        let text =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(claims).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let keys = KeySet([try Key(jwk: AppendixKey.secret)])
        func verifier(at now: Double) -> JWTVerifier {
            JWTVerifier(keys: keys, algorithms: [.hs256], issuer: "joe", type: "JWT", clock: .stopped(at: now))
        }
        let read = try verifier(at: 1_300_819_379).verify(text)
        expectEqual(read.bool("http://example.com/is_root"), true)
        expectEqual(read.expiry?.timeIntervalSince1970, 1_300_819_380)
        #expect(throws: JOSEError.expired) { try verifier(at: 1_800_000_000).verify(text) }
    }

    @Test func `RFC 7797 4: the payload $.02 in base64url, unencoded in JSON, and detached`() throws {
        let key = try Key(jwk: AppendixKey.secret)
        let (keys, payload) = (KeySet([key]), Array("$.02".utf8))
        let encoded = "eyJhbGciOiJIUzI1NiJ9.JC4wMg.5mvfOroL-g7HyqJoozehmsaqmvTYGEq5jTI1gVvoEoQ"
        try expectEqual(JWS(verifying: encoded, keys: keys, algorithms: [.hs256]).payload, payload)
        try expectEqual(JWS.sign(payload, with: key), encoded)
        let head = "eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19"
        let code = "A5dxf2s96_n5FLueVuW1Z_vh161FwXZC4YLPff6dmDY"
        let detached = "\(head)..\(code)"
        let read = try JWS(verifying: detached, detachedPayload: payload, keys: keys, algorithms: [.hs256])
        expectEqual(read.payload, payload)
        try expectEqual(JWS.signDetached(payload, with: key, encoding: .unencoded), detached)
        let flattened: JSONValue = ["protected": .string(head), "payload": "$.02", "signature": .string(code)]
        let document = try JWSDocument(verifying: flattened.serialized(), keys: keys, algorithms: [.hs256])
        expectEqual(document.payload, payload)
        // RFC 7797 §5.2: with a dot in it, it does not fit between the dots of a compact text.
        #expect { try JWS.sign(payload, with: key, encoding: .unencoded) } throws: { JOSEError.unsignable ~= $0 }
        #expect(throws: JOSEError.self) {
            try JWS(verifying: "\(head).$.02.\(code)", keys: keys, algorithms: [.hs256])
        }
    }

    @Test func `RFC 8037 A.1 to A.5: the key, its thumbprint, and a signature that is made again`() throws {
        let key = try Key(jwk: AppendixKey.ed25519)
        expectEqual(key.thumbprint, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        expectEqual(
            key.thumbprintURI,
            "urn:ietf:params:oauth:jwk-thumbprint:sha-256:kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        let text = try JWS.sign(Array("Example of Ed25519 signing".utf8), with: key)
        expectEqual(
            text,
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg")
        try expectNil(JWS(verifying: text, keys: KeySet([key]), algorithms: [.eddsa]).header.keyID)
    }
}
