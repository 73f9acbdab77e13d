// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchAuth

@Suite struct MessageSignatureTests {
    private let now: TimeInterval = 1_700_000_000

    private func verifier(_ key: Key, policy: SignaturePolicy? = nil) -> MessageVerifier {
        MessageVerifier(policy: policy ?? SignaturePolicy(clock: .standing(at: now))) { id in id == key.id ? key : nil }
    }

    @Test(arguments: [SignatureAlgorithm.hs256, .es256, .es384, .eddsa, .ps512, .rs256])
    func `A signature of a message is verified with the public half, by every algorithm`(algorithm: SignatureAlgorithm)
        async throws
    {
        let key = try Key.generate(algorithm, id: "k1")
        let credential = try MessageSignature(key, tag: "app", clock: .standing(at: now))
        let request = try await HTTPRequest.example(.post, "/a?b=c", body: HTTPBody("hello"))
            .authorized(by: credential)
        let signature = try await verifier(key.publicKey ?? key).verify(request)
        expectEqual(signature.components, ["@method", "@authority", "@path", "@query", "content-digest"])
        expectEqual(signature.parameters.keyID, "k1")
        expectEqual(signature.parameters.tag, "app")
        expectEqual(signature.parameters.created, Date(timeIntervalSince1970: now))
        let other = try Key.generate(algorithm, id: "k1")
        await #expect(throws: AuthError.refusedSignature) { try await verifier(other).verify(request) }
    }

    @Test(arguments: [
        (SignatureAlgorithm.hs256, "hmac-sha256"), (.es256, "ecdsa-p256-sha256"), (.es384, "ecdsa-p384-sha384"),
        (.eddsa, "ed25519"), (.ps512, "rsa-pss-sha512"), (.rs256, "rsa-v1_5-sha256"),
    ])
    func `A signature of a message names its algorithm if configured`(algorithm: SignatureAlgorithm, name: String)
        async throws
    {
        let key = try Key.generate(algorithm, id: "k")
        let credential = try MessageSignature(key, namesAlgorithm: true, clock: .standing(at: now))
        let request = try await HTTPRequest.example().authorized(by: credential)
        try await expectEqual(verifier(key).verify(request).parameters.algorithm, name)
    }

    @Test(arguments: [SignatureAlgorithm.es512, .hs512, .rs512, .ps256])
    func `A signature of a message is not made by algorithms that RFC 9421 does not name`(algorithm: SignatureAlgorithm)
        throws
    {
        let key = try Key.generate(algorithm)
        #expect(throws: AuthError.invalidCredential) { try MessageSignature(key) }
    }

    @Test
    func `A signature of a message is not made with a public key, nor with a malformed label or component`() throws {
        let key = try Key.generate(.eddsa)
        #expect(throws: AuthError.invalidCredential) { try MessageSignature(#require(key.publicKey)) }
        #expect(throws: AuthError.invalidCredential) { try MessageSignature(key, label: "Sig 1") }
        #expect(throws: AuthError.invalidCredential) { try MessageSignature(key, covering: ["@nothing"]) }
        #expect(throws: AuthError.invalidCredential) { try MessageSignature(key, covering: ["a b"]) }
    }

