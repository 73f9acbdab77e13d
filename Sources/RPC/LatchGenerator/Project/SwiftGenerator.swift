// SPDX-License-Identifier: Apache-2.0

package import LatchProtoCompiler

/// A generated file that has not been written yet.
package struct GeneratedFile: Sendable, Hashable {
    /// The path relative to the output folder, with `/` as separator.
    package var path: String
    /// The content of the file.
    package var text: String

    package init(path: String, text: String) {
        self.path = path
        self.text = text
    }
}

/// The options of a run: the parts to generate, and the options of Swift code.
package struct GenerationOptions: Sendable, Hashable {
    /// The options of Swift code, and the services to generate.
    package var swift = SwiftOptions()
    /// The suffix of client names that no option of a service sets.
    package var clientSuffix = "Client"
    /// Whether clients' names keep the suffix `Service`.
    package var keepsServiceNames = false
    /// Whether messages, enums and services are generated.
    package var makesContracts = true
    /// Whether clients with actions and state are generated.
    package var makesClients = true
    /// Whether tests of the clients are generated.
    package var makesTests = true
    /// Whether guides to the clients are generated.
    package var makesGuides = true

    package init() {}
}

/// Generated files, and the diagnostics about the .proto files.
package struct GenerationResult: Sendable {
    package var files: [GeneratedFile] = []
    /// The errors and warnings about the .proto files.
    package var diagnostics: [Diagnostic] = []

    /// Whether the diagnostics contain no error.
    package var isComplete: Bool { !diagnostics.contains { $0.severity == .error } }

    fileprivate mutating func append(_ other: GenerationResult) {
        files += other.files
        diagnostics += other.diagnostics
    }
}

/// The generator of Swift for the runtime `LatchRPC`: contracts, and clients with their tests and guides.
package enum SwiftGenerator {
    /// Generates the files of the requested .proto files.
    package static func generate(_ requested: [FileDescriptor], _ options: GenerationOptions) -> GenerationResult {
        let (planning, (contracts, outline)) = Parallel.both {
            ServicePlan.read(
                requested, suffix: options.clientSuffix, wholeNames: options.keepsServiceNames,
                unenforced: options.swift.unenforced
            ) {
                options.swift.prefixesPackages ? options.swift.prefix(of: $0) : ""
            }
        } _: {
            let contracts = SwiftWriter(files: withDependencies(requested), options: options.swift)
            return (contracts, options.makesContracts ? contracts.outline() : nil)
        }
        var result = GenerationResult(diagnostics: planning.diagnostics)
        guard result.isComplete else { return result }
        if let outline {
            let compiler = RuleCompiler(standard: { contracts.types.standard($0) })
            func checks(_ requests: [RequestRules]) -> [(String, (checks: [RuleCheck], diagnostics: [Diagnostic]))] {
                requests.map { ($0.method.fullName, compiler.checks(for: $0)) }
            }
            let unary = checks(planning.plans.flatMap(\.methods).map(\.requirements))
            let streams = checks(planning.plans.flatMap(\.streams))
            // A client reports the same diagnostics, but has no streaming methods.
            if !options.makesClients { result.diagnostics += unary.flatMap(\.1.diagnostics) }
            result.diagnostics += streams.flatMap(\.1.diagnostics)
            let checks = unary + streams
            result.append(
                contracts.write(outline, checks: Dictionary(checks.map { ($0, $1.checks) }) { first, _ in first }))
        }
        if options.makesClients {
            let plans = planning.plans.filter { options.swift.services?.contains($0.service.fullName) ?? true }
            result.append(ClientWriter(plans, types: contracts.types, options: options).write())
        }
        return result
    }

    /// Returns files together with the dependencies whose types they use, so that the output is complete.
    private static func withDependencies(_ requested: [FileDescriptor]) -> [FileDescriptor] {
        var (files, seen) = ([FileDescriptor](), Set<String>())
        func add(_ file: FileDescriptor) {
            guard seen.insert(file.name).inserted else { return }
            for dependency in file.visibleFiles where ContractUnit.references(file, to: dependency) {
                add(dependency)
            }
            files.append(file)
        }
        requested.forEach(add)
        return files
    }
}
