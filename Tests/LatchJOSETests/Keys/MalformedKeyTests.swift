// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import TestVectors
import Testing

@Suite struct MalformedKeyTests {
    private func isRefused(_ jwk: JSONObject) -> Bool {
        do {
            _ = try Key(jwk: jwk)
            return false
        } catch {
            return JOSEError.unsuitableKey ~= error
        }
    }

    /// The values that no string member of a key may have.
    private static let noTexts: [JSONValue] = [.null, 0, 1.5, true, [], ["AQAB"], [:]]

    private func check(_ algorithm: SignatureAlgorithm, secret: Bool, members: [String]) throws {
        let key = try Key.generate(algorithm)
        let good = secret ? try key.jwkWithSecretsForStorage() : key.jwk
        #expect(!isRefused(good))
        for member in members {
            var jwk = good
            // A private key without d is a public one, and so no fault.
            if member != "d" {
                jwk[member] = nil
                #expect(isRefused(jwk), "without \(member)")
            }
            let text = try #require(good[member]?.stringValue)
            for bad in ["", "=", "\(text)=", "\(text) ", " \(text)", "\(text)A", "+/+/", "\(text).", "é", "A"] {
                jwk[member] = .string(bad)
                #expect(isRefused(jwk), "\(member) \(bad.utf8.count)")
            }
            // Null is as good as no member.
            for bad in Self.noTexts where member != "d" || !bad.isNull {
                jwk[member] = bad
                #expect(isRefused(jwk), "\(member) of another type")
            }
        }
    }

