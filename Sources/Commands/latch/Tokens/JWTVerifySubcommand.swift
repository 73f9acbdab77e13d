// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchJOSE

/// `latch jwt verify`: verifies a token.
enum JWTVerifySubcommand {
    private static let keys = Option.value(
        "keys", "FILE|URL", short: "k", "a JSON Web Key or a set of them: a file, - or a URL")
    private static let issuer = Option.value("issuer", "ISSUER", "the expected 'iss'")
    private static let audience = Option.value("audience", "AUDIENCE", "the expected 'aud', or one of several")
    private static let type = Option.value("type", "TYPE", "the expected 'typ', such as at+jwt")
    private static let algorithm = Option.values(
        "algorithm", "NAME", "an algorithm that is accepted (those of the keys)")
    private static let leeway = Option.value("leeway", "SECONDS", "the permitted difference of clocks (30)")
    private static let withoutExpiry = Option.flag("without-expiry", "accepts a token that never expires")

    static let subcommand = Subcommand(
        name: "verify", summary: "verifies a token's signature, times, issuer and audience",
        discussion: """
            The algorithm comes from the keys, never from the token (RFC 8725). A token that names an
            audience is refused unless '--audience' names it, too. Exit 0 only if all checks pass.
            """,
        options: [
            keys, issuer, audience, type, algorithm, leeway, withoutExpiry, IssuerTransport.authorities,
            JWTSubcommand.json,
        ],
        arguments: [TokenText.argument],
        examples: [
            "latch token | latch jwt verify --keys http://127.0.0.1:8080/.well-known/jwks.json --audience api":
                "the current access token, with the issuer's published keys",
            "latch jwt verify --keys public.json --issuer https://id.example.com < token.txt":
                "a token, with a key in a file",
        ],
        body: { invocation, environment in
            let verifier = try await verifier(invocation, environment)
            let text = try await TokenText.read(invocation, environment)
            let token: JWT
            do {
                token = try verifier.verifiedToken(text)
            } catch let error as JOSEError where error.code == JOSEError.wrongAudience.code {
                throw try wrongAudience(of: text, expected: invocation[audience])
            }
            let report = TokenReport(token: token, isVerified: true)
            environment.write(report.text, orJSON: report.json, for: invocation)
            return .success
        })

    /// Returns the error for a wrong audience, with the expected and the actual audience.
    private static func wrongAudience(of text: String, expected: String?) throws -> CommandError {
        let actual = try JWT(unverified: text).claims.members["aud"]
        let audiences = actual?.arrayValue?.compactMap(\.stringValue) ?? [actual?.stringValue].compactMap(\.self)
        let list = audiences.isEmpty ? "none" : audiences.map { "'\($0)'" }.joined(separator: ", ")
        guard let expected else {
            return .failed(
                "The token is for the audience \(list), and no audience is expected.",
                hint: "Name the audience that you verify for: --audience \(audiences.first ?? "NAME")")
        }
        return .failed(
            "The token is for another audience: expected '\(expected)', found \(list).",
            hint: "Request a token for this audience, or correct '--audience'.")
    }

    /// Creates the verifier from the options.
    private static func verifier(_ invocation: Invocation, _ environment: Environment) async throws -> JWTVerifier {
        guard let source = invocation[keys] else {
            throw CommandError.usage("'latch jwt verify' needs keys.", hint: "Write '--keys FILE' or '--keys URL'.")
        }
        guard source != "-" || invocation.argument(0).map({ $0 != "-" }) ?? false else {
            throw CommandError.usage(
                "Token and keys cannot both be standard input.", hint: "Put the keys into a file: '--keys FILE'.")
        }
        let known = try await KeyFile(invocation: invocation, environment: environment).keySet(source)
        let named = invocation.all(algorithm).map(SignatureAlgorithm.init)
        return JWTVerifier(
            keys: known, algorithms: named.isEmpty ? Array(Set(known.keys.map(\.algorithm))) : named,
            issuer: invocation[issuer], audience: invocation[audience], type: invocation[type],
            leeway: try invocation.seconds(leeway) ?? .seconds(30),
            requiresExpiry: !invocation.has(withoutExpiry))
    }
}
