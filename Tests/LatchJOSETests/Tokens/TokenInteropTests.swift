// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import TestVectors
import Testing

/// The arguments with which OpenSSL's command verifies an RSA algorithm.
private struct Scheme: Sendable, CustomTestStringConvertible {
    let algorithm: SignatureAlgorithm
    let digest: String
    let options: [String]

    var testDescription: String { algorithm.rawValue }

    private static let pss = ["rsa_padding_mode:pss", "rsa_pss_saltlen:digest"]
    private static let pkcs1 = ["rsa_padding_mode:pkcs1", "rsa_padding_mode:pkcs1"]

    static let all = [
        Scheme(algorithm: .rs256, digest: "-sha256", options: pkcs1),
        Scheme(algorithm: .rs384, digest: "-sha384", options: pkcs1),
        Scheme(algorithm: .rs512, digest: "-sha512", options: pkcs1),
        Scheme(algorithm: .ps256, digest: "-sha256", options: pss),
        Scheme(algorithm: .ps384, digest: "-sha384", options: pss),
        Scheme(algorithm: .ps512, digest: "-sha512", options: pss),
    ]
}

@Suite(.enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)))
struct TokenInteropTests {
    private let command: OpenSSLCommand

    init() throws { command = try OpenSSLCommand() }

    /// A token's signed part and its signature, as files `content` and `signature`.
    private func write(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        try command.write("\(parts[0]).\(parts[1])".utf8, to: "content")
        try command.write(try Base64URL.decode(parts[2]), to: "signature")
    }

    private func content(_ header: JSONValue) -> String {
        let claims: JSONValue = ["sub": "u1", "exp": 2_000]
        return Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
    }

    private func verifier(_ key: Key) -> JWTVerifier {
        JWTVerifier(keys: KeySet([key]), algorithms: [key.algorithm], clock: .stopped(at: 1_000))
    }

