// SPDX-License-Identifier: Apache-2.0

package import LatchProto

/// The services that are wanted, of those that there are.
package enum ServiceSelection {
    /// The full names of services that are asked for by their names, short or full.
    ///
    /// - Returns: Nil where nobody asks for any, which means all.
    ///
    /// - Throws: `GeneratorError.unknownService`, which names those that there are.
    package static func find(
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
