// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

/// The operations of a curve that the tests use, without its type.
private struct Curve: Sendable, CustomTestStringConvertible {
    let name: String
    let digest: String
    /// Signs with a key in PEM and gives DER.
    let sign: @Sendable (String, [UInt8]) throws -> [UInt8]
    /// Verifies a signature in DER with a public key in PEM.
    let verify: @Sendable (String, [UInt8], [UInt8]) throws -> Bool
    /// A fresh key as PEM: its secret and its public half.
    let generate: @Sendable () throws -> (secret: String, published: String)
    /// The public half of a secret in PEM, as an uncompressed point.
    let point: @Sendable (String) throws -> [UInt8]
    /// The point of a public key in DER.
    let decode: @Sendable ([UInt8]) throws -> [UInt8]

    var testDescription: String { name }

    init<Kind: NISTCurve>(_ kind: Kind.Type, digest: String) {
        name = Kind.name
        self.digest = digest
        sign = { pem, text in
            try NISTSigning<Kind>.PrivateKey(pemRepresentation: pem).signature(for: text).derRepresentation
        }
        verify = { pem, der, text in
            let signature = try NISTSigning<Kind>.ECDSASignature(derRepresentation: der)
            return try NISTSigning<Kind>.PublicKey(pemRepresentation: pem).isValidSignature(signature, for: text)
        }
        generate = {
            let key = try NISTSigning<Kind>.PrivateKey()
            return (try key.pem(), try key.publicKey.pem())
        }
        point = { try NISTSigning<Kind>.PrivateKey(pemRepresentation: $0).publicKey.x963Representation }
        decode = { try NISTSigning<Kind>.PublicKey(derRepresentation: $0).x963Representation }
    }

    static let all = [
        Curve(P256.self, digest: "-sha256"), Curve(P384.self, digest: "-sha384"), Curve(P521.self, digest: "-sha512"),
    ]
}

@Suite(.enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)))
struct ECInteropTests {
    private let command: OpenSSLCommand

    init() throws { command = try OpenSSLCommand() }

