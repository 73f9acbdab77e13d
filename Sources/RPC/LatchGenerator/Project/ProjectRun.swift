// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
package import LatchProtoCompiler

/// A run of the generator, from settings to a plan of changes.
///
/// It keeps no state between runs: each run reads the files again.
package struct ProjectRun: Sendable {
    /// The statistics of a run.
    package struct Statistics: Sendable, Hashable {
        package let protoFiles: Int
        package let services: Int
        package let messages: Int
        package let files: Int
    }

    /// The result of a run: a plan that can be applied.
    package struct Prepared: Sendable {
        package let plan: OutputPlan
        package let statistics: Statistics
        /// The paths of all .proto files that were read.
        package let inputs: [String]

        /// The number of lines of all files.
        package var lineCount: Int {
            plan.steps.reduce(0) { count, step in
                var text = step.new ?? ""
                return text.withUTF8 { count + $0.count { $0 == UInt8(ascii: "\n") } }
            }
        }
    }

    /// The number of steps of a run.
    package static let stepCount = 4

    private let settings: GeneratorSettings

    package init(_ settings: GeneratorSettings) { self.settings = settings }

    /// Compiles the .proto files, generates the output, and compares it with the existing one; writes nothing.
    ///
    /// - Parameters:
    ///   - report: Receives each diagnostic before an error is thrown.
    ///   - progress: Receives the number of completed steps, and a description of the next one.
    package func prepare(
        report: (Diagnostic) -> Void, progress: (Int, String) -> Void = { _, _ in }
    ) throws(GeneratorError) -> Prepared {
        for name in settings.words(.languages) where name.lowercased() != "swift" {
            throw .unsupportedLanguage(name, known: ["swift"])
        }
        let paths = settings.words(.protoPath)
        guard !paths.isEmpty, let output = try settings.outputFolder() else {
            throw .invalidConfiguration(
                "The paths of the .proto files and of the output are missing.",
                hint: "Give --proto-path and --output-path, or set proto_path and output_path.")
        }
        progress(0, "reading the .proto files")
        let sources = try ProtoSources.find(
            paths, includes: settings.words(.include),
            within: (settings.fileFolder(.protoPath), settings.fileFolder(.include)))
        let (compilation, diagnostics) = sources.compile(builtIn: OptionFiles.bytes)
        diagnostics.forEach(report)
        try Self.throwErrors(diagnostics)
        progress(1, "generating")
        var options = try settings.options()
        options.swift.services = try ServiceSelection.find(settings.words(.services), in: compilation.filesToGenerate)
        let result = SwiftGenerator.generate(compilation.filesToGenerate, options)
        let found = result.diagnostics.map(sources.located)
        found.forEach(report)
        try Self.throwErrors(found)
        progress(2, "comparing with the output")
        let origin = paths.map { RelativePath.from(output, to: $0) }.sorted().joined(separator: " ")
        let plan = try OutputPlan(
            result.files, in: ProtoSources.normalized(output), within: settings.fileFolder(.outputPath), origin: origin,
            force: try settings.flag(.forceOverwrite) ?? false)
        let services = compilation.filesToGenerate.flatMap(\.services)
        let statistics = Statistics(
            protoFiles: compilation.filesToGenerate.count,
            services: services.count { options.swift.services?.contains($0.fullName) ?? true },
            messages: compilation.filesToGenerate.reduce(0) { $0 + Self.count($1.messages) },
            files: result.files.count)
        return Prepared(
            plan: plan, statistics: statistics, inputs: compilation.files.compactMap { sources.path(of: $0.name) })
    }

    private static func throwErrors(_ diagnostics: [Diagnostic]) throws(GeneratorError) {
        let count = diagnostics.count { $0.severity == .error }
        guard count > 0 else { return }
        let isMissing = diagnostics.contains { $0.message.contains("cannot be imported") }
        throw .invalidProto(
            count: count, hint: isMissing ? "Give the folder that imports are relative to: -I FOLDER." : nil)
    }

    private static func count(_ messages: [MessageDescriptor]) -> Int {
        messages.reduce(0) { $0 + ($1.isMapEntry ? 0 : 1 + count($1.messages)) }
    }
}

/// A conversion of paths to relative ones.
enum RelativePath {
    /// Returns the relative path from a folder to a file or folder.
    static func from(_ folder: String, to path: String) -> String {
        let (from, to) = (parts(folder), parts(path))
        let common = zip(from, to).prefix { $0 == $1 }.count
        let relative = from[common...].map { _ in ".." } + to[common...]
        return relative.isEmpty ? "." : relative.joined(separator: "/")
    }

    /// Returns the components of the absolute path, without `.` and `..`.
    private static func parts(_ path: String) -> [String] {
        let whole = path.utf8.first == UInt8(ascii: "/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        return whole.pathParts.reduce(into: []) { parts, part in
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(part)
            }
        }
    }
}
