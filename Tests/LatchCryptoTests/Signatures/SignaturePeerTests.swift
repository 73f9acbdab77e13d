// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

/// Signatures right, wrong and at every edge, judged by PyPI's cryptography (OpenSSL's own functions) and by this module.
@Suite(.enabled(Comment(rawValue: PythonPeers.hint)) { await PythonPeers.install() })
struct SignaturePeerTests {
    /// The keys of each curve, and signatures of each key whose halves are replaced by bounds of the order.
    private static let curves = """
        import json, os, random
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives import hashes, serialization
        random.seed(json.load(open(sys.argv[1])))
        P256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
        P384 = int("ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973", 16)
        P521 = int("1ff" + "f" * 63 + "a51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409", 16)
        kinds = [(ec.SECP256R1(), hashes.SHA256(), 32, P256), (ec.SECP384R1(), hashes.SHA384(), 48, P384),
                 (ec.SECP521R1(), hashes.SHA512(), 66, P521)]
        cases = []
        for curve, digest, size, order in kinds:
            for number in range(12):
                key = ec.generate_private_key(curve)
                point = key.public_key().public_bytes(
                    serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
                message = os.urandom(random.randrange(200))
                r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(digest)))
                edges = [0, 1, 2, order - 1, order, order + 1, order // 2, 2 ** (size * 8) - 1, random.randrange(order)]
                pairs = [(r, s), (r, order - s), (order - r, s), (s, r), (r + 1, s), (r, s + 1), (r, s ^ 2 ** 64)]
                pairs += [(r, edge) for edge in edges] + [(edge, s) for edge in edges] + [(edge, edge) for edge in edges]
                pairs += [(r + order, s), (r, s + order)]
                for one, other in pairs:
                    if max(one, other) >= 2 ** (size * 8): continue
                    try:
                        key.public_key().verify(utils.encode_dss_signature(one, other), message, ec.ECDSA(digest))
                        holds = True
                    except Exception: holds = False
                    raw = one.to_bytes(size, "big") + other.to_bytes(size, "big")
                    cases.append({"size": size, "point": point.hex(), "message": message.hex(), "raw": raw.hex(), "holds": holds})
        print(json.dumps(cases))
        """

    @Test func `Signatures are judged like another verifier's on every curve, at every edge`() async throws {
        let seed = Int64.random(in: 0..<1 << 32)
        let cases = try #require(try await PythonPeers.run(Self.curves, input: .integer(seed)).arrayValue)
        #expect(cases.count > 1_000)
        #expect(cases.count { $0["holds"] == true } >= 72, "each key has one signature and its mirror at least")
        for (number, one) in cases.enumerated() {
            let (point, message, raw) = (one.hex("point"), one.hex("message"), one.hex("raw"))
            let holds =
                switch one["size"]?.intValue {
                case 32:
                    try P256.Signing.PublicKey(x963Representation: point).isValidSignature(
                        .init(rawRepresentation: raw), for: message)
                case 48:
                    try P384.Signing.PublicKey(x963Representation: point).isValidSignature(
                        .init(rawRepresentation: raw), for: message)
                default:
                    try P521.Signing.PublicKey(x963Representation: point).isValidSignature(
                        .init(rawRepresentation: raw), for: message)
                }
            expectEqual(holds, one["holds"]?.boolValue, "case \(number) of seed \(seed)")
        }
    }

    /// RSA of several sizes, one of them no multiple of eight bits; salts of every length; bits flipped anywhere.
    private static let rsa = """
        import json, os, random
        from cryptography.hazmat.primitives.asymmetric import rsa, padding
        from cryptography.hazmat.primitives import hashes
        random.seed(json.load(open(sys.argv[1])))
        digests = [("sha256", hashes.SHA256()), ("sha384", hashes.SHA384()), ("sha512", hashes.SHA512())]
        cases = []
        def joined(p, q):
            d = pow(65537, -1, (p - 1) * (q - 1))
            public = rsa.RSAPublicNumbers(65537, p * q)
            return rsa.RSAPrivateNumbers(
                p, q, d, rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q), public).private_key()
        small, large = [rsa.generate_private_key(65537, bits) for bits in (2048, 2050)]
        odd = joined(large.private_numbers().p, small.private_numbers().q)
        assert odd.key_size == 2049
        for key in (small, odd, rsa.generate_private_key(65537, 3072)):
            numbers, length = key.public_key().public_numbers(), (key.key_size + 7) // 8
            for name, digest in digests:
                pss = lambda salt, mask=digest: padding.PSS(padding.MGF1(mask), salt)
                right, v15, message = pss(digest.digest_size), padding.PKCS1v15(), os.urandom(random.randrange(200))
                made = [("pss", key.sign(message, right, digest)), ("pkcs1v15", key.sign(message, v15, digest))]
                made += [("pss", key.sign(message, pss(salt), digest)) for salt in (0, 1, digest.digest_size - 1, digest.digest_size + 1)]
                made += [("pss", key.sign(message, pss(digest.digest_size, mask), digest)) for _, mask in digests if mask.name != digest.name]
                made += [("pkcs1v15", made[0][1]), ("pss", made[1][1])]
                for scheme, whole in list(made[:2]):
                    for _ in range(6):
                        bad = bytearray(whole)
                        bad[random.randrange(length)] ^= 1 << random.randrange(8)
                        made.append((scheme, bytes(bad)))
                    value = int.from_bytes(whole, "big")
                    made += [(scheme, edge.to_bytes(length, "big")) for edge in (0, 1, numbers.n - 1, numbers.n) ]
                    if value + numbers.n < 2 ** (8 * length): made.append((scheme, (value + numbers.n).to_bytes(length, "big")))
                    made += [(scheme, whole[1:]), (scheme, b"\\0" + whole)]
                for scheme, signature in made:
                    try:
                        key.public_key().verify(signature, message, right if scheme == "pss" else v15, digest)
                        # RFC 8017 8.1.2, step 1: OpenSSL takes a PSS signature whose first byte, a zero, is missing.
                        holds = len(signature) == length
                    except Exception: holds = False
                    cases.append({"n": "%0*x" % (length * 2, numbers.n), "hash": name, "scheme": scheme,
                                  "message": message.hex(), "signature": signature.hex(), "holds": holds})
        print(json.dumps(cases))
        """

    @Test func `RSA signatures are judged like another verifier's, with either padding`() async throws {
        let seed = Int64.random(in: 0..<1 << 32)
        let cases = try #require(try await PythonPeers.run(Self.rsa, input: .integer(seed)).arrayValue)
        #expect(cases.count > 300)
        var keys: [String: RSA.Signing.PublicKey] = [:]
        for (number, one) in cases.enumerated() {
            let modulus = try #require(one["n"]?.stringValue)
            let key = try keys[modulus] ?? RSA.Signing.PublicKey(modulus: one.hex("n"), exponent: [1, 0, 1])
            keys[modulus] = key
            let hash: RSA.Signing.Hash =
                one["hash"] == "sha256" ? .sha256 : one["hash"] == "sha384" ? .sha384 : .sha512
            let holds = key.isValidSignature(
                one.hex("signature"), for: one.hex("message"), padding: one["scheme"] == "pss" ? .pss : .pkcs1v15,
                hash: hash)
            expectEqual(holds, one["holds"]?.boolValue, "case \(number) of seed \(seed)")
        }
        expectEqual(cases.count { $0["holds"] == true }, 18)
    }
}
