// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// An error that prevents generation.
package struct GeneratorError: CodedError {
    /// The stable code of the error.
    package let code: String
    /// The description of the failure.
    package let message: String
    /// The suggested remedy.
    package let hint: String?

    init(_ code: String, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// An input file or folder does not exist or cannot be read.
    package static let missingInput = GeneratorError("missingInput", "There is no such file.")
    /// The .proto files have errors.
    package static let invalidProto = GeneratorError("invalidProto", "The .proto files have errors.")
    /// No file declares a requested service.
    package static let unknownService = GeneratorError("unknownService", "There is no such service.")
    /// A requested language is not supported.
    package static let unsupportedLanguage = GeneratorError("unsupportedLanguage", "That language is not supported.")
    /// The output contains files that were edited or that the generator did not write.
    package static let foreignFiles = GeneratorError("foreignFiles", "The output contains other files.")
    /// The configuration is malformed.
    package static let invalidConfiguration = GeneratorError("invalidConfiguration", "The configuration is malformed.")
    /// The output cannot be written.
    package static let unwritableOutput = GeneratorError("unwritableOutput", "The output cannot be written.")
    /// The generated files conflict: two have the same name, or a name leads out of the folder.
    package static let impossibleOutput = GeneratorError("impossibleOutput", "The generated files conflict.")
}

extension GeneratorError {
    static func missingInput(_ message: String, hint: String? = nil) -> GeneratorError {
        GeneratorError(missingInput.code, message, hint: hint ?? "Give a .proto file, or a folder that holds some.")
    }

    /// - Parameter count: The number of errors reported before.
    package static func invalidProto(count: Int, hint: String? = nil) -> GeneratorError {
        GeneratorError(
            invalidProto.code, "\(count) error\(count == 1 ? "" : "s") in the .proto files; nothing was written.",
            hint: hint)
    }

    static func unknownService(_ names: [String], known: [String]) -> GeneratorError {
        let requested = names.map { "'\($0)'" }.joined(separator: ", ")
        return GeneratorError(
            unknownService.code,
            names.count == 1 ? "There is no service \(requested)." : "There are no services \(requested).",
            hint: known.isEmpty
                ? "The .proto files declare no service." : "Valid values: \(known.joined(separator: ", ")).")
    }

    static func unsupportedLanguage(_ name: String, known: [String]) -> GeneratorError {
        GeneratorError(
            unsupportedLanguage.code, "The language '\(name)' is not supported.",
            hint: "Supported: \(known.joined(separator: ", ")).")
    }

    static func foreignFiles(_ conflicts: [OutputPlan.Conflict]) -> GeneratorError {
        let shown = conflicts.prefix(5).map { "\($0.path) (\($0.reason.rawValue))" }.joined(separator: ", ")
        let rest = conflicts.count > 5 ? " and \(conflicts.count - 5) more" : ""
        return GeneratorError(
            foreignFiles.code, "Nothing was written, for these would be overwritten: \(shown)\(rest).",
            hint: conflicts.contains { !$0.reason.yieldsToForce }
                ? "Move them away, or choose another folder."
                : "Move them away, or overwrite them with --force-overwrite.")
    }

    static func invalidConfiguration(_ message: String, hint: String? = nil) -> GeneratorError {
        GeneratorError(invalidConfiguration.code, message, hint: hint)
    }

    static func unwritable(_ failure: FileError) -> GeneratorError {
        GeneratorError(
            unwritableOutput.code, "The output cannot be written: \(failure.description)",
            hint: "Choose a writable folder.")
    }

    static func unreadableManifest(_ path: String) -> GeneratorError {
        GeneratorError(
            unwritableOutput.code, "'\(path)' is damaged, or of a later version.",
            hint: "Resolve its conflict, or remove it and the generated files.")
    }

    static func impossibleOutput(
        _ message: String, hint: String = "Rename one of the declarations in the .proto files."
    ) -> GeneratorError {
        GeneratorError(impossibleOutput.code, message, hint: hint)
    }
}
