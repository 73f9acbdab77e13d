// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchJOSE
import TestVectors
import Testing

private let kinds: [SignatureAlgorithm] = [.es256, .es384, .es512, .eddsa, .rs256, .ps384]

@Suite struct KeyPEMTests {
    @Test(arguments: kinds)
    func `A key as PEM comes back whole, and its public half by itself`(algorithm: SignatureAlgorithm) throws {
        let key = try Key.generate(algorithm, id: "k1")
        let whole = try Key(pem: key.pemWithSecretsForStorage(), algorithm: algorithm, id: "k1")
        #expect(whole.canSign && whole.id == "k1" && whole.algorithm == algorithm)
        try expectEqual(whole.jwkWithSecretsForStorage(), key.jwkWithSecretsForStorage())
        let half = try Key(pem: key.pem(), algorithm: algorithm)
        #expect(!half.canSign && half.id == nil && half.thumbprint == key.thumbprint)
        #expect(try half.isValidSignature(whole.signature(for: [1, 2]), for: [1, 2]))
        #expect { try half.pemWithSecretsForStorage() } throws: { JOSEError.unsuitableKey ~= $0 }
    }

    @Test func `A key as PEM is for RS256 if an RSA key states no other, and a curve determines it`() throws {
        try expectEqual(Key(pem: Key.generate(.ps512).pem()).algorithm, .rs256)
        for algorithm in [SignatureAlgorithm.es256, .es384, .es512, .eddsa] {
            try expectEqual(Key(pem: Key.generate(algorithm).pem()).algorithm, algorithm)
        }
    }

    @Test func `A key as PEM is refused for an algorithm that is not its own`() throws {
        for (made, wanted) in [
            (SignatureAlgorithm.es256, SignatureAlgorithm.es384), (.eddsa, .es256), (.rs256, .hs256),
        ] {
            let key = try Key.generate(made)
            for pem in [try key.pem(), try key.pemWithSecretsForStorage()] {
                #expect { try Key(pem: pem, algorithm: wanted) } throws: { JOSEError.unsuitableKey ~= $0 }
            }
        }
    }

    @Test func `A key as PEM does not exist for a shared secret`() throws {
        let secret = try Key.generate(.hs256)
        #expect { try secret.pem() } throws: { JOSEError.unsuitableKey ~= $0 }
        #expect { try secret.pemWithSecretsForStorage() } throws: { JOSEError.unsuitableKey ~= $0 }
    }

    @Test func `A key as PEM is found among other text, with any line ends and spaces`() throws {
        let key = try Key.generate(.es256)
        let pem = try key.pem()
        let carriage = pem.split(separator: "\n").map { "  \($0) \t\r\n" }.joined()
        let texts = [
            pem, carriage, "Bag Attributes\n    friendlyName: x\n" + pem + "trailing", "\n\n" + pem.dropLast(),
            "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + pem,
        ]
        for text in texts { try expectEqual(Key(pem: text).thumbprint, key.thumbprint) }
    }

