// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProto

/// The generator as protoc calls it: a `CodeGeneratorRequest` in, a `CodeGeneratorResponse` out.
///
/// The numbers are those of `google/protobuf/compiler/plugin.proto`.
package enum ProtocCall {
    /// Proto3's `optional`, and editions (`CodeGeneratorResponse.Feature`).
    private static let features: UInt64 = 1 | 2

    /// Answers a request; what is wrong with it stands in the answer, as protoc wants it.
    package static func answer(_ request: [UInt8]) -> [UInt8] {
        let files: [GeneratedFile]
        do throws(Failure) {
            files = try generate(request)
        } catch {
            return response([], error: error.message)
        }
        return response(files, error: nil)
    }

    /// What protoc shows its user.
    private struct Failure: Error {
        let message: String
    }

    private static func generate(_ bytes: [UInt8]) throws(Failure) -> [GeneratedFile] {
        let request: WireMessage
        do {
            request = try WireMessage(bytes)
        } catch {
            throw Failure(message: "the request is malformed at byte \(error.offset)")
        }
        let options: GenerationOptions
        do {
            options = try ProtocParameters.read(request.string(2) ?? "")
        } catch {
            throw Failure(message: error.description)
        }
        let compilation = Compiler.link(request.serialized(15), requested: request.strings(1))
        try refuse(compilation.diagnostics)
        let generation = GeneratedLanguage.swift.generate(compilation.requested, options)
        try refuse(generation.diagnostics)
        return options.swift.layout == .perFile
            ? withoutImports(generation.files, compilation, options) : generation.files
    }

    /// What the files import is asked for in a call of its own, if it is: two answers with one file are an error in buf.
    ///
    /// Files of the language that the runtime does not have stay: nobody asks for those.
    private static func withoutImports(
        _ files: [GeneratedFile], _ compilation: Compilation, _ options: GenerationOptions
    ) -> [GeneratedFile] {
        let foreign = compilation.files.filter { file in
            file.package != "google.protobuf" && !compilation.requested.contains { $0 === file }
        }
        func paths(_ files: [FileDescriptor]) -> Set<String> {
            Set(files.map { ContractUnit.path(of: $0.name, options.swift.fileNaming) })
        }
        let left = paths(foreign).subtracting(paths(compilation.requested))
        return files.filter { !left.contains($0.path) }
    }

    private static func refuse(_ diagnostics: [Diagnostic]) throws(Failure) {
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
