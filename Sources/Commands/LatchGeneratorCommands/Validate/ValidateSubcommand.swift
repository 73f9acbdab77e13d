// SPDX-License-Identifier: Apache-2.0

package import LatchCommand
import LatchCore
import LatchGenerator
import LatchProtoCompiler

/// `validate`: checks .proto files and generated Swift with their compilers.
package enum ValidateSubcommand {
    static let path = Option.values("path", "PATH", short: "p", "a file, or a folder of .proto and .swift files")
    static let detailed = Option.flag("detailed", "shows all findings, and not only the first ones")
    static let compileCheck = Option.flag("compile-check", "fails if types cannot be checked")
    static let categorize = Option.flag("categorize", "groups the findings by category")

    package static func subcommand(of program: String) -> Subcommand {
        Subcommand(
            name: "validate", summary: "checks .proto files and generated Swift",
            discussion: """
                .proto files are compiled with their imports. Swift files are type-checked together as
                one module if the module LatchRPC is next to this program or in --module-path; else only
                their syntax is checked, with a note. Exits with 1 if there are errors.
                """,
            options: [
                path, GenerateSubcommand.include, detailed, GenerateSubcommand.allErrors, compileCheck, categorize,
                GenerateSubcommand.skipCompilation, GenerateSubcommand.modulePath, GenerateSubcommand.json,
            ],
            combinesShortNames: true,
            examples: [
                "\(program) validate --path protos": "check .proto files",
                "\(program) validate --path generated --compile-check --categorize":
                    "check that generated Swift compiles",
            ],
            body: { invocation, shell in try await ValidateRun(invocation, shell).run() })
    }
}

/// A call of `validate`.
struct ValidateRun {
    private let invocation: Invocation
    private let shell: Environment

    init(_ invocation: Invocation, _ shell: Environment) {
        self.invocation = invocation
        self.shell = shell
    }

    /// Checks all files at the paths.
    func run() async throws -> ExitCode {
        let paths = invocation.all(ValidateSubcommand.path)
        guard !paths.isEmpty else {
            throw CommandError.usage("'validate' needs a path.", hint: "Give --path PATH.")
        }
        var (protos, sources, tests) = ([String](), [String](), [String]())
        for path in paths {
            let found = try ValidatedFiles(path)
            if found.hasProtos { protos.append(path) }
            sources += found.sources
            tests += found.tests
        }
        guard !protos.isEmpty || !sources.isEmpty || !tests.isEmpty else {
            throw CommandError.failed(
                "There is no .proto and no .swift file in \(paths.joined(separator: ", ")).",
                hint: "Give a file, or a folder that contains some.")
        }
        let proto =
            protos.isEmpty ? nil : try ProtoValidation(protos, includes: invocation.all(GenerateSubcommand.include))
        let swift = sources.isEmpty && tests.isEmpty ? nil : try await check(sources, tests)
        let isValid = proto?.isValid != false && swift?.isValid != false
        show(proto, swift, isValid: isValid)
        return isValid ? .success : .failure
    }

    private func check(_ sources: [String], _ tests: [String]) async throws -> ProjectCheck.Report {
        let toolchain = SwiftToolchain.find(
            in: shell.variables, program: executablePath, modules: invocation.all(GenerateSubcommand.modulePath))
        let requirement: ProjectCheck.Requirement =
            invocation.has(GenerateSubcommand.skipCompilation)
            ? .syntax : invocation.has(ValidateSubcommand.compileCheck) ? .types : .typesWherePossible
        return try await ProjectCheck(toolchain, requirement: requirement).check(sources: sources, tests: tests)
    }

    private func show(_ proto: ProtoValidation?, _ swift: ProjectCheck.Report?, isValid: Bool) {
        if invocation.has(GenerateSubcommand.json) {
            var object: JSONObject = ["valid": .bool(isValid)]
            if let proto { object["proto"] = .object(proto.json) }
            if let swift { object["swift"] = swift.json }
            return shell.json(.object(object))
        }
        if let proto {
            let isWhole = invocation.has(GenerateSubcommand.allErrors) || invocation.has(ValidateSubcommand.detailed)
            let (shown, rest) = DiagnosticLimiter.shown(proto.diagnostics, all: isWhole)
            for diagnostic in shown { shell.error.line(diagnostic.printed) }
            if let rest { shell.error.line(rest) }
            shell.output.line("proto: \(proto.fileCount.counted("file")) compiled, \(proto.verdict)")
        }
        if let swift {
            CheckReportPrinter(
                report: swift, isDetailed: invocation.has(ValidateSubcommand.detailed),
                isCategorized: invocation.has(ValidateSubcommand.categorize)
            ).write(to: shell)
        }
    }
}
