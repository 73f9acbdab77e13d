// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler

/// The generator as a plugin of protoc, which converts a `CodeGeneratorRequest` to a `CodeGeneratorResponse`.
package enum ProtocPlugin {
    /// The features `FEATURE_PROTO3_OPTIONAL` and `FEATURE_SUPPORTS_EDITIONS`.
    private static let features: UInt64 = 1 | 2

    /// Returns the response to a request; errors are part of the response.
    package static func response(to request: [UInt8]) -> [UInt8] {
        do { return response(try generate(request), error: nil) } catch { return response([], error: "\(error)") }
    }

    /// An error that protoc shows to the user.
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The defaults for users of protoc, who expect one Swift file for each .proto file.
    private static var defaults: GenerationOptions {
        var options = GenerationOptions()
        options.swift.layout = .perFile
        options.makesClients = false
        return options
    }

    private static func generate(_ bytes: [UInt8]) throws -> [GeneratedFile] {
        let request: WireMessage
        do {
            request = try WireMessage(bytes)
        } catch {
            throw Failure(description: "the request is malformed at byte \(error.offset)")
        }
        let settings = try GeneratorSettings(protocParameter: request.string(RequestField.parameter) ?? "")
        var options = try settings.options(defaults)
        let compilation = Compiler.link(
            request.serialized(RequestField.protoFile), filesToGenerate: request.strings(RequestField.fileToGenerate))
        try throwErrors(compilation.diagnostics)
        options.swift.services = try ServiceSelection.find(settings.words(.services), in: compilation.filesToGenerate)
        // Tests and guides belong to the clients.
        (options.makesTests, options.makesGuides) = (options.makesClients, options.makesClients)
        let result = SwiftGenerator.generate(compilation.filesToGenerate, options)
        try throwErrors(result.diagnostics)
        for file in result.files where !OutputPlan.isInside(file.path) {
            throw Failure(description: "'\(file.path.withoutControls)' is not a path within the output")
        }
        // protoc writes both files, but a file system that ignores case or Unicode's forms keeps only one of them.
        return try OutputPlan.checked(
            options.swift.layout == .perFile
                ? withoutImports(result.files, compilation, options) : result.files)
    }

    /// Returns the files without those of dependencies, which a separate call generates.
    ///
    /// Two responses with the same file are an error in buf. The files of `google.protobuf` remain, because no other
    /// call generates them.
    private static func withoutImports(
        _ files: [GeneratedFile], _ compilation: Compilation, _ options: GenerationOptions
    ) -> [GeneratedFile] {
        let foreign = compilation.files.filter { file in
            file.package != "google.protobuf" && !compilation.filesToGenerate.contains { $0 === file }
        }
        func paths(_ files: [FileDescriptor]) -> Set<String> {
            Set(files.map { ContractUnit.path(of: $0.name, options.swift.fileNaming) })
        }
        let left = paths(foreign).subtracting(paths(compilation.filesToGenerate))
        return files.filter { !left.contains($0.path) }
    }

    private static func throwErrors(_ diagnostics: [Diagnostic]) throws {
        let errors = diagnostics.filter { $0.severity == .error }
        guard !errors.isEmpty else { return }
        throw Failure(description: errors.map(\.description).joined(separator: "\n"))
    }

    private static func response(_ files: [GeneratedFile], error: String?) -> [UInt8] {
        var writer = WireWriter()
        if let error { writer.string(ResponseField.error, error) }
        writer.varint(ResponseField.supportedFeatures, features)
        writer.int32(ResponseField.minimumEdition, Int32(Edition.proto2.rawValue))
        writer.int32(ResponseField.maximumEdition, Int32(Edition.edition2026.rawValue))
        for file in files {
            writer.message(ResponseField.file) {
                $0.string(ResponseField.fileName, file.path)
                $0.string(ResponseField.fileContent, file.text)
            }
        }
        return writer.bytes
    }
}

/// The field numbers of `CodeGeneratorRequest` (google/protobuf/compiler/plugin.proto).
private enum RequestField {
    static let fileToGenerate: Int32 = 1
    static let parameter: Int32 = 2
    static let protoFile: Int32 = 15
}

/// The field numbers of `CodeGeneratorResponse`, and of `File` in it.
private enum ResponseField {
    static let error: Int32 = 1
    static let supportedFeatures: Int32 = 2
    static let minimumEdition: Int32 = 3
    static let maximumEdition: Int32 = 4
    static let file: Int32 = 15
    static let fileName: Int32 = 1
    static let fileContent: Int32 = 15
}
