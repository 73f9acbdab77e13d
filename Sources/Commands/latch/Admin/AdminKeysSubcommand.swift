// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchJOSE

/// `latch admin keys`: the signing keys in a store, or of a server.
enum AdminKeysSubcommand {
    static let subcommand = Subcommand(
        name: "keys", summary: "signing keys: list, rotate, reseal, accept-pepper",
        discussion: """
            Works on the store itself; 'list' and 'rotate' also on a running server, with --url. Running servers
            take up a change of their store within \(seconds) seconds.
            """,
        examples: ["latch admin keys list": "the keys of the store in this folder"],
        subcommands: [list, rotate, reseal, acceptPepper])

    private static let seconds = SigningKeyService.refreshInterval.components.seconds

    private static let pem = Option.flag("pem", "the public keys in PEM, the one that signs first")

    private static let list = AdminCall.subcommand(
        "list", "shows the signing keys, the latest first",
        discussion: """
            With --pem it writes the public keys, for proxies and libraries that verify tokens and read no
            key set. Keys are replaced: write the file anew each day, and load it again.
            """,
        options: [pem], arguments: [],
        examples: [
            "latch admin keys list --store sqlite:latch.sqlite": "which keys sign, and which will",
            "latch admin keys list --pem > keys.pem": "the public keys, for a proxy",
        ], routes: AdminCall.server
    ) { invocation in
        let isPEM = invocation.has(pem)
        return { server in
            let keys = try await keys(server)
            if isPEM {
                // Some programs read only the first key: the one that signs access tokens.
                let isFirst = { (key: JSONObject) in key["signs_access_tokens"] == true }
                let texts = (keys.filter(isFirst) + keys.filter { !isFirst($0) }).compactMap { $0.string("public_key") }
                return (texts.joined(), ["keys": .array(texts.map { .string($0) })])
            }
            let rows = keys.map { key -> [ListText.Cell] in
                [
                    .init(key.string("id")), .init(key.string("alg")), .init(key.string("state")),
                    key.dateCell("signs_at", after: "signs from"), key.dateCell("ends_at", after: "verifies until"),
                ]
            }
            return (
                ListText(
                    headings: ["id", "algorithm", "state", "signs from", "verifies until"], whole: ["id"], rows: rows),
                ["keys": .array(keys.map { .object($0) })]
            )
        }
    }

    /// Returns the signing keys, the latest first.
    private static func keys(_ server: AdministeredServer) async throws -> [JSONObject] {
        try await server.call(.get, "api/admin/keys")["keys"]?.arrayValue?.compactMap(\.objectValue) ?? []
    }

    private static let compromised = Option.flag(
        "compromised", "the new keys sign immediately, and the others end with all access tokens")

    private static let rotate = AdminCall.confirmedSubcommand(
        "rotate", "adds a signing key of each algorithm, which signs after ten minutes",
        discussion: """
            A new key is published immediately, so that every cache has it before it signs. The one before
            verifies until its last token has expired. With --compromised nothing waits: access tokens so
            far end within \(seconds) seconds at this server and as soon as caches of the keys expire
            elsewhere, and clients refresh theirs.
            """,
        options: [compromised], arguments: [],
        examples: [
            "latch admin keys rotate --store sqlite:latch.sqlite": "replace the key without an interruption",
            "latch admin keys rotate --compromised": "after a theft of the store",
        ], routes: AdminCall.server
    ) { invocation, confirmation in
        let isCompromised = invocation.has(compromised)
        return { server in
            let keys = try await keys(server)
            if isCompromised {
                try await confirmation.agree(
                    to: "This ends all signing keys so far, and with them the access tokens of all users and clients. "
                        + "Sessions stay: clients refresh their tokens.")
            }
            var (lines, ids): ([String], JSONObject) = ([], [:])
            for algorithm in SignatureAlgorithm.ofSigningKeys.map(\.rawValue) {
                guard let newest = keys.first(where: { $0.string("alg") == algorithm })?["id"] else { continue }
                let content: JSONObject = ["after": newest, "compromised": .bool(isCompromised)]
                let made = try await server.call(.post, "api/admin/keys/rotate", content, orNilFor: "keyChanged")
                guard let id = made?.string("id") else {
                    throw CommandError.failed("Another rotation came first.", hint: "See 'latch admin keys list'.")
                }
                lines.append(
                    isCompromised ? "The key \(id) signs now." : "The key \(id) is published and signs in ten minutes.")
                ids[algorithm] = .string(id)
            }
            let main = keys.first { $0["signs_access_tokens"] == true }?.string("alg")
            return (
                lines.joined(separator: "\n").printable,
                [
                    "id": main.flatMap { ids[$0] } ?? .null, "ids": .object(ids), "compromised": .bool(isCompromised),
                ]
            )
        }
    }

