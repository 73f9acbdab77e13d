// SPDX-License-Identifier: Apache-2.0

package import LatchProtoCompiler

/// A generated file, which is not written yet.
package struct GeneratedFile: Sendable, Hashable {
    /// The path relative to the folder of the output, with `/` as separator.
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
    /// Whether messages, enums and services are generated.
    package var makesContracts = true
    /// Whether clients with actions and state are generated.
    package var makesClients = true
    /// Whether tests of the clients are generated.
    package var makesTests = true
    /// Whether guides to the clients are generated.
    package var makesGuides = true

    package init() {}

    /// The parts of the clients to generate.
    fileprivate var clientParts: ClientWriter.Parts {
        guard makesClients else { return [] }
        var parts: ClientWriter.Parts = .clients
        if makesTests { parts.insert(.tests) }
        if makesGuides { parts.insert(.guides) }
        return parts
    }
}

/// The files that a language generates, and the diagnostics about the .proto files.
package struct GenerationResult: Sendable {
    /// The files in the order of their generation.
    package var files: [GeneratedFile] = []
    /// The errors and warnings about the .proto files.
    package var diagnostics: [Diagnostic] = []

    /// Whether there are no errors.
    package var isComplete: Bool { !diagnostics.contains { $0.severity == .error } }
}

/// A language that the generator supports.
package struct TargetLanguage: Sendable {
    /// The name of the language, such as `swift`.
    package let name: String
    /// Generates the files of the requested .proto files.
    package let generate: @Sendable (_ requested: [FileDescriptor], _ options: GenerationOptions) -> GenerationResult

    /// All supported languages.
    package static let all = [swift]

    /// Swift with the runtime `LatchRPC`: contracts, and clients with their tests and guides.
    package static let swift = TargetLanguage(name: "swift") { requested, options in
        var result = GenerationResult()
        func add(_ output: SwiftWriter.Output) {
            result.files += output.files
            result.diagnostics += output.diagnostics
        }
        let (planning, (contracts, outline)) = Parallel.both {
            ServicePlan.read(requested, suffix: options.clientSuffix) {
                options.swift.prefixesPackages ? options.swift.prefix(of: $0) : ""
            }
        } _: {
            let contracts = SwiftWriter(files: withDependencies(requested), options: options.swift)
            return (contracts, options.makesContracts ? contracts.outline() : nil)
        }
        result.diagnostics += planning.diagnostics
        guard result.isComplete else { return result }
        let plans = planning.plans.filter { plan in
            options.swift.services?.contains(plan.service.fullName) ?? true
        }
        if let outline { add(contracts.write(outline)) }
        let parts = options.clientParts
        if !parts.isEmpty { add(ClientWriter(plans, types: contracts.types, options: options.swift).write(parts)) }
        return result
    }

    /// Returns files together with the dependencies whose types they use, so that the output is complete.
    private static func withDependencies(_ requested: [FileDescriptor]) -> [FileDescriptor] {
        var (files, seen) = ([FileDescriptor](), Set<String>())
        func add(_ file: FileDescriptor) {
            guard seen.insert(file.name).inserted else { return }
            for dependency in file.dependencies where ContractUnit.references(file, to: dependency) {
                add(dependency)
            }
            files.append(file)
        }
        requested.forEach(add)
        return files
    }
}
