// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import TestTags
import Testing

/// A secret that is put into every part of a credential which is one.
private let canary = "canary-7c3e"

@Suite struct CredentialStorageTests {
    private func roundTrip<Value: SessionCredential & Codable>(_ value: Value) async throws {
        let secrets = InMemorySecretStore()
        let store = SecretTokenStore<Value>(secrets, name: "credential")
        try await store.save(value)
        try await expectEqual(store.load(), value)
        // A damaged record is a typed error, and the next sign-in heals it.
        for record in ["", "{", "{}", "[]", "{\"value\":1}", "\u{0}", "null", "{\"user\":\"\(canary)"] {
            secrets.write(Array(record.utf8), for: "credential")
            let error = await #expect(throws: AuthError.storeCorrupt) { try await store.load() }
            #expect(!dumped(error as Any).contains(canary))
        }
        try await store.save(value)
        try await expectEqual(store.load(), value)
        #expect(!dumped(value).contains(canary))
        #expect(!dumped([value as Value?]).contains(canary))
        #expect(!dumped(["key": value]).contains(canary))
    }

    @Test(.tags(.tokenTypes))
    func `A credential in a store comes back as it was, and shows nothing, as a bearer token`() async throws {
        try await roundTrip(BearerToken(canary))
    }

    @Test(.tags(.tokenTypes))
    func `A credential in a store comes back as it was, and shows nothing, as an API key`() async throws {
        try await roundTrip(APIKey(canary))
        try await roundTrip(APIKey(canary, inField: "X-Other"))
        try await roundTrip(APIKey(canary, inQuery: "a=b&c"))
    }

    @Test(.tags(.tokenTypes))
    func `A credential in a store comes back as it was, and shows nothing, as user and password`() async throws {
        try await roundTrip(BasicCredential(user: canary, password: canary + "ü:"))
    }

    @Test(.tags(.tokenTypes))
    func `A credential in a store comes back as it was, and shows nothing, as fields`() async throws {
        try await roundTrip(HeaderCredential(["X-A": canary, "x-b": canary + "\"\\"]))
    }

    @Test(.tags(.tokenTypes))
    func `A credential in a store comes back as it was, and shows nothing, as an HMAC key`() async throws {
        var form = HMACSignature.Form()
        form.signsQuery = false
        form.signatureField = "X-Sig"
        try await roundTrip(HMACSignature(apiKey: canary, secret: canary, form: form))
        try await roundTrip(HMACSignature(apiKey: "", secret: "\0ü"))
    }

    @Test(.tags(.tokenTypes))
    func `A credential in a store comes back as it was, and shows nothing, as AWS credentials`() async throws {
        try await roundTrip(
            SigV4Signature(
                accessKeyID: canary, secretAccessKey: canary, sessionToken: canary, region: "eu-central-1",
                service: "s3", content: .unsigned))
        try await roundTrip(
            SigV4Signature(accessKeyID: canary, secretAccessKey: canary, region: "us-east-1", service: "iam"))
    }

    @Test(.tags(.tokenTypes), arguments: [SignatureAlgorithm.hs256, .es256, .es384, .eddsa, .ps512, .rs256])
    func `A credential in a store comes back as it was, and shows nothing, as a key for messages`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let key = try Key.generate(algorithm, id: "partner")
        let credential = try MessageSignature(
            key, covering: ["@method", .queryParameter("a b"), .field("Content-Type").ofRequest],
            andContentBy: [.field(.contentDigest).strict], label: "mine", tag: "app", lifetime: .seconds(90),
            hasNonce: true, namesAlgorithm: true)
        try await roundTrip(credential)
        let secret = try key.jwkWithSecretsForStorage()
        for name in ["d", "k", "p", "q"] {
            guard let text = secret[name]?.stringValue else { continue }
            #expect(!dumped(credential).contains(text))
        }
    }

    @Test(.tags(.tokenTypes)) func `A credential in a store that breaks its own rules is not read`() async throws {
        let secrets = InMemorySecretStore()
        secrets.write(Array(#"{"user":"a:b","password":"c"}"#.utf8), for: "a")
        await #expect(throws: AuthError.storeCorrupt) {
            try await SecretTokenStore<BasicCredential>(secrets, name: "a").load()
        }
        secrets.write(Array(#"{"fields":[{"name":"X","value":"1"},{"name":"x","value":"2"}]}"#.utf8), for: "a")
        await #expect(throws: AuthError.storeCorrupt) {
            try await SecretTokenStore<HeaderCredential>(secrets, name: "a").load()
        }
    }

    @Test func `A credential in a store is distinguished by its secret and its purpose`() throws {
        let hmac = HMACSignature(apiKey: "a", secret: "b")
        expectEqual(hmac, HMACSignature(apiKey: "a", secret: "b", clock: .standing(at: 0)))
        expectNotEqual(hmac, HMACSignature(apiKey: "a", secret: "c"))
        func aws(_ secret: String = "b", _ token: String? = nil, _ region: String = "r") -> SigV4Signature {
            SigV4Signature(
                accessKeyID: "a", secretAccessKey: secret, sessionToken: token, region: region, service: "s")
        }
        expectEqual(aws(), aws())
        expectNotEqual(aws(), aws("c"))
        expectNotEqual(aws(), aws("b", ""))
        expectNotEqual(aws(), aws("b", nil, "q"))
        let key = try Key.generate(.eddsa, id: "k")
        try expectEqual(MessageSignature(key), MessageSignature(key))
        try expectNotEqual(MessageSignature(key), MessageSignature(Key.generate(.eddsa, id: "k")))
        try expectNotEqual(MessageSignature(key), MessageSignature(key, tag: "x"))
    }
}
