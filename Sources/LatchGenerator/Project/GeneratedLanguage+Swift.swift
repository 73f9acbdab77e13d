// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension GeneratedLanguage {
    /// Swift over `LatchRPC`.
    package static let swift = GeneratedLanguage("swift") { requested, options in
        var generation = Generation(files: [])
        if options.makesContracts {
            let written = SwiftWriter(files: withNeeded(requested, options), options: options.swift).write()
            generation.files += written.files
            generation.diagnostics += written.diagnostics
        }
        return generation
    }

    /// All languages that can be generated.
    package static let all = [swift]

    /// Files, and those that declare types which they use: a project is complete in itself.
    private static func withNeeded(_ requested: [FileDescriptor], _ options: GenerationOptions) -> [FileDescriptor] {
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
