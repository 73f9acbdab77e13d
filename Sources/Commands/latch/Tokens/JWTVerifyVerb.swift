// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCommand
import LatchCore
import LatchJOSE

/// `latch jwt verify`: whether a token may be believed.
enum JWTVerifyVerb {
    private static let keys = Option.value(
        "keys", "FILE|URL", letter: "k", "a JSON Web Key or a set of them: a file, - or a URL")
    private static let issuer = Option.value("issuer", "ISSUER", "what 'iss' has to be")
    private static let audience = Option.value("audience", "AUDIENCE", "what 'aud' has to be or to hold")
    private static let type = Option.value("type", "TYPE", "what 'typ' has to be, such as at+jwt")
    private static let algorithm = Option.values(
        "algorithm", "NAME", "an algorithm that is accepted (those of the keys)")
    private static let leeway = Option.value("leeway", "SECONDS", "how far the clocks may differ (30)")
    private static let withoutExpiry = Option.flag("without-expiry", "accepts a token that never expires")

    static let verb = Verb(
        name: "verify", summary: "checks a token's signature, times, issuer and audience",
        discussion: """
            The algorithm comes from the keys, never from the token (RFC 8725). A token that names an
            audience is refused unless '--audience' says that it is meant for whoever asks. Exit 0 only
            if everything holds; what does not is said.
            """,
        options: [keys, issuer, audience, type, algorithm, leeway, withoutExpiry, JWTVerb.json],
        operands: [TokenText.operand],
        examples: [
            .init(
                command:
                    "latch token | latch jwt verify --keys http://127.0.0.1:8080/.well-known/jwks.json --audience api",
                purpose: "one's own access token, with the issuer's published keys"),
            .init(
                command: "latch jwt verify --keys public.json --issuer https://id.example.com < token.txt",
                purpose: "a token by a key in a file"),
        ],
        body: { invocation, shell in
            let verifier = try await verifier(invocation, shell)
            let token = try verifier.verifiedToken(try await TokenText.read(invocation, shell))
            JWTVerb.show(TokenReport(token: token, isVerified: true, now: Date()), invocation, shell)
            return .success
        })

    /// The verifier that the flags describe.
    private static func verifier(_ invocation: Invocation, _ shell: Shell) async throws -> JWTVerifier {
        guard let place = invocation[keys] else {
            throw CommandError.usage("'latch jwt verify' needs keys.", hint: "Write '--keys FILE' or '--keys URL'.")
        }
        guard place != "-" || invocation.operand(0).map({ $0 != "-" }) ?? false else {
            throw CommandError.usage(
                "Token and keys cannot both be standard input.", hint: "Put the keys into a file: '--keys FILE'.")
        }
        let known = try await KeyFile.keySet(place, shell)
        let named = invocation.all(algorithm).map(SignatureAlgorithm.init)
        return JWTVerifier(
            keys: known, algorithms: named.isEmpty ? Array(Set(known.keys.map(\.algorithm))) : named,
            issuer: invocation[issuer], audience: invocation[audience], type: invocation[type],
            leeway: try Seconds.read(invocation, leeway) ?? .seconds(30),
            requiresExpiry: !invocation.has(withoutExpiry))
    }
}
