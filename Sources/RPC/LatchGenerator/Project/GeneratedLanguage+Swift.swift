// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension GeneratedLanguage {
    /// Swift over `LatchRPC`: contracts, and clients with their tests and guides.
    package static let swift = GeneratedLanguage("swift") { requested, options in
        let files = withNeeded(requested)
        var generation = Generation(files: [])
        func add(_ output: SwiftWriter.Output) {
            generation.files += output.files
            generation.diagnostics += output.diagnostics
        }
        let (planning, (contracts, outline)) = Parallel.both {
            ServicePlan.read(requested, suffix: options.clientSuffix ?? "Client") {
                options.swift.prefixesPackages
                    ? options.swift.prefix(package: $0.package, says: $0.options.message.string(39)) : ""
            }
        } _: {
            let contracts = SwiftWriter(files: files, options: options.swift)
            return (contracts, options.makesContracts ? contracts.layOut() : nil)
        }
        generation.diagnostics += planning.diagnostics
        guard generation.isComplete else { return generation }
        let plans = planning.plans.filter { plan in
            options.swift.services?.contains(plan.service.fullName) ?? true
        }
        if let outline { add(contracts.write(outline)) }
        var parts: ClientWriter.Parts = []
        if options.makesClients { parts.insert(.clients) }
        if options.makesClients, options.makesTests { parts.insert(.tests) }
        if options.makesClients, options.makesGuides { parts.insert(.guides) }
        if !parts.isEmpty { add(ClientWriter(plans, types: contracts.types, options: options.swift).write(parts)) }
        return generation
    }

    /// All languages that can be generated.
    package static let all = [swift]

    /// Files, and those that declare types which they use: a project is complete in itself.
    private static func withNeeded(_ requested: [FileDescriptor]) -> [FileDescriptor] {
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
