// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import TestVectors
import Testing

@testable import LatchAuth

@Suite struct SignatureRandomTests {
    private static let components: [SignatureComponent] = [
        "@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query", .queryParameter("q"),
        .queryParameter("ü &"), "x-one", "x-two", .field("X-Two").bytes, .field("Priority").strict,
        .field("Priority").member("u"), "content-length", "host", "content-digest",
    ]

    private func request(_ random: inout SeededGenerator) -> HTTPRequest {
        HTTPRequest(
            method: ["GET", "POST", "QUERY"].randomElement(using: &random) ?? .get, scheme: "https",
            authority: "H\(random.next() % 100).example",
            path: "/p%20q/\(random.next())?q=\(random.next())&%C3%BC+%26=%2B",
            fields: [
                "X-One": "a \(random.next())", "X-Two": "1", "x-two": " 2, \(random.next()) ",
                "Priority": "u=\(random.next() % 8), i",
            ], body: HTTPBody(random.bytes(Int.random(in: 1...64, using: &random))))
    }

    /// One change for each component, which nothing else in the message makes up for.
    private func change(_ request: inout HTTPRequest, _ component: SignatureComponent) {
        switch component.name {
        case "@method": request.method = "OTHER"
        case "@authority", "host": request.authority = "other.example"
        case "@scheme": request.scheme = "http"
        case "@query-param", "@query", "@target-uri", "@request-target":
            request.path = request.path.replacing("q=", with: "q=0").replacing("=%2B", with: "=%2C")
        case "@path": request.path = "/" + request.path
        case "content-length": request.body = HTTPBody(request.body.bytes + [0])
        case "priority": request.fields["Priority"] = "u=9"
        default: request.fields[HTTPFieldName(component.name)] = "changed"
        }
    }

    @Test(arguments: [SignatureAlgorithm.hs256, .eddsa])
    func `Random messages are verified with any cover, until a covered part changes`(algorithm: SignatureAlgorithm)
        async throws
    {
        let seed: UInt64 = 9_421
        var random = SeededGenerator(seed: seed)
        let key = try Key.generate(algorithm, id: "k")
        var policy = SignaturePolicy(required: [], clock: .standing(at: 1_700_000_000))
        policy.checksContent = false
        let verifier = MessageVerifier(keys: KeySet([key]), policy: policy)
        for _ in 0..<100 {
            let covered = Self.components.shuffled(using: &random).prefix(Int.random(in: 1...8, using: &random))
            let credential = try MessageSignature(
                key, covering: Array(covered), andContentBy: [], clock: .standing(at: 1_700_000_000))
            let signed = try await request(&random).authorized(by: credential)
            try await expectEqual(verifier.verify(signed).components, Array(covered), "seed \(seed)")
            for component in covered {
                var changed = signed
                change(&changed, component)
                await #expect(throws: AuthError.self, "\(component.name), seed \(seed)") {
                    try await verifier.verify(changed)
                }
            }
        }
    }

    @Test func `Random messages are verified after a proxy has changed an uncovered part`() async throws {
        let key = try Key.generate(.hs256, id: "k")
        let credential = try MessageSignature(key, clock: .standing(at: 1_700_000_000))
        var signed = try await HTTPRequest.example(.post, "/a?b=c", body: HTTPBody("x")).authorized(by: credential)
        signed.fields["Via"] = "1.1 proxy"
        signed.fields["X-Forwarded-For"] = "192.0.2.1"
        signed.fields[.userAgent] = nil
        signed.authority = "API.example.com:443"
        let policy = SignaturePolicy(clock: .standing(at: 1_700_000_000))
        try await expectEqual(MessageVerifier(keys: KeySet([key]), policy: policy).verify(signed).label, "sig1")
    }
}

