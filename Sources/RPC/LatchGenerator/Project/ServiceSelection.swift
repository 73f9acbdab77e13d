// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The selection of services by name.
enum ServiceSelection {
    /// Returns the full names of services from short or full names; nil, which means all, for an empty list.
    ///
    /// - Throws: `GeneratorError.unknownService`, which lists the existing services.
    static func find(
        _ names: [String], in files: [FileDescriptor]
    ) throws(GeneratorError) -> Set<String>? {
        guard !names.isEmpty else { return nil }
        let services = files.flatMap(\.services)
        var (found, unknown) = (Set<String>(), [String]())
        for name in names {
            let matches = services.filter { $0.fullName == name || $0.name == name }
            if matches.isEmpty { unknown.append(name) }
            found.formUnion(matches.map(\.fullName))
        }
        guard unknown.isEmpty else {
            throw .unknownService(unknown, known: services.map(\.name).sorted())
        }
        return found
    }
}
