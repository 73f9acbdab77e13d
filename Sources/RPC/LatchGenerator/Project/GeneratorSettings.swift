// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler
import LatchTOML

/// The values of the generator's options: flags override the environment, which overrides `latchwork.toml`.
package struct GeneratorSettings: Sendable, Hashable {
    private var values: [GeneratorOption: Value] = [:]

    /// Creates settings without any values.
    package init() {}

    /// Sets the value of an option, and replaces a previous one.
    ///
    /// - Parameter source: The origin of the value, which error messages name.
    package mutating func set(_ option: GeneratorOption, _ words: [String], from source: String) {
        values[option] = Value(words: words, source: source)
    }

    /// Returns the elements of a list; empty if the option is not set.
    package func words(_ option: GeneratorOption) -> [String] { values[option]?.words ?? [] }

    /// Returns a single value; nil if the option is not set.
    package func text(_ option: GeneratorOption) -> String? { values[option]?.words.last }

    /// Returns the folder of the file that sets an option; nil if a flag or the environment sets it.
    func fileFolder(_ option: GeneratorOption) -> String? { values[option]?.folder }

    /// Returns the folder of the output; nil if it is not set.
    ///
    /// - Throws: `GeneratorError` for a folder outside the folder of the file that sets it. Otherwise an untrusted
    ///   repository could choose which files are overwritten.
    func outputFolder() throws(GeneratorError) -> String? {
        guard let output = text(.outputPath), let value = values[.outputPath] else { return nil }
        guard let folder = value.folder else { return output }
        guard !output.pathParts.contains(where: { $0.lowercasedASCII() == ".git" }) else {
            throw .invalidConfiguration("\(value.source): the output '\(output)' is in git's own folder.")
        }
        guard !ResolvedPath(output).isInside(ResolvedPath(folder)) else { return output }
        throw .invalidConfiguration(
            "\(value.source): the output '\(output)' is outside of the folder of this file.",
            hint: "Name it on the command line: --output-path \(output)")
    }

    /// Returns a Boolean value; nil if the option is not set.
    package func flag(_ option: GeneratorOption) throws(GeneratorError) -> Bool? { try values[option]?.flag() }

    /// Returns the options of a run: the defaults with all values applied.
    package func options(
        _ defaults: GenerationOptions = GenerationOptions()
    ) throws(GeneratorError) -> GenerationOptions {
        var options = defaults
        for option in GeneratorOption.allCases {
            if let value = values[option] { try option.definition.apply(&options, value) }
        }
        return options
    }

    /// Sets the options for which environment variables are set.
    package mutating func read(environment: [String: String]) {
        for option in GeneratorOption.allCases {
            guard let text = environment[option.variable] else { continue }
            set(option, text.split(separator: ",").map(String.init), from: option.variable)
        }
    }

    /// Sets the options that a file's table `[generate]` sets.
    ///
    /// - Parameter path: The path of the file: paths in it are relative to its folder, and errors name it.
    package mutating func read(file text: String, at path: String) throws(GeneratorError) {
        let document: TOMLDocument
        do {
            document = try TOMLDocument(parsing: text)
        } catch {
            throw .invalidConfiguration(
                "\(path):\(error.location.line):\(error.location.column): \(error.message).", hint: error.hint)
        }
        guard document.root["generate"]?.arrayValue == nil else {
            throw .invalidConfiguration(
                "\(path): 'generate' is one table, and not a list.", hint: "Write the table [generate] once.")
        }
        for (name, value) in document.root["generate"]?.objectValue ?? [:] {
            let line = document.lines["generate.\(name)"].map { ":\($0)" } ?? ""
            guard let option = GeneratorOption(rawValue: name) else {
                throw .invalidConfiguration(
                    "\(path)\(line): there is no setting '\(name)'.",
                    hint: "Valid values: \(GeneratorOption.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            guard let words = Self.words(of: value) else {
                throw .invalidConfiguration(
                    "\(path)\(line): '\(name)' must be a string, a Boolean, or a list of strings.")
            }
            let folder = AtomicFile(path).folder
            let isRelative = option.definition.isPath && folder != "."
            values[option] = Value(
                words: isRelative ? words.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" } : words,
                source: path + line, folder: folder)
        }
    }

    private static func words(of value: JSONValue) -> [String]? {
        switch value {
        case .string(let text): return [text]
        case .bool(let flag): return [String(flag)]
        case .array(let elements):
            let texts = elements.compactMap(\.stringValue)
            return texts.count == elements.count ? texts : nil
        default: return nil
        }
    }
}

extension GeneratorSettings {
    /// Creates the settings from a parameter of protoc, such as `visibility=package,Mbase/=Base`.
    init(protocParameter text: String) throws(GeneratorError) {
        for part in text.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (name, value) = (pair[0].filter { $0 != " " }, pair.count > 1 ? pair[1] : "")
            if name.hasPrefix("M"), name.utf8.count > 1 {
                let words = words(.moduleMapping) + ["\(name.dropFirst())=\(value)"]
                set(.moduleMapping, words, from: name)
                continue
            }
            guard let option = GeneratorOption.allCases.first(where: { $0.definition.protocParameter == name }) else {
                throw .invalidConfiguration(
                    "there is no parameter '\(name)'", hint: "Valid values: \(Self.protocParameters)")
            }
            switch option.definition.kind {
            case .list: set(option, value.split(separator: "+").map(String.init), from: name)
            case .flag where value.isEmpty: set(option, ["true"], from: name)
            default: set(option, [value], from: name)
            }
        }
    }

    /// The parameters of protoc, for help texts.
    package static let protocParameters =
        GeneratorOption.allCases.compactMap { option in
            let definition = option.definition
            return definition.protocParameter.map { name in
                switch definition.kind {
                case .choice(let names): "\(name)=\(names.joined(separator: "|"))"
                case .flag: "\(name)=true|false (\(definition.summary))"
                case .list: "\(name)=A+B (\(definition.summary))"
                case .mapping: "\(name)\(definition.placeholder) (\(definition.summary))"
                case .text, .name: "\(name)=\(definition.placeholder) (\(definition.summary))"
                }
            }
        }.joined(separator: ", ") + "."
}

