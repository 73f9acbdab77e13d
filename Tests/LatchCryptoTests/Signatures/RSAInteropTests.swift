// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite(.enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)))
struct RSAInteropTests {
    private let command: OpenSSLCommand
    private let secret: String
    private let published: String

    init() async throws {
        command = try OpenSSLCommand()
        try await command.run("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "key.pem")
        try await command.run("pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
        secret = try command.text("key.pem")
        published = try command.text("public.pem")
    }

    private func options(_ padding: RSA.Signing.Padding, _ hash: RSA.Signing.Hash) -> (digest: String, padding: String)
    {
        let digest =
            switch hash {
            case .sha256: "-sha256"
            case .sha384: "-sha384"
            case .sha512: "-sha512"
            }
        return (digest, padding == .pss ? "rsa_padding_mode:pss" : "rsa_padding_mode:pkcs1")
    }

    @Test
    func `An RSA key that OpenSSL knows makes signatures that the command verifies, in every scheme`() async throws {
        let key = try RSA.Signing.PrivateKey(pemRepresentation: secret)
        for padding in RSA.Signing.Padding.allCases {
            for hash in RSA.Signing.Hash.allCases {
                let text = SecureRandom.bytes(500)
                try command.write(text, to: "text")
                try command.write(text.dropLast(), to: "other")
                try command.write(try key.signature(for: text, padding: padding, hash: hash), to: "signature")
                let options = options(padding, hash)
                let verification = { (name: String) in
                    // RFC 7518 §3.5: the salt is as long as the digest, which is what the command insists on here.
                    let salt = padding == .pss ? ["rsa_pss_saltlen:digest"] : []
                    return try await command.run(
                        "dgst", options.digest, "-sigopt", options.padding, "-sigopt", salt.first ?? options.padding,
                        "-verify", "public.pem", "-signature", "signature", name
                    ).isSuccess
                }
                #expect(try await verification("text"), "\(padding) \(hash)")
                #expect(try await !verification("other"), "\(padding) \(hash)")
            }
        }
    }

    @Test func `An RSA key that OpenSSL knows verifies the command's signatures, in every scheme`() async throws {
        let key = try RSA.Signing.PublicKey(pemRepresentation: published)
        let text = SecureRandom.bytes(500)
        try command.write(text, to: "text")
        for padding in RSA.Signing.Padding.allCases {
            for hash in RSA.Signing.Hash.allCases {
                let options = options(padding, hash)
                let salt = padding == .pss ? "rsa_pss_saltlen:digest" : options.padding
                let signature = try await command.run(
                    "dgst", options.digest, "-sigopt", options.padding, "-sigopt", salt, "-sign", "key.pem", "text"
                ).output
                #expect(key.isValidSignature(signature, for: text, padding: padding, hash: hash))
                #expect(!key.isValidSignature(signature, for: text + [0], padding: padding, hash: hash))
            }
        }
    }

    @Test(arguments: ["0", "20", "31", "33", "max"])
    func `An RSA key that OpenSSL knows refuses a PSS signature with a salt of another length`(length: String)
        async throws
    {
        try command.write([1, 2, 3], to: "text")
        let signature = try await command.run(
            "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:\(length)",
            "-sign", "key.pem", "text"
        ).output
        expectEqual(signature.count, 256)
        let key = try RSA.Signing.PublicKey(pemRepresentation: published)
        #expect(!key.isValidSignature(signature, for: [1, 2, 3], padding: .pss))
    }

    @Test func `An RSA key that OpenSSL knows refuses a PSS signature whose mask uses another digest`() async throws {
        try command.write([1, 2, 3], to: "text")
        let signature = try await command.run(
            "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest",
            "-sigopt", "rsa_mgf1_md:sha1", "-sign", "key.pem", "text"
        ).output
        let key = try RSA.Signing.PublicKey(pemRepresentation: published)
        #expect(!key.isValidSignature(signature, for: [1, 2, 3], padding: .pss))
    }

    @Test
    func `An RSA key that OpenSSL knows is read in PKCS 8 and PKCS 1, and written as the command writes it`()
        async throws
    {
        try await command.run("rsa", "-in", "key.pem", "-traditional", "-out", "pkcs1.pem")
        let pkcs1 = try command.text("pkcs1.pem")
        #expect(pkcs1.contains("RSA PRIVATE KEY"))
        let key = try RSA.Signing.PrivateKey(pemRepresentation: secret)
        try expectEqual(RSA.Signing.PrivateKey(pemRepresentation: pkcs1).publicKey, key.publicKey)
        try expectEqual(RSA.Signing.PublicKey(pemRepresentation: published), key.publicKey)
        try expectEqual(key.pem(), secret)
        try expectEqual(key.publicKey.pem(), published)
        try await command.run("pkey", "-in", "key.pem", "-pubout", "-outform", "DER", "-out", "public.der")
        try expectEqual(RSA.Signing.PublicKey(derRepresentation: command.read("public.der")), key.publicKey)
    }

    @Test func `An RSA key that OpenSSL knows has the numbers that the command prints`() async throws {
        let key = try RSA.Signing.PrivateKey(pemRepresentation: secret)
        let modulus = try await command.run("rsa", "-in", "key.pem", "-modulus", "-noout").text
        expectEqual(modulus, "Modulus=\(hexadecimal(key.publicKey.modulus).uppercased())\n")
        let numbers = try key.numbers
        #expect(numbers.modulus == key.publicKey.modulus && numbers.exponent == [1, 0, 1])
        #expect(numbers.firstPrime.count == 128 && numbers.secondPrime.count == 128)
        try expectEqual(RSA.Signing.PrivateKey(numbers).pem(), secret)
    }

    @Test(arguments: ["512", "1024", "2047"])
    func `An RSA key that OpenSSL knows is refused if it is short, whether private or public`(bits: String) async throws
    {
        try await command.run("genrsa", "-out", "small.pem", bits)
        try await command.run("pkey", "-in", "small.pem", "-pubout", "-out", "small-public.pem")
        let (small, half) = (try command.text("small.pem"), try command.text("small-public.pem"))
        #expect { try RSA.Signing.PrivateKey(pemRepresentation: small) } throws: { CryptoError.malformedKey ~= $0 }
        #expect { try RSA.Signing.PublicKey(pemRepresentation: half) } throws: { CryptoError.malformedKey ~= $0 }
    }

    @Test(arguments: ["2048", "3072"])
    func `An RSA key that OpenSSL knows can have any size above the bound, and the exponent 3`(bits: String)
        async throws
    {
        try await command.run("genrsa", "-3", "-out", "three.pem", bits)
        let key = try RSA.Signing.PrivateKey(pemRepresentation: command.text("three.pem"))
        expectEqual(key.publicKey.exponent, [3])
        expectEqual("\(key.publicKey.keySizeInBits)", bits)
        let signature = try key.signature(for: [1])
        expectEqual(signature.count, key.publicKey.keySizeInBits / 8)
        #expect(key.publicKey.isValidSignature(signature, for: [1]))
    }

    @Test func `An RSA key that OpenSSL knows is refused if it is bound to PSS, or is not an RSA key`() async throws {
        try await command.run(
            "genpkey", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "bound.pem")
        try await command.run("genpkey", "-algorithm", "ED25519", "-out", "ed.pem")
        for name in ["bound", "ed"] {
            try await command.run("pkey", "-in", "\(name).pem", "-pubout", "-out", "\(name)-public.pem")
            let (secret, half) = (try command.text("\(name).pem"), try command.text("\(name)-public.pem"))
            #expect { try RSA.Signing.PrivateKey(pemRepresentation: secret) } throws: { CryptoError.malformedKey ~= $0 }
            #expect { try RSA.Signing.PublicKey(pemRepresentation: half) } throws: { CryptoError.malformedKey ~= $0 }
            #expect { try P256.Signing.PrivateKey(pemRepresentation: secret) } throws: {
                CryptoError.malformedKey ~= $0
            }
            #expect { try P256.Signing.PublicKey(pemRepresentation: half) } throws: { CryptoError.malformedKey ~= $0 }
        }
    }
}