@Suite(.enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)))
struct SignatureOpenSSLTests {
    @Test(arguments: [
        (SignatureAlgorithm.rs256, ["-sha256"]),
        (.ps512, ["-sha512", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:64"]),
    ])
    func `Message signatures by RSA match openssl's over the base of RFC 9421 §3.3`(
        algorithm: SignatureAlgorithm, options: [String]
    ) async throws {
        let openssl = try OpenSSLCommand()
        let key = try Key.generate(algorithm, id: "k")
        let request = try await HTTPRequest.example(.post, "/a?b", body: HTTPBody("x"))
            .authorized(by: MessageSignature(key))
        let base = try #require(try SignatureBase.texts(of: request).first)
        let signature = try request.fields.structuredDictionary("Signature")["sig1"]?.item?.value.bytesValue
        let number = { (name: String) in try Base64URL.decode(key.jwk[name]?.stringValue ?? "") }
        let publicKey = try RSA.Signing.PublicKey(modulus: number("n"), exponent: number("e"))
        try openssl.write(Array(try publicKey.pem().utf8), to: "key.pem")
        try openssl.write(Array(base.utf8), to: "base")
        try openssl.write(try #require(signature), to: "signature")
        let verified = try await openssl.run(
            ["dgst"] + options + ["-verify", "key.pem", "-signature", "signature", "base"])
        #expect(verified.isSuccess, "\(verified.text)")
        try openssl.write(Array((base + " ").utf8), to: "base")
        let changed = try await openssl.run(
            ["dgst"] + options + ["-verify", "key.pem", "-signature", "signature", "base"])
        #expect(!changed.isSuccess)
    }

    @Test(arguments: [(SignatureAlgorithm.es256, "-sha256", "P-256"), (.es384, "-sha384", "P-384")])
    func `Message signatures by ECDSA match openssl's over the base of RFC 9421 §3.3`(
        algorithm: SignatureAlgorithm, digest: String, curve: String
    ) async throws {
        let openssl = try OpenSSLCommand()
        try await openssl.run([
            "ecparam", "-name", curve == "P-256" ? "prime256v1" : "secp384r1", "-genkey", "-noout", "-out", "key.pem",
        ])
        try await openssl.run(["pkcs8", "-topk8", "-nocrypt", "-in", "key.pem", "-out", "pkcs8.pem"])
        let pem = try openssl.text("pkcs8.pem")
        let raw: (d: [UInt8], xy: [UInt8]) =
            if curve == "P-256" {
                try (
                    Array(P256.Signing.PrivateKey(pemRepresentation: pem).rawRepresentation),
                    Array(P256.Signing.PrivateKey(pemRepresentation: pem).publicKey.rawRepresentation)
                )
            } else {
                try (
                    Array(P384.Signing.PrivateKey(pemRepresentation: pem).rawRepresentation),
                    Array(P384.Signing.PrivateKey(pemRepresentation: pem).publicKey.rawRepresentation)
                )
            }
        let half = raw.xy.count / 2
        let key = try Key(jwk: [
            "kty": "EC", "crv": .string(curve), "kid": "k", "d": .string(Base64URL.encode(raw.d)),
            "x": .string(Base64URL.encode(raw.xy.prefix(half))), "y": .string(Base64URL.encode(raw.xy.suffix(half))),
        ])
        expectEqual(key.algorithm, algorithm)
        let request = try await HTTPRequest.example(.get, "/a?b").authorized(by: MessageSignature(key))
        let base = try #require(try SignatureBase.texts(of: request).first)
        let signature = try #require(
            try request.fields.structuredDictionary("Signature")["sig1"]?.item?.value.bytesValue)
        expectEqual(signature.count, 2 * half)
        // RFC 9421 §3.3.4 has the two numbers side by side, openssl wants them in DER.
        let der =
            try curve == "P-256"
            ? Array(P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation)
            : Array(P384.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation)
        try openssl.write(der, to: "signature")
        try openssl.write(Array(base.utf8), to: "base")
        let verified = try await openssl.run([
            "dgst", digest, "-prverify", "key.pem", "-signature", "signature", "base",
        ])
        #expect(verified.isSuccess, "\(verified.text)")
    }
}