    @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512])
    func `A malformed key on a curve is refused for every fault of every member`(algorithm: SignatureAlgorithm) throws {
        try check(algorithm, secret: false, members: ["kty", "crv", "x", "y"])
        try check(algorithm, secret: true, members: ["kty", "crv", "x", "y", "d"])
    }

    @Test func `A malformed key of Ed25519 is refused for every fault of every member`() throws {
        try check(.eddsa, secret: false, members: ["kty", "crv", "x"])
        try check(.eddsa, secret: true, members: ["kty", "crv", "x", "d"])
    }

    @Test func `A malformed key of RSA is refused for every fault of every member`() throws {
        try check(.rs256, secret: false, members: ["kty", "n", "e"])
        try check(.ps384, secret: true, members: ["kty", "n", "e", "d", "p", "q", "dp", "dq", "qi"])
    }

    @Test
    func `A malformed key of a shared secret is refused for every fault of every member but a longer secret`() throws {
        let good = try Key.generate(.hs256).jwkWithSecretsForStorage()
        for name in ["kty", "k", "alg"] {
            var jwk = good
            jwk[name] = nil
            #expect(isRefused(jwk), "without \(name)")
            for bad in Self.noTexts + ["", "A", "=", "x y"] {
                jwk[name] = bad
                #expect(isRefused(jwk), "\(name)")
            }
        }
    }

    @Test func `A malformed key is refused if a coordinate is one byte shorter or longer than the curve's`() throws {
        for algorithm in [SignatureAlgorithm.es256, .es384, .es512, .eddsa] {
            let good = try Key.generate(algorithm).jwkWithSecretsForStorage()
            for name in ["x", "y", "d"] where good[name] != nil {
                let bytes = try Base64URL.decode(good[name]?.stringValue ?? "")
                for changed in [Array(bytes.dropLast()), Array(bytes.dropFirst()), [0] + bytes, bytes + [0], [], [0]] {
                    var jwk = good
                    jwk[name] = .string(Base64URL.encode(changed))
                    #expect(isRefused(jwk), "\(algorithm) \(name) of \(changed.count) bytes")
                }
            }
        }
    }

    // RFC 7517 §4.1: kty is compared by code points. Swift's String takes the Kelvin sign for the letter K.
    @Test func `A malformed key is refused if its kind only looks like a known one`() throws {
        let lookalike = "O\u{212A}P"
        expectEqual(lookalike, "OKP")
        for algorithm in [SignatureAlgorithm.eddsa, .es256, .hs256] {
            var jwk = try Key.generate(algorithm).jwkWithSecretsForStorage()
            for kind in [lookalike, "okp", "ec", "OCT", "ＥＣ", "EC\u{0}", "EC\u{301}", " EC"] {
                jwk["kty"] = .string(kind)
                #expect(isRefused(jwk), "\(algorithm) as \(kind)")
            }
        }
    }

    // RFC 7518 §6.2.1.2 gives coordinates full length, so a byte moved from x to y is no other spelling.
    @Test func `A malformed key is refused if x and y have the right length only together`() throws {
        let good = try Key.generate(.es256).jwk
        let x = try Base64URL.decode(good["x"]?.stringValue ?? "")
        let y = try Base64URL.decode(good["y"]?.stringValue ?? "")
        var jwk = good
        jwk["x"] = .string(Base64URL.encode(x + y.prefix(1)))
        jwk["y"] = .string(Base64URL.encode(y.dropFirst()))
        #expect(isRefused(jwk))
        jwk["x"] = .string(Base64URL.encode(x + y))
        jwk["y"] = ""
        #expect(isRefused(jwk))
    }

    @Test(
        arguments: [
            "enc", "SIG", "sig ", "verify", 1, ["sig"], [:],
        ] as [JSONValue])
    func `A malformed key is refused for every use but signatures`(use: JSONValue) throws {
        var jwk = try Key.generate(.eddsa).jwk
        jwk["use"] = use
        #expect(isRefused(jwk))
        for none: JSONValue? in [nil, .null, ""] {
            jwk["use"] = none
            #expect(!isRefused(jwk))
        }
    }

    @Test func `A malformed key is refused for operations that are not those of signatures`() throws {
        var jwk = try Key.generate(.eddsa).jwk
        for bad: JSONValue in [
            ["encrypt"], ["deriveKey", "wrapKey"], "verify", 1, [["verify"]], ["Verify"], [:],
        ] {
            jwk["key_ops"] = bad
            #expect(isRefused(jwk))
        }
        for good: JSONValue in [["verify"], ["sign", "verify"], [], .null] {
            jwk["key_ops"] = good
            #expect(!isRefused(jwk))
        }
    }

    @Test func `A key whose algorithm belongs to another kind of key is refused`() throws {
        let names = [
            "ES256", "ES384", "ES512", "EdDSA", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "HS256", "HS384",
            "HS512", "none", "ES256K", "RSA-OAEP", "es256", "Ed25519", "Ed448",
        ]
        let fitting: [(SignatureAlgorithm, Set<String>)] = [
            (.es256, ["ES256"]), (.es384, ["ES384"]), (.es512, ["ES512"]), (.eddsa, ["EdDSA", "Ed25519"]),
            (.rs256, ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]), (.hs512, ["HS256", "HS384", "HS512"]),
        ]
        for (algorithm, fits) in fitting {
            let key = try Key.generate(algorithm)
            var jwk = try key.jwkWithSecretsForStorage()
            for name in names {
                jwk["alg"] = .string(name)
                expectEqual(isRefused(jwk), !fits.contains(name), "\(algorithm) as \(name)")
            }
        }
    }

    @Test func `A malformed key is refused as a weak one, with a small or even number or an unfit exponent`() throws {
        let good = try Key.generate(.rs256).jwk
        let modulus = try Base64URL.decode(good["n"]?.stringValue ?? "")
        let bad: [(String, [UInt8])] = [
            ("n", modulus.suffix(128)), ("n", modulus.dropLast() + [0]),
            ("n", modulus + modulus + modulus + modulus + [1]),
            ("e", [0]), ("e", [1]), ("e", [2]), ("e", [1, 0, 0, 0, 1]), ("n", [0]), ("n", [1]),
        ]
        for (name, bytes) in bad {
            var jwk = good
            jwk[name] = .string(Base64URL.encode(bytes))
            #expect(isRefused(jwk), "\(name) of \(bytes.count) bytes")
        }
    }

    // H7: a key set comes from the network, and may hold a prime that takes minutes to check, such as 2^44497 - 1.
    @Test func `A malformed key is refused before its huge primes are tried`() throws {
        var jwk = try Key.generate(.rs256).jwkWithSecretsForStorage()
        let huge = Base64URL.encode([1] + [UInt8](repeating: 0xFF, count: 5_562))
        for name in ["p", "q", "d", "dp", "dq", "qi"] {
            let before = jwk[name]
            jwk[name] = .string(huge)
            #expect(isRefused(jwk), "\(name)")
            #expect(try KeySet(jwks: ["keys": [.object(jwk)]]).keys.isEmpty)
            jwk[name] = before
        }
        #expect(!isRefused(jwk))
    }

    @Test func `A malformed key names the fault in its error and none of its numbers`() throws {
        var jwk = try Key.generate(.es256).jwkWithSecretsForStorage()
        let secret = try #require(jwk["d"]?.stringValue)
        jwk["x"] = "CANARY"
        do {
            _ = try Key(jwk: jwk)
            Issue.record("it was taken")
        } catch {
            #expect(!"\(error)".contains(secret) && !"\(error)".contains("CANARY"))
            #expect(error.hint != nil)
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `A malformed key of random members is always refused`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let names = ["kty", "crv", "x", "y", "d", "n", "e", "k", "p", "q", "alg", "use", "kid", "key_ops"]
        let values: [JSONValue] = [
            "EC", "OKP", "RSA", "oct", "P-256", "P-521", "Ed25519", "AQAB", "", "sig", "ES256", "HS256", "none", .null,
            1,
            [], [:], ["verify"], .string(String(repeating: "A", count: 43)), .string(String(repeating: "_", count: 86)),
        ]
        for _ in 0..<500 {
            var jwk = JSONObject()
            for _ in 0..<Int.random(in: 0..<10, using: &numbers) {
                jwk[names.randomElement(using: &numbers) ?? ""] = values.randomElement(using: &numbers)
            }
            do {
                let key = try Key(jwk: jwk)
                // What is taken is whole: it can be written and read again as the same key.
                try expectEqual(
                    Key(jwk: key.canSign ? key.jwkWithSecretsForStorage() : key.jwk).thumbprint, key.thumbprint)
            } catch {
                #expect(JOSEError.unsuitableKey ~= error, "seed \(seed)")
            }
        }
    }
}
