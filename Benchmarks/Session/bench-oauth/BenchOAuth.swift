// SPDX-License-Identifier: Apache-2.0

import CMeasure
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth

/// The costs of a sign-in at an authorization server, which runs in a process of its own: from the redirect to the tokens, a
/// token request beside a plain one, and an ID token beside its signature.
@main
enum BenchOAuth {
    static func main() async throws {
        if CommandLine.arguments.contains("--serve") { return try await Provider.serve() }
        let provider = try RunningProvider()
        defer { provider.end() }
        var missed = 0
        missed += try await signIns(provider, rounds: 300)
        missed += try await tokenRequests(provider, rounds: 2_000)
        missed += try await idTokens(rounds: 2_000)
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, CommandLine.arguments.contains("--check") {
            provider.end()
            exit(1)
        }
    }

    /// From the response at the redirect URI to tokens with a verified ID token; discovery and keys once for all of them.
    private static func signIns(_ provider: RunningProvider, rounds: Int) async throws -> Int {
        var configuration = OAuthConfiguration(issuer: provider.issuer, clientID: "notes")
        configuration.redirectURI = URL(string: "http://127.0.0.1/callback")
        let client = AuthorizationClient(configuration)
        var (whole, processor) = ([Double](), [Double]())
        for _ in 0..<rounds {
            let attempt = try await client.begin()
            guard let callback = Provider.callback(of: attempt.url) else { throw Failure("no callback") }
            let (began, used) = (ContinuousClock.now, measure_processor_seconds())
            _ = try await client.finish(callback)
            whole.append((ContinuousClock.now - began).inSeconds * 1e6)
            processor.append((measure_processor_seconds() - used) * 1e6)
        }
        let counts = try await provider.counts()
        let theirs = counts.tokenMicroseconds
        print("from the redirect to the tokens, medians of \(rounds)")
        print(String(format: "  all of it                     %8.0f µs", median(whole)))
        print(String(format: "  the server's own part         %8.0f µs", theirs))
        print(String(format: "  this process, processor time  %8.0f µs", median(processor)))
        let isOnce = counts.discovery == 1 && counts.keys == 1
        print("  discovery and keys fetched \(counts.discovery) and \(counts.keys) times  \(isOnce ? "PASS" : "FAIL")")
        return isOnce ? 0 : 1
    }

    /// The processor time of a token request and of a plain POST with a form of the same size, over the same transport.
    private static func tokenRequests(_ provider: RunningProvider, rounds: Int) async throws -> Int {
        let server = AuthorizationServer(
            issuer: provider.issuer, tokenEndpoint: provider.issuer.appending(path: "plain"))
        let endpoint = TokenEndpoint(server: server, registration: ClientRegistration(clientID: "notes"))
        let client = Client(baseURL: provider.issuer)
        let grant = PasswordGrant(username: "ada", password: "a horse walks into a library")
        let form = FormEncoding.encode([("grant_type", grant.type)] + grant.parameters + [("client_id", "notes")])
        let fields: HTTPFields = [.contentType: FormEncoding.mediaType, .accept: "application/json"]
        func plain() async throws {
            let request = try client.request(.post, "plain", fields: fields, body: HTTPBody(form))
            guard try await client.respond(to: request).status == .ok else { throw Failure("no response") }
        }
        func token() async throws { _ = try await endpoint.tokens(for: grant) }
        // In turns, since the machine's speed changes.
        var (plains, tokens) = ([Double](), [Double]())
        for _ in 0..<9 {
            plains.append(try await cost(rounds / 9, plain))
            tokens.append(try await cost(rounds / 9, token))
        }
        let ratio = median(tokens) / median(plains)
        print("a token request, processor time")
        print(String(format: "  a plain request               %8.1f µs", median(plains)))
        print(String(format: "  a token request               %8.1f µs", median(tokens)))
        return report("token request : plain request", ratio, limit: 2)
    }

    /// The processor time of the verification of an ID token and of its signature alone.
    private static func idTokens(rounds: Int) async throws -> Int {
        var missed = 0
        for algorithm in [SignatureAlgorithm.es256, .rs256] {
            let key = try Key.generate(algorithm)
            let issuer = "https://id.example.com"
            let client = AuthorizationClient(
                OAuthConfiguration(issuer: URL(string: issuer) ?? URL(filePath: "/"), clientID: "notes"),
                transport: ClosureHandler { Provider.respond(to: $0, issuer: issuer, key: key) })
            let token = try Provider.idToken(issuer: issuer, nonce: "nonce", access: "access", key: key)
            let cut = token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.endIndex
            let (data, signature) = (Array(token.utf8[..<cut]), try Base64URL.decode(String(token[cut...].dropFirst())))
            let expectations = IDTokenExpectations(nonce: "nonce", accessToken: "access")
            func whole() async throws { _ = try await client.verifiedToken(token, expectations) }
            func bare() async throws {
                guard key.isValidSignature(signature, for: data) else { throw Failure("a bad signature") }
            }
            try await whole()
            var (wholes, bares) = ([Double](), [Double]())
            for _ in 0..<9 {
                bares.append(try await cost(rounds / 9, bare))
                wholes.append(try await cost(rounds / 9, whole))
            }
            print("an ID token with \(algorithm.rawValue), processor time")
            print(String(format: "  its signature                 %8.1f µs", median(bares)))
            print(String(format: "  all of it                     %8.1f µs", median(wholes)))
            // A signature of RSA is verified in a quarter of the time: what is left of a token then counts for more.
            missed += report(
                "ID token : signature, \(algorithm.rawValue)", median(wholes) / median(bares),
                limit: algorithm == .es256 ? 1.3 : 2)
        }
        return missed
    }

    private static func cost(_ rounds: Int, _ body: () async throws -> Void) async throws -> Double {
        let began = measure_processor_seconds()
        for _ in 0..<rounds { try await body() }
        return (measure_processor_seconds() - began) * 1e6 / Double(rounds)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func report(_ name: String, _ ratio: Double, limit: Double) -> Int {
        let title = ("  " + name).padding(toLength: 32, withPad: " ", startingAt: 0)
        print(String(format: "%@%8.2f  limit ≤ %.1f  %@", title, ratio, limit, ratio <= limit ? "PASS" : "FAIL"))
        return ratio <= limit ? 0 : 1
    }
}

/// A failure of the benchmark itself.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