extension GeneratorSettings {
    /// The value of an option, and its origin.
    struct Value: Sendable, Hashable {
        let words: [String]
        let source: String
        /// The folder of the file that sets the value; nil for other origins.
        var folder: String?

        private var text: String { words.last ?? "" }

        func flag() throws(GeneratorError) -> Bool {
            switch text.lowercased() {
            case "true", "1", "yes": return true
            case "false", "0", "no": return false
            default: throw invalid("is neither true nor false")
            }
        }

        /// Returns one of several words, regardless of case.
        func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(GeneratorError) -> Choice {
            guard let choice = Choice.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
                throw invalid("must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return choice
        }

        /// Returns a part of a Swift identifier.
        func name() throws(GeneratorError) -> String {
            guard SwiftNames.isPlainIdentifier("x" + text), text.utf8.first?.isDigit == false else {
                throw invalid("is not a name: use letters, digits and '_', and do not begin with a digit")
            }
            return text
        }

        /// Returns pairs of a .proto file, or a folder that ends in `/`, and its module.
        func mapping() throws(GeneratorError) -> [String: String] {
            var modules: [String: String] = [:]
            for word in words {
                let pair = word.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else {
                    throw .invalidConfiguration("\(source): '\(word)' is not a pair FILE=MODULE.")
                }
                guard SwiftNames.isPlainIdentifier(pair[1]) else {
                    throw .invalidConfiguration("\(source): '\(pair[1])' is not the name of a module.")
                }
                modules[String(pair[0])] = String(pair[1])
            }
            return modules
        }

        private func invalid(_ reason: String) -> GeneratorError {
            .invalidConfiguration("\(source): '\(text)' \(reason).")
        }
    }
}
