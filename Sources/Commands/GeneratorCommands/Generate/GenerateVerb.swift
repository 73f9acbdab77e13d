// SPDX-License-Identifier: Apache-2.0

package import LatchCommand

/// `generate`: .proto files become clients, messages, tests and guides.
package enum GenerateVerb {
    static let protoPath = Option.values("proto-path", "PATH", letter: "p", "a .proto file, or a folder of them")
    static let include = Option.values("include", "DIR", letter: "I", "a folder that imports begin at")
    static let outputPath = Option.value("output-path", "DIR", letter: "o", "where the files belong")
    static let languages = Option.value("languages", "LIST", letter: "l", "what to generate (swift)")
    static let services = Option.value("services", "LIST", letter: "s", "these services alone, with what they need")
    static let config = Option.value("config", "FILE", "settings (latchwork.toml, where there is one)")
    static let layout = Option.value("layout", "LAYOUT", "project, or perFile: one beside each .proto file (project)")
    static let visibility = Option.value("visibility", "WORD", "public, package or internal (public)")
    static let naming = Option.value(
        "naming", "NAMING", "with --layout perFile: fullPath, pathToUnderscores or dropPath (fullPath)")
    static let clientSuffix = Option.value("client-suffix", "NAME", "what names of clients end with (Client)")
    static let packageName = Option.value("package-name", "NAME", "the module that the files will belong to")
    static let prefixPackages = Option.flag(
        "prefix-packages", "lets names of types begin with their package's")
    static let frameworkVersion = Option.value(
        "swift-framework-version", "VERSION", "the Latchwork that the files are for")
    static let tests = Option.flag("generate-tests", "generates tests, whatever the settings say")
    static let noTests = Option.flag("no-tests", "generates no tests")
    static let noClients = Option.flag("no-clients", "generates contracts alone: messages and services")
    static let noDocumentation = Option.flag("no-documentation", "generates no guides")
    static let force = Option.flag("force-overwrite", "overwrites files that are not ours, or were edited")
    static let validate = Option.flag("validate", "has the Swift compiler judge what was written")
    static let skipCompilation = Option.flag("skip-compilation", "with --validate: judges syntax alone")
    static let modulePath = Option.values("module-path", "DIR", "with --validate: where LatchRPC.swiftmodule is")
    static let dryRun = Option.flag("dry-run", "says what would be written, and writes nothing")
    static let diff = Option.flag("diff", "shows how files would change, and writes nothing")
    static let check = Option.flag("check", "exit 1 where files would change, and writes nothing")
    static let watch = Option.flag("watch", "generates again whenever a .proto file changes, until SIGTERM")
    static let allErrors = Option.flag("all-errors", "tells all errors, and not the first 20 of each file")
    static let verbose = Option.flag("verbose", "names each file, and each step")
    static let json = Option.flag("json", "one JSON object with all that was done")
    static let logLevel = Option.value(
        "log-level", "LEVEL", "error, warn, info, debug or trace: how much is told on standard error (info)")

    /// The verb, as the program of that name has it.
    package static func verb(of program: String) -> Verb {
        Verb(
            name: "generate", summary: "generates Swift clients from .proto files",
            discussion: """
                Files that are generated no more are removed, unless somebody edited them; files that are not
                ours are never touched. Either all files change or none. What was written is noted in
                .latchwork.json.

                Settings may stand in latchwork.toml under [generate] (proto_path, include, output_path,
                languages, services, layout, visibility, naming, client_suffix, package_name, prefix_packages,
                generate_contracts, generate_clients, generate_tests, include_documentation, force_overwrite,
                validate, skip_compilation), and in the environment as AXIOM_CLIENT_SUFFIX and so on. A flag
                wins over both.
                """,
            options: [
                protoPath, include, outputPath, languages, services, config, layout, visibility, naming, clientSuffix,
                packageName, prefixPackages, frameworkVersion, tests, noTests, noClients, noDocumentation, force,
                validate,
                skipCompilation, modulePath, dryRun, diff, check, watch, verbose, allErrors, json, logLevel,
            ],
            later: [
                "kotlin-framework-version": "Swift is generated; for Kotlin there is no generator yet.",
                "kotlin": "Swift is generated; for Kotlin there is no generator yet.",
            ],
            joinsLetters: true,
            examples: [
                .init(
                    command: "\(program) generate --proto-path user.proto --output-path out --validate",
                    purpose: "clients of one service, judged by the Swift compiler"),
                .init(
                    command: "\(program) generate -p protos -o generated --check",
                    purpose: "in CI: fail where somebody forgot to generate"),
            ],
            body: { invocation, shell in try await GenerateRun(invocation, shell).run() })
    }
}
