// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE

/// `latch keys`: generates signing keys.
enum KeysSubcommand {
    /// The algorithms that a key can be generated for.
    private static let algorithms: [SignatureAlgorithm] = [
        .es256, .es384, .es512, .eddsa, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .hs256, .hs384, .hs512,
    ]
    private static let algorithm = Option.value(
        "algorithm", "NAME", short: "a", "ES256, ES384, ES512, EdDSA, RS…, PS… or HS… (ES256)")
    private static let id = Option.value("id", "ID", "the key's name (its thumbprint)")
    private static let output = Option.value(
        "output", "FILE", short: "o", "the file for the private key, readable only by its owner")
    private static let publicOutput = Option.value("public-output", "FILE", "the file for the public key")

    static let subcommand = Subcommand(
        name: "keys", summary: "generates signing keys",
        examples: ["latch keys generate --output key.json": "a new key for ES256"],
        subcommands: [generate])

    private static let generate = Subcommand(
        name: "generate", summary: "generates a key, as a JSON Web Key (RFC 7517)",
        discussion: """
            With '--output' the whole key is written to a new file that only its owner can read, and the
            public key to standard output; otherwise the whole key is written to standard output.
            """,
        options: [algorithm, id, output, publicOutput],
        examples: [
            "latch keys generate --output key.json > public.json": "a key for ES256, and its public key to publish",
            "latch keys generate --algorithm EdDSA --id 2026-11": "another algorithm, and a name",
        ],
        body: { invocation, environment in
            let key = try Key.generate(try algorithm(invocation), id: invocation[id])
            let whole = JSONValue.object(try key.jwkWithSecretsForStorage())
            // A shared secret has no public key: its JWK without secrets only names the key.
            let publicKey = JSONValue.object(key.jwk)
            if invocation.has(publicOutput), key.publicKey == nil { throw noPublicKey }
            if let path = invocation[output] { try OutputFile.create(path, Self.line(whole)) }
            if let path = invocation[publicOutput] { try OutputFile.create(path, Self.line(publicKey)) }
            environment.json(invocation[output] == nil ? whole : publicKey)
            return .success
        })

    private static func line(_ value: JSONValue) -> [UInt8] { value.serialized() + [UInt8(ascii: "\n")] }

    private static let noPublicKey = CommandError.usage(
        "A shared secret has no public key.", hint: "Leave '--public-output' out, or take ES256.")

    /// Returns the requested algorithm, ignoring letter case.
    private static func algorithm(_ invocation: Invocation) throws(CommandError) -> SignatureAlgorithm {
        guard let name = invocation[Self.algorithm] else { return .es256 }
        // Another name for EdDSA (RFC 9864 §2.2).
        if name.lowercased() == "ed25519" { return .eddsa }
        if let found = algorithms.first(where: { $0.rawValue.lowercased() == name.lowercased() }) { return found }
        return try Suggestion.value(named: name, among: algorithms, kind: "signature algorithm") { $0.rawValue }
    }
}

/// Keys from a file, standard input, or the URL at which an issuer publishes them.
struct KeyFile {
    /// The maximum size of a key set in bytes.
    private static let limit = 1 << 20

    let invocation: Invocation
    let environment: Environment

    /// Reads one signing key.
    ///
    /// - Throws: `CommandError.failed` if the file cannot be read, or `JOSEError.unsuitableKey`.
    func signingKey(_ path: String) async throws -> Key {
        let key = try Key(jwk: try await object(path))
        guard key.canSign else {
            throw CommandError.failed(
                "The key in '\(path)' only verifies.", hint: "Give the file that 'latch keys generate --output' wrote.")
        }
        return key
    }

    /// Reads verifying keys: one JSON Web Key, or a set of them.
    func keySet(_ source: String) async throws -> KeySet {
        let object = try await object(source)
        guard object["keys"] == nil else { return try KeySet(jwks: .object(object)) }
        return KeySet([try Key(jwk: object)])
    }

    /// Reads the JSON object at a path, at `-`, or at a URL.
    private func object(_ source: String) async throws -> JSONObject {
        let bytes = try await bytes(source)
        guard bytes.count <= Self.limit else { throw CommandError.failed("'\(source)' is too long for keys.") }
        let reason: String
        do {
            if let object = try JSONValue(parsing: bytes).objectValue { return object }
            reason = "it is not an object."
        } catch {
            // The text may be a secret, so the error names the position and not the content.
            reason = error.message
        }
        throw CommandError.failed(
            "'\(source)' is not a JSON Web Key: \(reason)", hint: "Give a JSON Web Key or a set of them (RFC 7517).")
    }

    private func bytes(_ source: String) async throws -> [UInt8] {
        if source == "-" { return try await environment.input.all(Self.limit) }
        guard source.hasPrefix("https://") || source.hasPrefix("http://") else { return try InputFile.bytes(source) }
        guard let url = URL(encodingOnce: source) else { throw CommandError.failed("'\(source)' is not a URL.") }
        let transport = try IssuerTransport.transport(of: invocation, environment.variables)
        return try await Client(baseURL: url, transport: transport).perform(.bytes(.get, ""))
    }
}
