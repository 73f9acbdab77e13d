// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler

/// The generator as a plugin of protoc, which converts a `CodeGeneratorRequest` to a `CodeGeneratorResponse`.
///
/// The field numbers are those of `google/protobuf/compiler/plugin.proto`.
package enum ProtocPlugin {
    /// The features `FEATURE_PROTO3_OPTIONAL` and `FEATURE_SUPPORTS_EDITIONS`.
    private static let features: UInt64 = 1 | 2

    /// Returns the response to a request; errors are part of the response.
    package static func response(to request: [UInt8]) -> [UInt8] {
        let files: [GeneratedFile]
        do throws(Failure) {
            files = try generate(request)
        } catch {
            return response([], error: error.message)
        }
        return response(files, error: nil)
    }

    /// An error that protoc shows to the user.
    private struct Failure: Error {
        let message: String
    }

    /// The defaults for users of protoc, who expect one file for each .proto file.
    private static var defaults: GenerationOptions {
        var options = GenerationOptions()
        options.swift.layout = .perFile
        options.makesClients = false
        return options
    }

    private static func generate(_ bytes: [UInt8]) throws(Failure) -> [GeneratedFile] {
        let request: WireMessage
        do {
            request = try WireMessage(bytes)
        } catch {
            throw Failure(message: "the request is malformed at byte \(error.offset)")
        }
        let settings = try converting { () throws(GeneratorError) in
            try GeneratorSettings(protocParameter: request.string(2) ?? "")
        }
        var options = try converting { () throws(GeneratorError) in try settings.options(defaults) }
        let compilation = Compiler.link(request.serialized(15), filesToGenerate: request.strings(1))
        try throwErrors(compilation.diagnostics)
        options.swift.services = try converting { () throws(GeneratorError) in
            try ServiceSelection.find(settings.words(.services), in: compilation.filesToGenerate)
        }
        // Tests and guides belong to the clients.
        (options.makesTests, options.makesGuides) = (options.makesClients, options.makesClients)
        let result = TargetLanguage.swift.generate(compilation.filesToGenerate, options)
        try throwErrors(result.diagnostics)
        return options.swift.layout == .perFile
            ? withoutImports(result.files, compilation, options) : result.files
    }

    /// Returns the files without those of dependencies, which a call of their own generates: two responses with the same
    /// file are an error in buf.
    ///
    /// The files of `google.protobuf` remain, since no other call generates them.
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

    private static func converting<Result>(
        _ body: () throws(GeneratorError) -> Result
    ) throws(Failure) -> Result {
        do throws(GeneratorError) { return try body() } catch { throw Failure(message: error.description) }
    }

    private static func throwErrors(_ diagnostics: [Diagnostic]) throws(Failure) {
        let errors = diagnostics.filter { $0.severity == .error }
        guard !errors.isEmpty else { return }
        throw Failure(message: errors.map(\.description).joined(separator: "\n"))
    }

    private static func response(_ files: [GeneratedFile], error: String?) -> [UInt8] {
        var writer = WireWriter()
        if let error { writer.string(1, error) }
        writer.varint(2, features)
        writer.int32(3, Int32(Edition.proto2.rawValue))
        writer.int32(4, Int32(Edition.edition2026.rawValue))
        for file in files {
            writer.message(15) {
                $0.string(1, file.path)
                $0.string(15, file.text)
            }
        }
        return writer.bytes
    }
}
