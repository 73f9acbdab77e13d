// SPDX-License-Identifier: Apache-2.0

import CMeasure
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import Synchronization

/// The cost of authorizing one request, by scheme: a POST with 300 bytes of content and a query.
enum SigningCost {
    static func run() async throws {
        let request = HTTPRequest(
            method: .post, authority: "api.example.com", path: "/v1/notes?page=2&sort=date",
            fields: [.contentType: "application/json", .accept: "application/json"],
            body: HTTPBody([UInt8](repeating: 0x61, count: 300)))
        print("\nauthorising one request, processor time; no limit")
        let keys = (ed: try Key.generate(.eddsa, id: "k"), ec: try Key.generate(.es256, id: "k"))
        let schemes: [(String, any Credential, Int)] = try [
            ("bearer token", BearerToken("abcdef0123456789"), 100_000),
            ("API key in the query", APIKey("abcdef0123456789", inQuery: "api_key"), 50_000),
            ("HMAC (X-Signature)", HMACSignature(apiKey: "k", secret: "secret"), 20_000),
            (
                "AWS SigV4",
                SigV4Signature(accessKeyID: "AKID", secretAccessKey: "secret", region: "eu-central-1", service: "s3"),
                10_000
            ),
            ("RFC 9421, Ed25519", MessageSignature(keys.ed), 5_000),
            ("RFC 9421, ES256", MessageSignature(keys.ec), 5_000),
            ("DPoP, ES256", Tokens(access: "abcdef0123456789", tokenType: .dpop, key: .generate()), 5_000),
        ]
        for (name, credential, rounds) in schemes { try await measure(name, credential, request, rounds) }
        try await reportProofs(of: request)
    }

    /// A resource judges each proof once.
    private static func reportProofs(of request: HTTPRequest) async throws {
        let key = try DPoPKey.generate()
        let tokens = Tokens(access: "abcdef0123456789", tokenType: .dpop, key: key)
        let verifier = DPoPVerifier(memory: { _, _ in true })
        let proved = Mutex<[HTTPRequest]>([])
        for _ in 0..<6_000 {
            let one = try await authorized(request, by: tokens)
            proved.withLock { $0.append(one) }
        }
        try await report("DPoP, ES256, verified", 1_000) {
            guard let one = proved.withLock({ $0.popLast() }) else { return }
            _ = try verifier.verify(one, accessToken: tokens.access, boundTo: key.thumbprint)
        }
    }

    private static func authorized(_ request: HTTPRequest, by credential: any Credential) async throws -> HTTPRequest {
        var copy = request
        try await credential.authorize(&copy)
        return copy
    }

    private static func measure(
        _ name: String, _ credential: any Credential, _ request: HTTPRequest, _ rounds: Int
    ) async throws {
        try await report(name, rounds) { _ = try await authorized(request, by: credential) }
    }

    /// The median of five series, by the clock of this machine's processor time.
    private static func report(_ name: String, _ rounds: Int, _ body: () async throws -> Void) async throws {
        try await body()
        var times: [Double] = []
        let blocks = measure_allocations()
        for _ in 0..<5 {
            let began = processorSeconds()
            for _ in 0..<rounds { try await body() }
            times.append((processorSeconds() - began) * 1e6 / Double(rounds))
        }
        let allocations = Double(measure_allocations() - blocks) / Double(5 * rounds)
        let title = name.padding(toLength: 36, withPad: " ", startingAt: 0)
        print(String(format: "%@ %7.2f µs  %5.1f allocations", title, times.sorted()[2], allocations))
    }

    private static func processorSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
