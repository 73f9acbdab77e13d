// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchJOSE
import TestVectors
import Testing

/// Every algorithm with the payload that is signed by it.
private let algorithms: [SignatureAlgorithm] = [
    .es256, .es384, .es512, .eddsa, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .hs256, .hs384, .hs512,
]

private let payload = "It is signed here. And read there."

@Suite(
    .enabled(Comment(rawValue: PythonPeers.hint)) { await PythonPeers.install() }
)
struct PeerInteropTests {
    /// Makes a key for each algorithm and signs with it in every form.
    private static let maker = """
        import json, warnings
        from joserfc import jwk, jws, jwt
        warnings.simplefilter("ignore")
        asked = json.load(open(sys.argv[1]))
        kinds = {"ES256": ("EC", "P-256"), "ES384": ("EC", "P-384"), "ES512": ("EC", "P-521"), "EdDSA": ("OKP", "Ed25519")}
        made = []
        for alg in asked["algorithms"]:
            kty, size = kinds.get(alg, ("oct", 512) if alg[0] == "H" else ("RSA", 2048))
            key = jwk.generate_key(kty, size, {"kid": "k-" + alg})
            text, allowed = asked["payload"], [alg]
            plain, free = {"alg": alg}, {"alg": alg, "b64": False, "crit": ["b64"]}
            named = {"protected": plain, "header": {"kid": "k-" + alg}}
            made.append({
                "alg": alg, "key": key.as_dict(private=True), "thumbprint": key.thumbprint(),
                "thumbprintURI": key.thumbprint_uri(),
                "pem": None if kty == "oct" else key.as_pem(private=True).decode(),
                "public": None if kty == "oct" else key.as_pem(private=False).decode(),
                "compact": jws.serialize_compact(plain, text, key, allowed),
                "detached": jws.detach_content(jws.serialize_compact(plain, text, key, allowed)),
                "detachedFree": jws.serialize_compact(free, text, key, allowed),
                "compactFree": jws.serialize_compact(free, "url-safe_text~", key, allowed),
                "flattened": jws.serialize_json(named, text, key, allowed),
                "general": jws.serialize_json([named], text, key, allowed),
                "generalFree": jws.serialize_json([{"protected": free}], text, key, allowed),
                "jwt": jwt.encode({"alg": alg, "kid": "k-" + alg}, {"sub": "zo\\u00eb", "exp": 2000}, key, algorithms=allowed),
            })
        print(json.dumps(made))
        """

    /// Reads what was signed here, in every form, and says how each was judged.
    private static let reader = """
        import json, warnings
        from joserfc import jwk, jws, jwt
        warnings.simplefilter("ignore")
        def judged(read):
            try: return read()
            except Exception as error: return "refused: " + type(error).__name__
        told = []
        for case in json.load(open(sys.argv[1])):
            key, allowed, text = jwk.import_key(case["key"]), [case["alg"]], case["payload"]
            compact = lambda name, payload=None: judged(
                lambda: jws.deserialize_compact(case[name], key, allowed, payload=payload).payload.decode())
            document = lambda name: judged(lambda: jws.deserialize_json(case[name], key, allowed).payload.decode())
            told.append({
                "alg": case["alg"], "thumbprint": key.thumbprint(),
                "pem": judged(lambda: jwk.import_key(case["pem"], key.key_type).thumbprint()) if case["pem"] else key.thumbprint(),
                "compact": compact("compact"), "detached": compact("detached", text),
                "detachedFree": compact("detachedFree", text), "flattened": document("flattened"),
                "general": document("general"), "generalFree": document("generalFree"), "forged": compact("forged"),
                "jwt": judged(lambda: jwt.decode(case["jwt"], key, algorithms=allowed).claims["sub"]),
            })
        print(json.dumps(told))
        """

