// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Why nothing was generated.
public struct GeneratorError: CodedError {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?

    init(_ code: String, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// A file or folder that was named is not there, or cannot be read.
    public static let missingInput = GeneratorError("missingInput", "There is no such file.")
    /// The .proto files are wrong.
    public static let invalidProto = GeneratorError("invalidProto", "The .proto files are wrong.")
    /// A service is asked for that no file declares.
    public static let unknownService = GeneratorError("unknownService", "There is no such service.")
    /// A language is asked for that is not generated.
    public static let unsupportedLanguage = GeneratorError("unsupportedLanguage", "That language is not supported.")
    /// The output holds files that are not the generator's, or that somebody changed.
    public static let foreignFiles = GeneratorError("foreignFiles", "There are files that are not ours.")
    /// The configuration is malformed.
    public static let invalidConfiguration = GeneratorError("invalidConfiguration", "The configuration is malformed.")
    /// The output cannot be written.
    public static let unwritableOutput = GeneratorError("unwritableOutput", "The output cannot be written.")
    /// What was generated would not fit together: two files of one name, or a name that leaves the folder.
    public static let impossibleOutput = GeneratorError("impossibleOutput", "The files do not fit together.")
}

extension GeneratorError {
    static func missingInput(_ message: String, hint: String? = nil) -> GeneratorError {
        GeneratorError(missingInput.code, message, hint: hint ?? "Give a .proto file, or a folder that holds some.")
    }

    /// - Parameter count: How many errors were told before.
    package static func invalidProto(count: Int, hint: String? = nil) -> GeneratorError {
        GeneratorError(
            invalidProto.code, "\(count) error\(count == 1 ? "" : "s") in the .proto files; nothing was written.",
            hint: hint)
    }

    static func unknownService(_ names: [String], known: [String]) -> GeneratorError {
        let asked = names.map { "'\($0)'" }.joined(separator: ", ")
        return GeneratorError(
            unknownService.code, names.count == 1 ? "There is no service \(asked)." : "There are no services \(asked).",
            hint: known.isEmpty
                ? "The .proto files declare no service." : "There are: \(known.joined(separator: ", ")).")
    }

    package static func unsupportedLanguage(_ name: String, known: [String]) -> GeneratorError {
        GeneratorError(
            unsupportedLanguage.code, "The language '\(name)' is not supported.",
            hint: "Supported: \(known.joined(separator: ", ")).")
    }

    static func foreignFiles(_ refusals: [OutputPlan.Refusal]) -> GeneratorError {
        let shown = refusals.prefix(5).map { "\($0.path) (\($0.reason.rawValue))" }.joined(separator: ", ")
        let rest = refusals.count > 5 ? " and \(refusals.count - 5) more" : ""
        return GeneratorError(
            foreignFiles.code, "Nothing was written, for these would be overwritten: \(shown)\(rest).",
            hint: refusals.contains { !$0.reason.yieldsToForce }
                ? "Move them away, or choose another folder."
                : "Move them away, or overwrite them with --force-overwrite.")
    }

    static func invalidConfiguration(_ message: String, hint: String? = nil) -> GeneratorError {
        GeneratorError(invalidConfiguration.code, message, hint: hint)
    }

    static func unwritable(_ failure: FileFailure) -> GeneratorError {
        GeneratorError(
            unwritableOutput.code, "The output cannot be written: \(failure.description)",
            hint: "Choose a folder that this user may write to.")
    }

    static func impossibleOutput(_ message: String) -> GeneratorError {
        GeneratorError(impossibleOutput.code, message, hint: "Rename one of what they are made of in the .proto files.")
    }
}