    @Test func `A key as PEM is refused if the text is damaged`() throws {
        let key = try Key.generate(.es256)
        let pem = try key.pem()
        let lines = pem.split(separator: "\n").map(String.init)
        let (begin, first) = (lines[0], lines[1])
        let rest = lines[2...].joined(separator: "\n")
        let texts: [String] = [
            "", "x", lines.dropLast().joined(separator: "\n"), lines.dropFirst().joined(separator: "\n"),
            pem.replacing("PUBLIC KEY", with: "CERTIFICATE"), pem.replacing("PUBLIC KEY", with: "PRIVATE KEY"),
            pem.replacing("PUBLIC KEY", with: "EC PRIVATE KEY"), pem.replacing("PUBLIC KEY", with: "RSA PRIVATE KEY"),
            pem.replacing("PUBLIC KEY", with: "RSA PUBLIC KEY"), pem.replacing("END PUBLIC", with: "END PRIVATE"),
            pem.replacing("PUBLIC KEY", with: "ENCRYPTED PRIVATE KEY"), "\(begin)\n\(pem)",
            "\(begin)\n\(first)!\n\(rest)", "\(begin)\n\(first.dropLast(4))\n\(rest)",
            "\(begin)\n\(first)\n\(lines.last ?? "")",
            pem.replacing("-----BEGIN PUBLIC KEY-----\n", with: "-----BEGIN PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\n"),
            String(repeating: "a", count: 70_000) + pem,
        ]
        for text in texts { #expect { try Key(pem: text) } throws: { JOSEError.unsuitableKey ~= $0 } }
    }

    @Test(arguments: kinds.prefix(5))
    func `A key as PEM never makes another key by a flipped bit, and never brings the process down`(
        algorithm: SignatureAlgorithm
    ) throws {
        let key = try Key.generate(algorithm)
        for pem in [try key.pem(), try key.pemWithSecretsForStorage()] {
            let lines = pem.split(separator: "\n").map { Array($0.utf8) }
            var numbers = SeededGenerator(seed: UInt64(pem.utf8.count))
            for _ in 0..<60 {
                var damaged = lines
                let row = Int.random(in: 1..<(lines.count - 1), using: &numbers)
                let column = Int.random(in: 0..<lines[row].count, using: &numbers)
                damaged[row][column] = Array("ABCabc019+/=".utf8).randomElement(using: &numbers) ?? 65
                let text = damaged.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
                do {
                    // What is still a key is one of other numbers, or the same where nothing changed.
                    let read = try Key(pem: text)
                    expectEqual(read.thumbprint.utf8.count, 43)
                } catch {
                    #expect(JOSEError.unsuitableKey ~= error)
                }
            }
        }
    }

    @Test func `A key as PEM leaves no secret in an error`() throws {
        let pem = try Key.generate(.es256).pemWithSecretsForStorage()
        let body = pem.split(separator: "\n")[1]
        do {
            _ = try Key(pem: pem.replacing("-----END", with: "-----EN"))
            Issue.record("it was read")
        } catch {
            #expect(!"\(error)".contains(body.prefix(12)))
        }
    }
}

@Suite(.enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)))
struct KeyPEMOpenSSLTests {
    private let command: OpenSSLCommand

    init() throws { command = try OpenSSLCommand() }

    @Test(arguments: kinds.prefix(5))
    func `A key as PEM is read by the openssl command, and written byte by byte as it would write it`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let key = try Key.generate(algorithm)
        try command.write(try key.pemWithSecretsForStorage().utf8, to: "key.pem")
        try command.write(try key.pem().utf8, to: "public.pem")
        try await expectEqual(command.run("pkey", "-in", "key.pem").text, key.pemWithSecretsForStorage())
        try await expectEqual(command.run("pkey", "-in", "key.pem", "-pubout").text, key.pem())
        try await expectEqual(command.run("pkey", "-pubin", "-in", "public.pem").text, key.pem())
    }

    @Test(
        arguments: [
            (["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], SignatureAlgorithm.es256),
            (["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], .es384),
            (["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"], .es512),
            (["ecparam", "-name", "prime256v1", "-genkey"], .es256), (["genpkey", "-algorithm", "ED25519"], .eddsa),
            (["genrsa", "-traditional", "2048"], .rs256), (["genrsa", "2048"], .rs256),
            (["genrsa", "-3", "3072"], .ps256),
        ] as [([String], SignatureAlgorithm)])
    func `A key as PEM of the openssl command is read, in PKCS 8 and in the older forms`(
        arguments: [String], algorithm: SignatureAlgorithm
    ) async throws {
        let text = try await command.run(arguments).text
        let key = try Key(pem: text, algorithm: algorithm)
        #expect(key.canSign)
        try command.write(text.utf8, to: "key.pem")
        let published = try await command.run("pkey", "-in", "key.pem", "-pubout").text
        expectEqual(published, try key.pem())
        try expectEqual(Key(pem: published, algorithm: algorithm).thumbprint, key.thumbprint)
    }

    @Test
    func `A key as PEM of the openssl command is refused on other curves, of other kinds, weak or encrypted`()
        async throws
    {
        let made: [[String]] = [
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
            [
                "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt",
                "ec_param_enc:explicit",
            ],
            ["genpkey", "-algorithm", "X25519"], ["genpkey", "-algorithm", "ED448"], ["genrsa", "1024"],
            ["genpkey", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"],
            ["genpkey", "-algorithm", "ED25519", "-aes128", "-pass", "pass:secret"],
            ["genrsa", "-traditional", "-aes128", "-passout", "pass:secret", "2048"],
            ["genrsa", "-primes", "3", "2048"],
        ]
        for arguments in made {
            let text = try await command.run(arguments).text
            #expect(text.contains("PRIVATE KEY"), "\(arguments)")
            #expect("\(arguments)") { try Key(pem: text) } throws: { JOSEError.unsuitableKey ~= $0 }
        }
    }
}