    @Test(arguments: Scheme.all)
    private func `A token that OpenSSL's command signs or verifies by RSA is the same in both directions`(
        scheme: Scheme
    ) async throws {
        let key = try Key.generate(scheme.algorithm, id: "k1")
        let secret = try rsa(key)
        try command.write(try secret.pem().utf8, to: "key.pem")
        try command.write(try secret.publicKey.pem().utf8, to: "public.pem")
        try write(JWT.sign(["exp": 2_000], with: key))
        #expect(
            try await command.run(
                "dgst", scheme.digest, "-sigopt", scheme.options[0], "-sigopt", scheme.options[1], "-verify",
                "public.pem", "-signature", "signature", "content"
            ).isSuccess)
        let content = content(["alg": .string(scheme.algorithm.rawValue), "kid": "k1"])
        try command.write(content.utf8, to: "content")
        let signature = try await command.run(
            "dgst", scheme.digest, "-sigopt", scheme.options[0], "-sigopt", scheme.options[1], "-sign", "key.pem",
            "content"
        ).output
        let text = content + "." + Base64URL.encode(signature)
        try expectEqual(verifier(key).verify(text).subject, "u1")
        // The same bytes under the header of any other scheme are no signature of that header.
        for other in Scheme.all where other.algorithm != scheme.algorithm {
            let header = self.content(["alg": .string(other.algorithm.rawValue), "kid": "k1"])
            let forged = header + "." + Base64URL.encode(signature)
            #expect(throws: JOSEError.refusedAlgorithm) { try verifier(key).verify(forged) }
        }
    }

    /// The numbers of a stored key, as a key of LatchCrypto.
    private func rsa(_ key: Key) throws -> RSA.Signing.PrivateKey {
        let jwk = try key.jwkWithSecretsForStorage()
        func number(_ name: String) throws -> [UInt8] { try Base64URL.decode(jwk[name]?.stringValue ?? "") }
        return try RSA.Signing.PrivateKey(
            RSA.Signing.PrivateNumbers(
                modulus: number("n"), exponent: number("e"), privateExponent: number("d"), firstPrime: number("p"),
                secondPrime: number("q"), firstExponent: number("dp"), secondExponent: number("dq"),
                coefficient: number("qi")))
    }

    @Test
    func `A token that OpenSSL's command signs or verifies by ES256 is the same in both directions`() async throws {
        let secret = try P256.Signing.PrivateKey()
        try await checkCurve(
            Key(secret, id: "k1"), pem: secret.pem(), published: secret.publicKey.pem(), digest: "-sha256",
            toDER: { try P256.Signing.ECDSASignature(rawRepresentation: $0).derRepresentation },
            toRaw: { try P256.Signing.ECDSASignature(derRepresentation: $0).rawRepresentation })
    }

    @Test
    func `A token that OpenSSL's command signs or verifies by ES384 is the same in both directions`() async throws {
        let key = try Key.generate(.es384, id: "k1")
        let secret = try P384.Signing.PrivateKey(rawRepresentation: self.secret(of: key))
        try await checkCurve(
            key, pem: secret.pem(), published: secret.publicKey.pem(), digest: "-sha384",
            toDER: { try P384.Signing.ECDSASignature(rawRepresentation: $0).derRepresentation },
            toRaw: { try P384.Signing.ECDSASignature(derRepresentation: $0).rawRepresentation })
    }

    @Test
    func `A token that OpenSSL's command signs or verifies by ES512 is the same in both directions`() async throws {
        let key = try Key.generate(.es512, id: "k1")
        let secret = try P521.Signing.PrivateKey(rawRepresentation: self.secret(of: key))
        try await checkCurve(
            key, pem: secret.pem(), published: secret.publicKey.pem(), digest: "-sha512",
            toDER: { try P521.Signing.ECDSASignature(rawRepresentation: $0).derRepresentation },
            toRaw: { try P521.Signing.ECDSASignature(derRepresentation: $0).rawRepresentation })
    }

    private func secret(of key: Key) throws -> [UInt8] {
        try Base64URL.decode(key.jwkWithSecretsForStorage()["d"]?.stringValue ?? "")
    }

    private func checkCurve(
        _ key: Key, pem: String, published: String, digest: String, toDER: ([UInt8]) throws -> [UInt8],
        toRaw: ([UInt8]) throws -> [UInt8]
    ) async throws {
        try command.write(pem.utf8, to: "key.pem")
        try command.write(published.utf8, to: "public.pem")
        try write(JWT.sign(["exp": 2_000], with: key))
        try command.write(toDER(command.read("signature")), to: "signature")
        #expect(
            try await command.run("dgst", digest, "-verify", "public.pem", "-signature", "signature", "content")
                .isSuccess)
        let content = content(["alg": .string(key.algorithm.rawValue), "kid": "k1"])
        try command.write(content.utf8, to: "content")
        let der = try await command.run("dgst", digest, "-sign", "key.pem", "content").output
        let text = content + "." + Base64URL.encode(try toRaw(der))
        try expectEqual(verifier(key).verify(text).subject, "u1")
        // RFC 7518 §3.4: the signature stands there raw, and the command's DER is not taken for it.
        let inDER = content + "." + Base64URL.encode(der)
        #expect(throws: JOSEError.badSignature) { try verifier(key).verify(inDER) }
    }

    @Test
    func `A token that OpenSSL's command signs or verifies by EdDSA is the same in both directions`() async throws {
        let secret = try Curve25519.Signing.PrivateKey()
        let key = Key(secret, id: "k1")
        // RFC 8410 §7 and §4: what stands before the 32 bytes in DER.
        let before: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20]
        let beforePublic: [UInt8] = [0x30, 0x2A, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 3, 0x21, 0]
        try command.write(before + secret.rawRepresentation, to: "key.der")
        try command.write(beforePublic + secret.publicKey.rawRepresentation, to: "public.der")
        try write(JWT.sign(["exp": 2_000], with: key))
        #expect(
            try await command.run(
                "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "public.der", "-rawin", "-in", "content",
                "-sigfile", "signature"
            ).isSuccess)
        let content = content(["alg": "EdDSA", "kid": "k1"])
        try command.write(content.utf8, to: "content")
        let signature = try await command.run(
            "pkeyutl", "-sign", "-keyform", "DER", "-inkey", "key.der", "-rawin", "-in", "content"
        ).output
        try expectEqual(verifier(key).verify(content + "." + Base64URL.encode(signature)).subject, "u1")
    }

    @Test
    func `A token that OpenSSL's command signs or verifies by HMAC is the same in both directions`() async throws {
        for (algorithm, digest, length) in [
            (SignatureAlgorithm.hs256, "-sha256", 32), (.hs384, "-sha384", 48), (.hs512, "-sha512", 64),
        ] {
            let secret = SecureRandom.bytes(length)
            let key = try Key(secret: SymmetricKey(data: secret), algorithm: algorithm, id: "k1")
            let hex = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let content = content(["alg": .string(algorithm.rawValue), "kid": "k1"])
            try command.write(content.utf8, to: "content")
            let code = try await command.run(
                "dgst", digest, "-mac", "HMAC", "-macopt", "hexkey:\(hex)", "-binary", "content"
            ).output
            try expectEqual(verifier(key).verify(content + "." + Base64URL.encode(code)).subject, "u1")
            try expectEqual(key.signature(for: Array(content.utf8)), code)
        }
    }
}