    /// Makes a key with the command: PKCS #8 in `key.pem`, its public half in `public.pem` and `public.der`.
    private func makeKey(_ curve: Curve) async throws {
        try await command.run(
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve.name)", "-out", "key.pem")
        try await command.run("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
        try await command.run("pkey", "-in", "key.pem", "-pubout", "-outform", "DER", "-out", "public.der")
    }

    @Test(arguments: Curve.all)
    private func `An elliptic key that OpenSSL's command knows makes a signature that the command verifies`(
        curve: Curve
    ) async throws {
        let key = try curve.generate()
        try command.write(key.published.utf8, to: "public.pem")
        for length in [0, 1, 1_000] {
            let text = SecureRandom.bytes(length)
            try command.write(text, to: "text")
            try command.write(try curve.sign(key.secret, text), to: "signature")
            let verification = { (name: String) in
                try await command.run(
                    "dgst", curve.digest, "-verify", "public.pem", "-signature", "signature", name
                ).isSuccess
            }
            #expect(try await verification("text"))
            try command.write(text + [0], to: "other")
            #expect(try await !verification("other"))
        }
    }

    @Test(arguments: Curve.all)
    private func `An elliptic key that OpenSSL's command knows verifies the command's signature`(curve: Curve)
        async throws
    {
        try await makeKey(curve)
        let published = try command.text("public.pem")
        for length in [0, 1, 1_000] {
            let text = SecureRandom.bytes(length)
            try command.write(text, to: "text")
            let signature = try await command.run("dgst", curve.digest, "-sign", "key.pem", "text").output
            #expect(try curve.verify(published, signature, text))
            #expect(try !curve.verify(published, signature, text + [0]))
        }
    }

    @Test(arguments: Curve.all)
    private func `An elliptic key that OpenSSL's command knows is read in PKCS 8, and in SEC 1 with its parameters`(
        curve: Curve
    ) async throws {
        try await makeKey(curve)
        try await command.run("ec", "-in", "key.pem", "-out", "sec1.pem")
        let names = ["P-256": "prime256v1", "P-384": "secp384r1", "P-521": "secp521r1"]
        try await command.run("ecparam", "-name", names[curve.name] ?? "", "-out", "parameters.pem")
        let published = try curve.decode(command.read("public.der"))
        let sec1 = try command.text("sec1.pem")
        #expect(sec1.contains("EC PRIVATE KEY"))
        try expectEqual(curve.point(command.text("key.pem")), published)
        try expectEqual(curve.point(sec1), published)
        try expectEqual(curve.point(command.text("parameters.pem") + sec1), published)
        try expectEqual(curve.point("text before it\n" + sec1 + "text after it"), published)
    }

    @Test(arguments: Curve.all)
    private func `An elliptic key that OpenSSL's command knows is written as the command writes it`(curve: Curve)
        async throws
    {
        try await makeKey(curve)
        let restored = try command.text("key.pem")
        try expectEqual(curve.point(restored).count, curve.decode(command.read("public.der")).count)
        let ours = try curve.generate()
        try command.write(ours.secret.utf8, to: "ours.pem")
        #expect(try await command.run("pkey", "-in", "ours.pem", "-check", "-noout").isSuccess)
        try await expectEqual(command.run("pkey", "-in", "ours.pem", "-pubout").text, ours.published)
        try await expectEqual(command.run("pkey", "-in", "ours.pem").text, ours.secret)
    }

    @Test(arguments: Curve.all)
    private func `An elliptic key that OpenSSL's command knows is read from a compressed point as the same key`(
        curve: Curve
    ) async throws {
        try await makeKey(curve)
        try await command.run(
            "ec", "-in", "key.pem", "-pubout", "-conv_form", "compressed", "-outform", "DER", "-out", "short.der")
        let short = try command.read("short.der")
        let long = try command.read("public.der")
        #expect(short.count < long.count)
        try expectEqual(curve.decode(short), curve.decode(long))
    }

    @Test(arguments: Curve.all)
    private func `An elliptic key that OpenSSL's command knows is refused on every other curve, in every form`(
        curve: Curve
    ) async throws {
        try await makeKey(curve)
        let der = try command.read("public.der")
        let pem = try command.text("key.pem")
        for other in Curve.all where other.name != curve.name {
            #expect { try other.decode(der) } throws: { CryptoError.malformedKey ~= $0 }
            #expect { try other.point(pem) } throws: { CryptoError.malformedKey ~= $0 }
        }
    }

    @Test func `An elliptic key that OpenSSL's command knows is refused on curves that are not NIST's`() async throws {
        for name in ["secp256k1", "brainpoolP256r1", "P-224"] {
            try await command.run(
                "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(name)", "-out", "key.pem")
            try await command.run("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
            let (secret, published) = (try command.text("key.pem"), try command.text("public.pem"))
            for curve in Curve.all {
                #expect { try curve.point(secret) } throws: { CryptoError.malformedKey ~= $0 }
                #expect { try curve.verify(published, [0x30, 6, 2, 1, 1, 2, 1, 1], []) } throws: {
                    CryptoError.malformedKey ~= $0
                }
            }
        }
    }

    @Test
    func `An elliptic key that OpenSSL's command knows is refused if encrypted or a request or parameters`()
        async throws
    {
        try await makeKey(Curve.all[0])
        try await command.run("pkey", "-in", "key.pem", "-aes256", "-passout", "pass:x", "-out", "encrypted.pem")
        try await command.run("ec", "-in", "key.pem", "-aes256", "-passout", "pass:x", "-out", "traditional.pem")
        try await command.run("req", "-new", "-key", "key.pem", "-subj", "/CN=x", "-out", "request.pem")
        try await command.run("ecparam", "-name", "prime256v1", "-out", "parameters.pem")
        for name in ["encrypted.pem", "traditional.pem", "request.pem", "parameters.pem", "public.pem"] {
            let text = try command.text(name)
            #expect { try P256.Signing.PrivateKey(pemRepresentation: text) } throws: { CryptoError.malformedKey ~= $0 }
        }
        for name in ["encrypted.pem", "request.pem", "parameters.pem", "key.pem"] {
            let text = try command.text(name)
            #expect { try P256.Signing.PublicKey(pemRepresentation: text) } throws: { CryptoError.malformedKey ~= $0 }
        }
    }

    @Test
    func `An elliptic key that OpenSSL's command knows is refused after any byte of its DER was cut or added`()
        async throws
    {
        try await makeKey(Curve.all[0])
        let der = try command.read("public.der")
        _ = try P256.Signing.PublicKey(derRepresentation: der)
        for length in der.indices {
            #expect { try P256.Signing.PublicKey(derRepresentation: der.prefix(length)) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
        #expect { try P256.Signing.PublicKey(derRepresentation: der + [0]) } throws: { CryptoError.malformedKey ~= $0 }
        #expect { try P256.Signing.PublicKey(derRepresentation: der + der) } throws: { CryptoError.malformedKey ~= $0 }
    }

    // SEC 1 §2.3.3 writes the point at infinity as one zero byte; its §3.2.2.1 has no such public key.
    @Test func `An elliptic key that OpenSSL's command knows is refused if its point is the one at infinity`() throws {
        let infinity = unhexed("3019301306072a8648ce3d020106082a8648ce3d03010703020000")
        #expect { try P256.Signing.PublicKey(derRepresentation: infinity) } throws: { CryptoError.malformedKey ~= $0 }
    }
}
