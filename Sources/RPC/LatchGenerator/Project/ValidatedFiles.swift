// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// The files at a path that `validate` checks.
package struct ValidatedFiles: Sendable {
    /// Whether there are .proto files.
    package let hasProtos: Bool
    /// The Swift files of the module.
    package let sources: [String]
    /// The Swift files of its tests.
    package let tests: [String]

    /// Finds the files at a path, recursively in a folder.
    package init(_ path: String) throws(GeneratorError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .missingInput("The path '\(path)' does not exist.", hint: "Give an existing file or folder.")
        }
        hasProtos = try !FileSearch.find(path, suffix: ".proto").isEmpty
        (sources, tests) = try SwiftCheck.files(at: path)
    }
}
