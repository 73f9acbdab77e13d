// SPDX-License-Identifier: Apache-2.0

import CMeasure
import LatchCore
import LatchCrypto
import LatchJOSE

/// Measures signatures beside `openssl speed`, interleaved on one core, and the whole check of a token.
@main
struct BenchCrypto {
    static let rounds = 5

    static func main() throws {
        if measure_stay_on_core() != 0 { print("note: the core could not be pinned; ratios scatter more") }
        var report = Report()
        try compareSignatures(into: &report)
        try measureTokens(into: &report)
        try measureRest(into: &report)
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }

    private static func compareSignatures(into report: inout Report) throws {
        report.section("signatures, operations per second of processor time", "openssl", "ours")
        let message = SecureRandom.bytes(300)
        let (ec, ed, rsa) = (
            try P256.Signing.PrivateKey(), try Curve25519.Signing.PrivateKey(), try RSA.Signing.PrivateKey()
        )
        let ecSignature = try ec.signature(for: message)
        let edSignature = try ed.signature(for: message)
        let rsaSignature = try rsa.signature(for: message)
        try report.compare(
            "ES256", Peer(algorithm: "ecdsap256"), verifyLimit: 0.8,
            sign: { try ec.signature(for: message).rawRepresentation.count == 64 },
            verify: { ec.publicKey.isValidSignature(ecSignature, for: message) })
        try report.compare(
            "RS256", Peer(algorithm: "rsa2048"), verifyLimit: 0.7,
            sign: { try rsa.signature(for: message).count == 256 },
            verify: { rsa.publicKey.isValidSignature(rsaSignature, for: message) })
        try report.compare(
            "EdDSA", Peer(algorithm: "ed25519"), verifyLimit: nil,
            sign: { try ed.signature(for: message).count == 64 },
            verify: { ed.publicKey.isValidSignature(edSignature, for: message) })
    }

    private static func measureTokens(into report: inout Report) throws {
        report.section(
            "a token verified whole: form, signature, times, issuer, audience, type, claims", "", "per second")
        for algorithm in [SignatureAlgorithm.es256, .rs256, .eddsa, .hs256] {
            let key = try Key.generate(algorithm)
            let verifier = JWTVerifier(
                keys: KeySet([key]), algorithms: [algorithm], issuer: "https://id.example", audience: "api",
                type: "at+jwt")
            let claims: Claims = [
                "iss": "https://id.example", "aud": "api", "sub": "66f0c0ffee", "iat": 1_700_000_000,
                "exp": 4_000_000_000, "jti": "Wm9lMTIzNDU2Nzg5MGFiYw", "roles": ["admin", "editor"],
                "scope": "projects:read projects:write", "emailVerified": true,
            ]
            let text = try JWT.sign(claims, with: key, type: "at+jwt")
            try report.note("\(algorithm), \(text.utf8.count) bytes") { try verifier.verify(text).subject != nil }
        }
    }

    private static func measureRest(into report: inout Report) throws {
        report.section("the rest", "", "per second")
        let message = SecureRandom.bytes(300)
        let key = SymmetricKey(size: .bits256)
        let prepared = HMAC<SHA256>(key: key)
        try report.note("SHA-256 of 300 bytes") { SHA256.hash(data: message).count == 32 }
        try report.note("HMAC-SHA-256 of 300 bytes, prepared key") {
            var code = prepared
            code.update(data: message)
            return code.finalize().count == 32
        }
        let box = try AES.GCM.seal(message, using: key)
        try report.note("AES-256-GCM opening 300 bytes") { try AES.GCM.open(box, using: key).count == 300 }
        let hash = try PasswordHash(parsing: PasswordHash.make("password"))
        try report.note("argon2id, 19 MiB and 2 passes") { try hash.verifies("password") }
    }
}
