// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
package import LatchProto

/// One run of the generator: from settings to a plan of what is to be written.
///
/// It keeps nothing from one run to the next: whoever calls it again after an edit gets what the edited files say.
package struct ProjectRun: Sendable {
    /// How far a run has come.
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

    /// What a run counted.
    package struct Figures: Sendable, Hashable {
        package var protoFiles = 0
        package var services = 0
        package var messages = 0
        package var files = 0
    }

    /// A run that may be written.
    package struct Prepared: Sendable {
        package let plan: OutputPlan
        package let figures: Figures
        /// Every .proto file that was read, for those who wait for changes.
        package let inputs: [String]

        /// How many lines the files have, which is counted when somebody asks.
        package var lineCount: Int {
            plan.steps.reduce(0) { count, step in
                var text = step.new ?? ""
                return text.withUTF8 { count + $0.count { $0 == UInt8(ascii: "\n") } }
            }
        }
    }

    /// The steps of a run, which progress counts.
    package static let stepCount = 4

    private let settings: GeneratorSettings
    private let languages: [GeneratedLanguage]
    private let builtIn: @Sendable (String) -> [UInt8]?

    /// - Parameters:
    ///   - languages: All that can be generated.
    ///   - builtIn: Gives .proto files that everybody may import.
    package init(
        _ settings: GeneratorSettings, languages: [GeneratedLanguage], builtIn: @escaping @Sendable (String) -> [UInt8]?
    ) {
        self.settings = settings
        self.languages = languages
        self.builtIn = builtIn
    }

    /// Reads, compiles, generates, and compares with what is there; writes nothing.
    ///
    /// - Parameter tell: Called with each diagnostic, errors as well as warnings, before any error is thrown.
    package func prepare(
        tell: (Diagnostic) -> Void, progress: (Progress) -> Void = { _ in }
    ) throws(GeneratorError) -> Prepared {
        let wanted = try wantedLanguages()
        let paths = settings.words(.protoPath)
        guard !paths.isEmpty, let output = settings.text(.outputPath) else {
            throw .invalidConfiguration(
                "Where the .proto files are, and where the output belongs, must be said.",
                hint: "Give --proto-path and --output-path, or set proto_path and output_path.")
        }
        progress(Progress(completed: 0, total: Self.stepCount, message: "reading the .proto files"))
        let sources = try ProtoSources.find(paths, includes: settings.words(.include))
        let (compilation, diagnostics) = sources.compile(builtIn: builtIn)
        diagnostics.forEach(tell)
        try Self.refuse(diagnostics)
        progress(Progress(completed: 1, total: Self.stepCount, message: "generating"))
        var options = try settings.options()
        options.swift.services = try ServiceSelection.find(settings.words(.services), in: compilation.requested)
        var files: [GeneratedFile] = []
        for language in wanted {
            let generation = language.generate(compilation.requested, options)
            let found = generation.diagnostics.map(sources.located)
            found.forEach(tell)
            try Self.refuse(found)
            files += generation.files
        }
        progress(Progress(completed: 2, total: Self.stepCount, message: "comparing with the output"))
        let plan = try OutputPlan(
            files, in: ProtoSources.normalized(output), origin: origin(of: paths, from: output),
            force: try settings.flag(.forceOverwrite) ?? false)
        return Prepared(
            plan: plan, figures: figures(of: compilation, options, files),
            inputs: compilation.files.compactMap { sources.path(of: $0.name) })
    }

    private func wantedLanguages() throws(GeneratorError) -> [GeneratedLanguage] {
        let names = settings.words(.languages)
        guard !names.isEmpty else { return languages }
        var wanted: [GeneratedLanguage] = []
        for name in names {
            guard let language = languages.first(where: { $0.name == name.lowercased() }) else {
                throw .unsupportedLanguage(name, known: languages.map(\.name))
            }
            if !wanted.contains(where: { $0.name == language.name }) { wanted.append(language) }
        }
        return wanted
    }

    private static func refuse(_ diagnostics: [Diagnostic]) throws(GeneratorError) {
        let count = diagnostics.count { $0.severity == .error }
        guard count > 0 else { return }
        let isLost = diagnostics.contains { $0.message.contains("cannot be imported") }
        throw .invalidProto(count: count, hint: isLost ? "Name the folder that imports begin at: -I FOLDER." : nil)
    }

    /// What the output is made from, as a path from the output: the same on every machine.
    private func origin(of paths: [String], from output: String) -> String {
        paths.map { RelativePath.from(output, to: $0) }.sorted().joined(separator: " ")
    }

    private func figures(
        of compilation: Compilation, _ options: GenerationOptions, _ files: [GeneratedFile]
    ) -> Figures {
        let services = compilation.requested.flatMap(\.services)
        return Figures(
            protoFiles: compilation.requested.count,
            services: services.count { options.swift.services?.contains($0.fullName) ?? true },
            messages: compilation.requested.reduce(0) { $0 + Self.count($1.messages) }, files: files.count)
    }

    private static func count(_ messages: [MessageDescriptor]) -> Int {
        messages.reduce(0) { $0 + ($1.isMapEntry ? 0 : 1 + count($1.messages)) }
    }
}

/// How one path is reached from another.
enum RelativePath {
    /// The way from a folder to a file or folder.
    static func from(_ folder: String, to path: String) -> String {
        let (from, to) = (parts(folder), parts(path))
        let common = zip(from, to).prefix { $0 == $1 }.count
        let way = from[common...].map { _ in ".." } + to[common...]
        return way.isEmpty ? "." : way.joined(separator: "/")
    }

    /// The parts of a path from the root, without those that lead nowhere or back.
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