    @Test func `Tokens of joserfc verify here in every form, by every algorithm`() async throws {
        let asked: JSONValue = [
            "payload": .string(payload), "algorithms": .array(algorithms.map { .string($0.rawValue) }),
        ]
        let made = try #require(try await PythonPeers.run(Self.maker, input: asked).arrayValue)
        expectEqual(made.count, algorithms.count)
        for (algorithm, made) in zip(algorithms, made) {
            let key = try Key(jwk: #require(made["key"]?.objectValue), algorithm: algorithm)
            expectEqual(made["thumbprint"]?.stringValue, key.thumbprint)
            expectEqual(made["thumbprintURI"]?.stringValue, key.thumbprintURI)
            try checkText(made, key)
            try checkDocuments(made, key)
            try checkPEM(made, key)
        }
    }

    private func checkText(_ made: JSONValue, _ key: Key) throws {
        let (keys, algorithms, bytes) = (KeySet([key.publicKey ?? key]), [key.algorithm], Array(payload.utf8))
        func text(_ name: String) throws -> String { try #require(made[name]?.stringValue) }
        try expectEqual(JWS(verifying: text("compact"), keys: keys, algorithms: algorithms).payload, bytes)
        for name in ["detached", "detachedFree"] {
            let read = try JWS(verifying: text(name), detachedPayload: bytes, keys: keys, algorithms: algorithms)
            expectEqual(read.payload, bytes)
        }
        let free = try JWS(verifying: text("compactFree"), keys: keys, algorithms: algorithms)
        expectEqual(free.payload, Array("url-safe_text~".utf8))
        let verifier = JWTVerifier(keys: keys, algorithms: algorithms, clock: .stopped(at: 1_000))
        try expectEqual(verifier.verify(text("jwt")).subject, "zoë")
        let others = JWTVerifier(
            keys: KeySet([try Key.generate(key.algorithm, id: key.id)]), algorithms: algorithms,
            clock: .stopped(at: 1_000))
        let foreign = try text("jwt")
        #expect(throws: JOSEError.badSignature) { try others.verify(foreign) }
    }

    private func checkDocuments(_ made: JSONValue, _ key: Key) throws {
        for name in ["flattened", "general", "generalFree"] {
            let document = try JWSDocument(
                verifying: #require(made[name]).serialized(), keys: KeySet([key]), algorithms: [key.algorithm])
            expectEqual(document.payload, Array(payload.utf8), "\(key.algorithm) \(name)")
        }
    }

    private func checkPEM(_ made: JSONValue, _ key: Key) throws {
        guard let pem = made["pem"]?.stringValue, let half = made["public"]?.stringValue else {
            return expectNil(key.publicKey)
        }
        let read = try Key(pem: pem, algorithm: key.algorithm, id: key.id)
        try expectEqual(read.jwkWithSecretsForStorage(), key.jwkWithSecretsForStorage())
        try expectEqual(Key(pem: half, algorithm: key.algorithm).thumbprint, key.thumbprint)
        try expectEqual(key.pem(), half)
    }

    @Test func `Tokens of ours verify in joserfc in every form, by every algorithm`() async throws {
        let cases = try algorithms.map(Self.signed)
        let told = try #require(try await PythonPeers.run(Self.reader, input: .array(cases.map(\.0))).arrayValue)
        expectEqual(told.count, cases.count)
        for ((_, key), told) in zip(cases, told) {
            for name in ["compact", "detached", "detachedFree", "flattened", "general", "generalFree"] {
                expectEqual(told[name]?.stringValue, payload, "\(key.algorithm) \(name)")
            }
            expectEqual(told["jwt"], "zoë")
            expectEqual(told["forged"]?.stringValue?.hasPrefix("refused"), true)
            expectEqual(told["thumbprint"]?.stringValue, key.thumbprint)
            expectEqual(told["pem"]?.stringValue, key.thumbprint)
        }
    }

    /// Everything that the other side reads of one algorithm.
    private static func signed(by algorithm: SignatureAlgorithm) throws -> (JSONValue, Key) {
        let key = try Key.generate(algorithm, id: "k1")
        let bytes = Array(payload.utf8)
        let signers = [JWSDocument.Signer(key)]
        let published = key.publicKey == nil ? try key.jwkWithSecretsForStorage() : key.jwk
        let forger = try Key.generate(algorithm, id: "k1")
        return (
            [
                "alg": .string(algorithm.rawValue), "key": .object(published), "payload": .string(payload),
                "pem": try key.publicKey.map { .string(try $0.pem()) } ?? .null,
                "compact": .string(try JWS.sign(bytes, with: key)),
                "detached": .string(try JWS.signDetached(bytes, with: key)),
                "detachedFree": .string(try JWS.signDetached(bytes, with: key, encoding: .unencoded)),
                "flattened": try JWSDocument.sign(bytes, by: signers, form: .flattened),
                "general": try JWSDocument.sign(bytes, by: signers),
                "generalFree": try JWSDocument.sign(bytes, by: signers, encoding: .unencoded),
                "forged": .string(try JWS.sign(bytes, with: forger)),
                "jwt": .string(try JWT.sign(["sub": "zoë", "exp": 4_000_000_000], with: key)),
            ], key
        )
    }

    @Test func `Tokens of several signers in one text verify on each side, signature by signature`() async throws {
        let keys = try [Key.generate(.es256, id: "a"), .generate(.rs256, id: "b"), .generate(.eddsa, id: "c")]
        let text = try JWSDocument.sign(
            Array(payload.utf8), by: keys.map { JWSDocument.Signer($0, unprotected: ["kid": ""]) })
        let program = """
            import json
            from joserfc import jwk, jws
            asked = json.load(open(sys.argv[1]))
            keys = jwk.KeySet.import_key_set(asked["set"])
            allowed = ["ES256", "RS256", "EdDSA"]
            read = jws.deserialize_json(asked["text"], keys, allowed)
            again = jws.serialize_json(
                [{"protected": {"alg": key.alg}, "header": {"kid": key.kid}} for key in keys.keys], read.payload, keys, allowed)
            print(json.dumps({"payload": read.payload.decode(), "again": again}))
            """
        let set: JSONValue = [
            "keys": .array(try keys.map { .object(try $0.jwkWithSecretsForStorage()) })
        ]
        let told = try await PythonPeers.run(program, input: ["set": set, "text": text])
        expectEqual(told["payload"]?.stringValue, payload)
        let document = try JWSDocument(
            verifying: #require(told["again"]).serialized(), keys: KeySet(keys), algorithms: [.es256, .rs256, .eddsa])
        expectEqual(document.signatures.map(\.key.id), ["a", "b", "c"])
        expectEqual(document.payload, Array(payload.utf8))
    }
}