    @Test func `A signature of a message is deterministic for Ed25519, in the form of RFC 9421`() async throws {
        // Appendix B.1.4; the message and the signature are those of B.2.6.
        let key = try Key(
            jwk: [
                "kty": "OKP", "crv": "Ed25519", "kid": "test-key-ed25519",
                "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs", "d": "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU",
            ])
        let credential = try MessageSignature(
            key, covering: ["date", "@method", "@path", "@authority", "content-type", "content-length"],
            andContentBy: [], label: "sig-b26", clock: .standing(at: RFC9421.created))
        var request = HTTPRequest(
            method: .post, authority: "example.com", path: "/foo?param=Value&Pet=dog",
            fields: [.date: "Tue, 20 Apr 2021 02:07:55 GMT", .contentType: "application/json"],
            body: HTTPBody(#"{"hello": "world"}"#))
        try await credential.authorize(&request)
        expectEqual(
            request.fields["Signature-Input"],
            #"sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length")"#
                + #";created=1618884473;keyid="test-key-ed25519""#)
        expectEqual(
            request.fields["Signature"],
            "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:")
    }

    @Test func `A signature of a message is made again for each attempt, beside those of others`() async throws {
        let (mine, theirs) = (try Key.generate(.eddsa, id: "mine"), try Key.generate(.es256, id: "theirs"))
        let first = try MessageSignature(mine, hasNonce: true, clock: .ticking(from: now))
        let second = try MessageSignature(theirs, label: "proxy", clock: .standing(at: now))
        let request = try await HTTPRequest.example(.post, "/", body: HTTPBody("a"))
            .authorized(by: first).authorized(by: second).authorized(by: first)
        let inputs = try request.fields.structuredDictionary("Signature-Input")
        expectEqual(inputs.map(\.key), ["proxy", "sig1"])
        expectEqual(inputs["sig1"]?.innerList?.parameters["created"], .integer(Int64(now) + 1))
        expectEqual(request.fields.values(of: "signature").count, 1)
        expectEqual(request.credentialFields, ["Signature", "Signature-Input"])
        try await expectEqual(verifier(mine).verify(request).label, "sig1")
        try await expectEqual(verifier(theirs).verify(request).label, "proxy")
    }

    @Test func `A signature of a message has another nonce each time if configured`() async throws {
        let key = try Key.generate(.hs256, id: "k")
        let credential = try MessageSignature(key, lifetime: .seconds(60), hasNonce: true, clock: .standing(at: now))
        let nonces = Mutex<[String]>([])
        var policy = SignaturePolicy(clock: .standing(at: now))
        policy.isFresh = { nonce, _ in
            nonces.withLock { nonces in
                defer { nonces.append(nonce) }
                return !nonces.contains(nonce)
            }
        }
        let request = try await HTTPRequest.example().authorized(by: credential)
        let signature = try await verifier(key, policy: policy).verify(request)
        expectEqual(signature.parameters.expires, Date(timeIntervalSince1970: now + 60))
        await #expect(throws: AuthError.refusedSignature) { try await verifier(key, policy: policy).verify(request) }
        _ = try await verifier(key, policy: policy).verify(request.authorized(by: credential))
        expectEqual(Set(nonces.withLock { $0 }).count, 2)
    }

    @Test func `A signature of a message takes the place of malformed fields`() async throws {
        let key = try Key.generate(.hs256, id: "k")
        let credential = try MessageSignature(key, clock: .standing(at: now))
        let request = try await HTTPRequest.example(fields: ["Signature-Input": "((", "Signature": "sig1=:"])
            .authorized(by: credential)
        _ = try await verifier(key).verify(request)
    }

    @Test
    func `A signature of a message is not made if a part is missing or the content can be read once`() async throws {
        let key = try Key.generate(.hs256, id: "k")
        let missing = try MessageSignature(key, covering: ["x-missing"])
        await #expect(throws: AuthError.unsignableMessage) { try await HTTPRequest.example().authorized(by: missing) }
        let request = HTTPRequest.example(.put, "/", body: HTTPBody(.once("a")))
        await #expect(throws: AuthError.unsignableContent) {
            try await request.authorized(by: MessageSignature(key))
        }
        let without = try MessageSignature(key, andContentBy: [])
        #expect(try await request.authorized(by: without).fields["Signature"] != nil)
    }

    @Test func `A signature of a message of a response covers the request that it answers`() async throws {
        let key = try Key.generate(.es256, id: "server")
        let credential = try MessageSignature(
            key,
            covering: [
                "@status", SignatureComponent("@method").ofRequest, SignatureComponent("@path").ofRequest,
                .field("Signature").member("sig1").ofRequest,
            ],
            label: "reqres", clock: .standing(at: now))
        let request = HTTPRequest.example(.post, "/a", fields: ["Signature": "sig1=:AAAA:"])
        var response = HTTPResponse(status: .ok, body: HTTPBody("done"))
        try await credential.sign(&response, answering: request)
        let policy = SignaturePolicy(
            required: ["@status", SignatureComponent("@method").ofRequest], clock: .standing(at: now))
        let signature = try await verifier(key, policy: policy).verify(response, answering: request)
        expectEqual(signature.components.last, "content-digest")
        for other in [
            HTTPRequest.example(.put, "/a", fields: request.fields), .example(.post, "/b", fields: request.fields),
        ] {
            await #expect(throws: AuthError.refusedSignature) {
                try await verifier(key, policy: policy).verify(response, answering: other)
            }
        }
        await #expect(throws: AuthError.unsignableMessage) {
            try await verifier(key, policy: policy).verify(response, answering: nil)
        }
        response.body = HTTPBody("gone")
        await #expect(throws: AuthError.digestMismatch) {
            try await verifier(key, policy: policy).verify(response, answering: request)
        }
    }

    @Test
    func `A signature of a message is accepted by a server that receives it, also after a redirect`() async throws {
        let key = try Key.generate(.eddsa, id: "partner")
        let verifier = MessageVerifier(keys: KeySet([try #require(key.publicKey)]))
        var router = Router()
        router.post("/notes") { request in
            _ = try await verifier.verify(request)
            return HTTPResponse(status: 307, fields: [.location: "/moved?to=here%20now"])
        }
        router.post("/moved") { request in
            let signature = try await verifier.verify(request)
            return HTTPResponse(status: .ok, body: HTTPBody(signature.parameters.keyID ?? ""))
        }
        try await serving(router) { address in
            let client = Client(
                baseURL: try #require(URL(string: address.url)),
                interceptors: [CredentialInterceptor(try MessageSignature(key), for: .host("127.0.0.1"))])
            let response = try await client.respond(to: client.request(.post, "notes", body: HTTPBody("hello")))
            expectEqual(response.status, .ok)
            expectEqual(response.body.text, "partner")
        }
    }
}
