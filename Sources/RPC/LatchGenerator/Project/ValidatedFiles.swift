// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// What there is to judge at a path.
package struct ValidatedFiles: Sendable {
    /// Whether there are .proto files.
    package let hasProtos: Bool
    /// Swift files that belong to one module.
    package let sources: [String]
    /// Swift files that test it.
    package let tests: [String]

    /// Looks at a file, or at a folder to its leaves.
    package init(_ path: String) throws(GeneratorError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .missingInput("The path '\(path)' does not exist.", hint: "Give a file or a folder that is there.")
        }
        hasProtos = try !FilesBelow.find(path, suffix: ".proto").isEmpty
        (sources, tests) = try SwiftCheck.files(at: path)
    }
}
