// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// `latch serve`: the auth server.
enum ServeVerb {
    /// On loopback unless somebody says otherwise: a server that is tried out is not open to the network.
    static let listen = Option.value(
        "listen", "HOST:PORT", "where to listen; port 0 takes any free one (127.0.0.1:8080)")
    static let store = Option.value("store", "STORE", "where accounts are kept: sqlite:PATH (sqlite:latch.sqlite)")
    /// Its path may come from LATCH_CONFIG as well, for a service whose command line is fixed.
    static let config = Option.value("config", "FILE", letter: "c", "a TOML or JSON file with settings")
    /// The one setting of the auth server itself with a flag, for it belongs to the address; the others live in the file.
    static let issuer = Option.value("issuer", "URL", "the server's public URL (the address it listens on)")
    /// Reads everything as a start would, and starts nothing.
    static let printConfig = Option.flag(
        "print-config", "shows all settings with their sources, secrets redacted, and ends")
    static let json = Option.flag("json", "with --print-config: for a script")

    static let verb = Verb(
        name: "serve", summary: "runs the auth server until SIGTERM",
        discussion: """
            Once it accepts connections, it prints one line on standard output:
              latch: serving http://127.0.0.1:8080
            SIGTERM and SIGINT let requests in flight finish, then it exits 0; a second one ends
            it at once, with 143 or 130. SIGHUP reads the configuration again.

            Every setting has a key in the file and a name in the environment, LATCH_ and the key in
            capitals. A flag wins over the environment, and that over the file. Secrets belong in
            either of those two, never on the command line.
            """,
        options: [listen, store, config, issuer, printConfig, json],
        examples: [
            .init(
                command: "latch serve --listen 127.0.0.1:8080 --store sqlite:latch.sqlite",
                purpose: "serve on this machine, keeping accounts in a file"),
            .init(
                command: "LATCH_ACCESS_TOKEN_LIFETIME=60 latch serve --config latch.toml --print-config",
                purpose: "see which settings are in effect, and why"),
        ],
        body: run)

    /// Prints the settings, or serves; `--json` alone is refused, since a server has nothing to say in JSON.
    private static let run: Verb.Body = { invocation, shell in
        let source = SettingsSource(invocation, environment: shell.environment)
        if invocation.has(json), !invocation.has(printConfig) {
            throw CommandError.usage("'--json' belongs to '--print-config'.", hint: "Leave it out, or give both.")
        }
        guard invocation.has(printConfig) else { return try await ServeRun(source, shell).run() }
        let settings = try source.read()
        if invocation.has(json) { shell.json(settings.json) } else { shell.output.write(settings.toml) }
        return .success
    }
}
