// SPDX-License-Identifier: Apache-2.0

import CMeasure
import LatchCore
import LatchCrypto
import LatchFoundation
import LatchJOSE

/// Measures signatures and whole tokens beside `openssl speed`, interleaved on one core, and what claims cost.
@main
struct BenchCrypto {
    static let rounds = 5

    static func main() throws {
        if measure_stay_on_core() != 0 { print("note: the core could not be pinned; ratios scatter more") }
        var report = Report()
        try compareTokens(into: &report)
        try measureClaims(into: &report)
        try measureRest(into: &report)
        report.finish(isChecking: CommandLine.arguments.contains("--check"))
    }

    /// What a backend's access token really says.
    private static let claims: Claims = [
        "iss": "https://id.example", "aud": "api", "sub": "66f0c0ffee", "iat": 1_700_000_000,
        "exp": 4_000_000_000, "jti": "Wm9lMTIzNDU2Nzg5MGFiYw", "roles": ["admin", "editor"],
        "scope": "projects:read projects:write", "emailVerified": true,
    ]

    private static func compareTokens(into report: inout Report) throws {
        report.section(
            "operations per second of processor time; a token is form, signature, type, times, issuer, audience, claims",
            "openssl", "ours")
        try compare("ES256", .es256, Peer.signatures("ecdsap256"), limit: 0.8, into: &report)
        try compare("EdDSA", .eddsa, Peer.signatures("ed25519"), limit: 0.8, into: &report)
        try compare("RS256", .rs256, Peer.signatures("rsa2048"), limit: 0.6, into: &report)
        // OpenSSL's speed knows no PSS; the power is the same, and the padding costs two digests more.
        try compare("PS256", .ps256, Peer.signatures("rsa2048"), limit: 0.6, into: &report)
        // 150,000 a second where OpenSSL verifies 15,400 of ES256 is this part of what it makes of codes there.
        try compare("HS256", .hs256, Peer.codes(bytes: 365), limit: 0.075, into: &report)
    }

    private static func compare(
        _ name: String, _ algorithm: SignatureAlgorithm, _ peer: Peer, limit: Double, into report: inout Report
    ) throws {
        let key = try Key.generate(algorithm)
        let verifier = JWTVerifier(
            keys: KeySet([key.publicKey ?? key]), algorithms: [algorithm], issuer: "https://id.example",
            audience: "api", type: "at+jwt")
        let text = try JWT.sign(claims, with: key, type: "at+jwt")
        let signed = Array(text.utf8.prefix(text.utf8.count - (text.split(separator: ".").last?.utf8.count ?? 0) - 1))
        let signature = try key.signature(for: signed)
        try report.compare(
            name, peer, limit: limit,
            Contest(
                sign: { try !key.signature(for: signed).isEmpty },
                verify: { key.isValidSignature(signature, for: signed) },
                token: { try verifier.verify(text).subject != nil }))
    }

    /// Reads claims of a token that was verified before.
    private static func measureClaims(into report: inout Report) throws {
        report.section("a claim read, nanoseconds of processor time", "limit", "ours")
        let key = try Key.generate(.hs256)
        let verifier = JWTVerifier(
            keys: KeySet([key]), algorithms: [.hs256], issuer: "https://id.example", audience: "api")
        let read = try verifier.verify(JWT.sign(claims, with: key))
        try report.nanoseconds("a string, the third claim", limit: 100) { read.subject?.utf8.count == 10 }
        try report.nanoseconds("a date, the fifth", limit: 100) { read.expiry != nil }
        try report.nanoseconds("a string, the eighth", limit: 100) { read.string("scope") != nil }
        try report.nanoseconds("a boolean, the last", limit: 100) { read.bool("emailVerified") == true }
        try report.nanoseconds("one that is not there", limit: 100) { read["tenant"] == nil }
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