    private static let newKeyFile = Option.value("new-key-file", "FILE", "the file with the new store key")

    private static let reseal = storeSubcommand(
        "reseal", "encrypts the keys in the store with a first or another store key",
        discussion: """
            Needs the present store key by its setting, if there is one. Set store_key_file to the new file
            afterwards and restart the servers: until then they continue with the keys that they have read.
            """,
        options: [newKeyFile],
        examples: ["latch admin keys reseal --new-key-file new.key": "change the store key"]
    ) { invocation in
        guard let path = invocation[newKeyFile] else {
            throw CommandError.usage(
                "'--new-key-file' is missing.", hint: "Make a key: openssl rand -hex 32 > new.key")
        }
        let key = try Settings.storeKey(inFile: path)
        return { identity in
            try await identity.signingKeys.reseal(with: key)
            return ("The keys are encrypted with the new store key.", ["resealed": true])
        }
    }

    private static let acceptPepper = terminalSubcommand(
        "accept-pepper", "makes the token_pepper of the settings that of the store",
        discussion: """
            After a theft of the pepper: stop the servers, set another token_pepper for all of them, and run
            this with it. All users are signed out, links and codes in emails end, and second factors have to
            be set up again; recovery codes stay valid.
            """,
        options: [ConfirmationPrompt.yes],
        examples: ["latch admin keys accept-pepper --config latch.toml": "after 'token_pepper' was replaced in it"],
        confirm: { confirmation, settings in
            let store = StoreLocation.redacted(settings.configuration.store.text)
            try await confirmation.typing(
                store, to: "accept it",
                after: "This uses the store \(store) with another pepper. All users are signed out, links and codes in "
                    + "emails end, and all second factors are removed. It cannot be undone.")
        },
        configure: { configuration throws in
            guard configuration.tokenPepper?.isEmpty == false else {
                throw CommandError.failed(
                    "token_pepper is not set.",
                    hint:
                        "Give the command the settings and secrets of the servers, as in: CREDENTIALS_DIRECTORY=/etc/latch"
                )
            }
            configuration.acceptsAnotherPepper = true
        }
    ) { _, _ in
        { _ in ("The store is used with the pepper of the settings.", ["accepted": true]) }
    }

    /// Creates a subcommand that uses a store.
    ///
    /// - Parameter body: Parses the call before the store is opened, and returns the function that uses it.
    static func storeSubcommand(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument] = [], examples: KeyValuePairs<String, String>,
        body: @escaping @Sendable (Invocation) throws -> (Identity) async throws -> AdminCall.Output
    ) -> Subcommand {
        terminalSubcommand(
            name, summary, discussion: discussion, options: options, arguments: arguments, examples: examples
        ) { invocation, _ in try body(invocation) }
    }

    /// Creates a subcommand that uses a store, and whose result depends on the terminal.
    ///
    /// - Parameters:
    ///   - confirm: Asks before the store is opened.
    ///   - configure: Changes the settings with which the store is opened.
    static func terminalSubcommand(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument] = [], examples: KeyValuePairs<String, String>,
        confirm: @escaping @Sendable (ConfirmationPrompt, Settings) async throws -> Void = { _, _ in },
        configure: @escaping @Sendable (inout IdentityConfiguration) throws -> Void = { _ in },
        body: @escaping @Sendable (Invocation, Environment) throws -> (Identity) async throws -> AdminCall.Output
    ) -> Subcommand {
        Subcommand(
            name: name, summary: summary, discussion: discussion,
            options: options + [
                ServeSubcommand.store, ServeSubcommand.config, .json("one JSON object, for a script"),
            ],
            arguments: arguments, examples: examples,
            body: { invocation, environment in
                let run = try body(invocation, environment)
                let settings = try SettingsLoader(invocation, variables: environment.variables).load(forPages: false)
                try await confirm(ConfirmationPrompt(invocation, environment), settings)
                let output = try await AdministeredStore.opening(
                    settings, environment, configure: configure, run)
                environment.write(output, for: invocation)
                return .success
            })
    }
}
