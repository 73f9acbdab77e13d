// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProto

/// One call of `validate`.
struct ValidateRun {
    private let invocation: Invocation
    private let shell: Shell

    init(_ invocation: Invocation, _ shell: Shell) {
        self.invocation = invocation
        self.shell = shell
    }

    /// Judges all that is at the paths.
    func run() async throws -> ExitCode {
        let paths = invocation.all(ValidateVerb.path)
        guard !paths.isEmpty else {
            throw CommandError.usage("'validate' needs to know what to judge.", hint: "Give --path PATH.")
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
                hint: "Give a file, or a folder that holds some.")
        }
        let proto = protos.isEmpty ? nil : try ProtoValidation(protos, includes: invocation.all(GenerateVerb.include))
        let swift = sources.isEmpty && tests.isEmpty ? nil : try await check(sources, tests)
        let isValid = proto?.isValid != false && swift?.isValid != false
        tell(proto, swift, isValid: isValid)
        return isValid ? .success : .failure
    }

    private func check(_ sources: [String], _ tests: [String]) async throws -> ProjectCheck.Report {
        let toolchain = SwiftToolchain.find(
            in: shell.environment, program: currentProgram, modules: invocation.all(GenerateVerb.modulePath))
        let demand: ProjectCheck.Demand =
            invocation.has(GenerateVerb.skipCompilation)
            ? .syntax : invocation.has(ValidateVerb.compileCheck) ? .types : .typesWherePossible
        return try await ProjectCheck(toolchain, demand: demand).check(sources: sources, tests: tests)
    }

    private func tell(_ proto: ProtoValidation?, _ swift: ProjectCheck.Report?, isValid: Bool) {
        if invocation.has(GenerateVerb.json) {
            var object: JSONObject = ["valid": .bool(isValid)]
            if let proto { object["proto"] = .object(proto.json) }
            if let swift { object["swift"] = swift.json }
            return shell.json(.object(object))
        }
        if let proto {
            let isWhole = invocation.has(GenerateVerb.allErrors) || invocation.has(ValidateVerb.detailed)
            let (shown, rest) = DiagnosticBounds.shown(proto.diagnostics, all: isWhole)
            for diagnostic in shown { shell.error.line(diagnostic.printed) }
            if let rest { shell.error.line(rest) }
            shell.output.line(
                "proto: \(proto.fileCount) files compiled, \(proto.errorCount) errors, "
                    + "\(proto.diagnostics.count - proto.errorCount) warnings: \(proto.isValid ? "valid" : "not valid")"
            )
        }
        if let swift {
            CheckText(
                swift, isDetailed: invocation.has(ValidateVerb.detailed),
                isCategorized: invocation.has(ValidateVerb.categorize)
            ).write(to: shell)
        }
    }
}
