// SPDX-License-Identifier: Apache-2.0

public import LatchProto

/// What came of generating: files, or what keeps them from being right.
public struct Generation {
    /// The files, in the order in which they were made.
    public var files: [GeneratedFile]
    /// What is wrong with the descriptors, or strange about them.
    public var diagnostics: [Diagnostic]

    /// A result.
    public init(files: [GeneratedFile], diagnostics: [Diagnostic] = []) {
        self.files = files
        self.diagnostics = diagnostics
    }

    /// Whether the files may be used.
    public var isComplete: Bool { !diagnostics.contains { $0.severity == .error } }
}

/// Makes files of descriptors: the point at which a language is put in.
package struct GeneratedLanguage: Sendable {
    /// What it is asked for: `swift`.
    package let name: String
    /// Makes the files of those .proto files that were asked for.
    package let generate: @Sendable (_ requested: [FileDescriptor], _ options: GenerationOptions) -> Generation

    package init(
        _ name: String,
        generate: @escaping @Sendable (_ requested: [FileDescriptor], _ options: GenerationOptions) -> Generation
    ) {
        self.name = name
        self.generate = generate
    }
}
