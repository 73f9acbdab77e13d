// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchJOSE

/// `latch keys`: keys that sign.
enum KeysVerb {
    /// All that a key can be made for.
    private static let algorithms: [SignatureAlgorithm] = [
        .es256, .es384, .es512, .eddsa, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .hs256, .hs384, .hs512,
    ]
    private static let algorithm = Option.value(
        "algorithm", "NAME", letter: "a", "ES256, ES384, ES512, EdDSA, RS…, PS… or HS… (ES256)")
    private static let id = Option.value("id", "ID", "the key's name (its thumbprint)")
    private static let output = Option.value(
        "output", "FILE", letter: "o", "where the whole key goes, for its owner alone")
    private static let publicOutput = Option.value("public-output", "FILE", "where the public half goes")

    static let verb = Verb(
        name: "keys", summary: "makes keys that sign tokens",
        examples: [.init(command: "latch keys generate --output key.json", purpose: "a new key for ES256")],
        verbs: [generate])

    private static let generate = Verb(
        name: "generate", summary: "makes a key, as a JSON Web Key (RFC 7517)",
        discussion: """
            With '--output' the whole key goes into a new file that its owner alone may read, and the
            public half to standard output; otherwise the whole key goes to standard output.
            """,
        options: [algorithm, id, output, publicOutput],
        examples: [
            .init(
                command: "latch keys generate --output key.json > public.json",
                purpose: "a key for ES256, and its public half to hand out"),
            .init(
                command: "latch keys generate --algorithm EdDSA --id 2026-11", purpose: "another algorithm, and a name"),
        ],
        body: { invocation, shell in
            let key = try Key.generate(try chosen(invocation), id: invocation[id])
            let whole = JSONValue.object(try key.jwkWithSecretsForStorage())
            // A shared secret has no public half; what is left of it names the key and gives nothing away.
            let publicHalf = JSONValue.object(key.jwk)
            if invocation.has(publicOutput), key.publicKey == nil { throw noPublicHalf }
            if let path = invocation[output] { try OutputFile.create(path, Self.line(whole)) }
            if let path = invocation[publicOutput] { try OutputFile.create(path, Self.line(publicHalf)) }
            shell.json(invocation[output] == nil ? whole : publicHalf)
            return .success
        })

    private static func line(_ value: JSONValue) -> [UInt8] { value.serialized() + [UInt8(ascii: "\n")] }

    private static let noPublicHalf = CommandError.usage(
        "A shared secret has no public half.", hint: "Leave '--public-output' out, or take ES256.")

    /// The algorithm, however its letters are written: there are no two that differ by that.
    private static func chosen(_ invocation: Invocation) throws(CommandError) -> SignatureAlgorithm {
        guard let name = invocation[algorithm] else { return .es256 }
        let names = algorithms.map(\.rawValue)
        guard let found = algorithms.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
            let suggestion = Suggestion.sentence(for: name, among: names) { "'\($0)'" }
            throw .usage(
                "There is no algorithm '\(name)'.", hint: suggestion + "There are \(names.joined(separator: ", ")).")
        }
        return found
    }
}
