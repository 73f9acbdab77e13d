// SPDX-License-Identifier: Apache-2.0

package import LatchProtoCompiler
import PortableFoundation

/// A run of the generator, from settings to a plan of changes.
///
/// It keeps no state between runs: each reads the files again.
package struct ProjectRun: Sendable {
    /// The progress of a run.
    package struct Progress: Sendable, Hashable {
        package let completed: Int
        package let total: Int
        package let message: String

        package init(completed: Int, total: Int, message: String) {
            self.completed = completed
            self.total = total
            self.message = message
        }
    }

    /// The statistics of a run.
    package struct Statistics: Sendable, Hashable {
        package var protoFiles = 0
        package var services = 0
        package var messages = 0
        package var files = 0
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
    private let languages: [TargetLanguage]
    private let builtIn: @Sendable (String) -> [UInt8]?

    /// - Parameters:
    ///   - languages: The supported languages.
    ///   - builtIn: Returns built-in .proto files.
    package init(
        _ settings: GeneratorSettings, languages: [TargetLanguage], builtIn: @escaping @Sendable (String) -> [UInt8]?
    ) {
        self.settings = settings
        self.languages = languages
        self.builtIn = builtIn
    }

    /// Compiles the .proto files, generates the output, and compares it with the existing one; writes nothing.
    ///
    /// - Parameter report: Receives each diagnostic before an error is thrown.
    package func prepare(
        report: (Diagnostic) -> Void, progress: (Progress) -> Void = { _ in }
    ) throws(GeneratorError) -> Prepared {
        let languages = try requestedLanguages()
        let paths = settings.words(.protoPath)
        guard !paths.isEmpty, let output = settings.text(.outputPath) else {
            throw .invalidConfiguration(
                "The paths of the .proto files and of the output are missing.",
                hint: "Give --proto-path and --output-path, or set proto_path and output_path.")
        }
        progress(Progress(completed: 0, total: Self.stepCount, message: "reading the .proto files"))
        let sources = try ProtoSources.find(paths, includes: settings.words(.include))
        let (compilation, diagnostics) = sources.compile(builtIn: builtIn)
        diagnostics.forEach(report)
        try Self.throwErrors(diagnostics)
        progress(Progress(completed: 1, total: Self.stepCount, message: "generating"))
        var options = try settings.options()
        options.swift.services = try ServiceSelection.find(settings.words(.services), in: compilation.filesToGenerate)
        var files: [GeneratedFile] = []
        for language in languages {
            let result = language.generate(compilation.filesToGenerate, options)
            let found = result.diagnostics.map(sources.located)
            found.forEach(report)
            try Self.throwErrors(found)
            files += result.files
        }
        progress(Progress(completed: 2, total: Self.stepCount, message: "comparing with the output"))
        let plan = try OutputPlan(
            files, in: ProtoSources.normalized(output), origin: origin(of: paths, from: output),
            force: try settings.flag(.forceOverwrite) ?? false)
        return Prepared(
            plan: plan, statistics: statistics(of: compilation, options, files),
            inputs: compilation.files.compactMap { sources.path(of: $0.name) })
    }

    private func requestedLanguages() throws(GeneratorError) -> [TargetLanguage] {
        let names = settings.words(.languages)
        guard !names.isEmpty else { return languages }
        var requested: [TargetLanguage] = []
        for name in names {
            guard let language = languages.first(where: { $0.name == name.lowercased() }) else {
                throw .unsupportedLanguage(name, known: languages.map(\.name))
            }
            if !requested.contains(where: { $0.name == language.name }) { requested.append(language) }
        }
        return requested
    }

    private static func throwErrors(_ diagnostics: [Diagnostic]) throws(GeneratorError) {
        let count = diagnostics.count { $0.severity == .error }
        guard count > 0 else { return }
        let isMissing = diagnostics.contains { $0.message.contains("cannot be imported") }
        throw .invalidProto(
            count: count, hint: isMissing ? "Give the folder that imports are relative to: -I FOLDER." : nil)
    }

    /// Returns the origin of the output, as paths relative to it.
    private func origin(of paths: [String], from output: String) -> String {
        paths.map { RelativePath.from(output, to: $0) }.sorted().joined(separator: " ")
    }

    private func statistics(
        of compilation: Compilation, _ options: GenerationOptions, _ files: [GeneratedFile]
    ) -> Statistics {
        let services = compilation.filesToGenerate.flatMap(\.services)
        return Statistics(
            protoFiles: compilation.filesToGenerate.count,
            services: services.count { options.swift.services?.contains($0.fullName) ?? true },
            messages: compilation.filesToGenerate.reduce(0) { $0 + Self.count($1.messages) }, files: files.count)
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
        let whole = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        return whole.split(separator: "/").reduce(into: []) { parts, part in
            switch part {
            case ".": break
            case "..": _ = parts.popLast()
            default: parts.append(String(part))
            }
        }
    }
}
