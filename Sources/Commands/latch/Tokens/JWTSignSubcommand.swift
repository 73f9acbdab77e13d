// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchJOSE

/// `latch jwt sign`: signs a token for tests or for use on the same machine.
enum JWTSignSubcommand {
    private static let key = Option.value("key", "FILE", short: "k", "the JSON Web Key that signs")
    private static let claims = Option.value(
        "claims", "FILE", "a JSON object of claims: a file, or - for standard input")
    private static let claim = Option.values("claim", "NAME=VALUE", "a claim; VALUE is JSON, or else text")
    private static let issuer = Option.value("issuer", "ISSUER", "the claim 'iss'")
    private static let subject = Option.value("subject", "SUBJECT", "the claim 'sub'")
    private static let audience = Option.value("audience", "AUDIENCE", "the claim 'aud'")
    private static let lifetime = Option.value("lifetime", "SECONDS", "the lifetime from now on (3600)")
    private static let type = Option.value("type", "TYPE", "the header 'typ' (JWT)")

    static let subcommand = Subcommand(
        name: "sign", summary: "signs claims and prints the token",
        discussion: """
            Options override the file. 'iat' and 'exp' are set from the clock and '--lifetime' where the
            claims lack them. The key comes from a file, never from the command line.
            """,
        options: [key, claims, claim, issuer, subject, audience, lifetime, type],
        examples: [
            "latch jwt sign --key key.json --subject ada --audience api --lifetime 300": "a token for five minutes",
            "latch jwt sign --key key.json --claim admin=true --claims - < claims.json":
                "claims from a pipe, and one more",
        ],
        body: { invocation, environment in
            guard let path = invocation[key] else {
                throw CommandError.usage(
                    "'latch jwt sign' needs a key.", hint: "Write '--key FILE'; 'latch keys generate' creates one.")
            }
            guard path != "-" || invocation[claims] != "-" else {
                throw CommandError.usage(
                    "Key and claims cannot both be standard input.", hint: "Put the key into a file: '--key FILE'.")
            }
            let signed = try await assemble(invocation, environment)
            let signer = try await KeyFile(invocation: invocation, environment: environment).signingKey(path)
            environment.output.line(try JWT.sign(signed, with: signer, type: invocation[type] ?? "JWT"))
            return .success
        })

    /// Returns the claims of the file, the options and the clock, in this order.
    private static func assemble(_ invocation: Invocation, _ environment: Environment) async throws -> Claims {
        var assembled = Claims(try await members(invocation[claims], environment))
        for text in invocation.all(claim) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandError.usage(
                    "'--claim \(text)' has no name and value.", hint: "Write '--claim NAME=VALUE'.")
            }
            assembled[parts[0]] = value(parts[1])
        }
        for (option, name) in [(issuer, "iss"), (subject, "sub"), (audience, "aud")] {
            if let text = invocation[option] { assembled[name] = .string(text) }
        }
        let now = Int64(Date().timeIntervalSince1970)
        if assembled["iat"] == nil { assembled["iat"] = .integer(now) }
        let life = try invocation.seconds(lifetime)
        if life != nil || assembled["exp"] == nil {
            assembled["exp"] = .integer(now + (life ?? .seconds(3600)).components.seconds)
        }
        return assembled
    }

    /// Parses a value as JSON; other text is a string, so that a word needs no second pair of quotation marks.
    private static func value(_ text: String) -> JSONValue {
        do { return try JSONValue(parsing: text) } catch { return .string(text) }
    }

    private static func members(_ source: String?, _ environment: Environment) async throws -> JSONObject {
        guard let source else { return [:] }
        let bytes = source == "-" ? try await environment.input.all(1 << 20) : try InputFile.bytes(source)
        guard let object = try JSONValue(parsing: bytes).objectValue else {
            throw CommandError.failed("The claims are not a JSON object.", hint: "Write them as {\"sub\": \"ada\"}.")
        }
        return object
    }
}
