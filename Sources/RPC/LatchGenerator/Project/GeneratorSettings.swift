// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchTOML

/// What a call of the generator is to do: flags, then the environment, then `latchwork.toml`, then defaults.
package struct GeneratorSettings: Sendable, Hashable {
    /// Something that can be set, by its key in the table `[generate]` of the file.
    package enum Key: String, Sendable, Hashable, CaseIterable {
        case protoPath = "proto_path"
        case include
        case outputPath = "output_path"
        case languages
        case services
        case layout
        case visibility
        case naming
        case clientSuffix = "client_suffix"
        case packageName = "package_name"
        case prefixPackages = "prefix_packages"
        case frameworkVersion = "swift_framework_version"
        case contracts = "generate_contracts"
        case clients = "generate_clients"
        case tests = "generate_tests"
        case documentation = "include_documentation"
        case forceOverwrite = "force_overwrite"
        case validate
        case skipCompilation = "skip_compilation"

        /// The variable of the environment that says the same.
        package var variable: String {
            self == .frameworkVersion ? "AXIOM_VERSION" : "AXIOM_" + rawValue.uppercased()
        }

        /// Whether it is a path, which in a file begins at the file's folder.
        var isPath: Bool { self == .protoPath || self == .include || self == .outputPath }
    }

    /// A value, and who gave it.
    private struct Given: Sendable, Hashable {
        let words: [String]
        let source: String
    }

    private var given: [Key: Given] = [:]

    /// Nothing is set.
    package init() {}

    /// Sets a value over one that was there.
    package mutating func set(_ key: Key, _ words: [String], from source: String) {
        given[key] = Given(words: words, source: source)
    }

    /// All words of a value; none where it is not set.
    package func words(_ key: Key) -> [String] { given[key]?.words ?? [] }

    /// A value that is one word; nil where it is not set.
    package func text(_ key: Key) -> String? { given[key]?.words.last }

    /// A value that is true or false; nil where it is not set.
    package func flag(_ key: Key) throws(GeneratorError) -> Bool? {
        guard let given = given[key] else { return nil }
        switch given.words.last?.lowercased() {
        case "true", "1", "yes": return true
        case "false", "0", "no": return false
        default: throw invalid(key, "is neither true nor false")
        }
    }

    /// A value that is one of several words; nil where it is not set.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: Key, of type: Choice.Type
    ) throws(GeneratorError) -> Choice? where Choice.RawValue == String {
        guard let word = text(key) else { return nil }
        guard let choice = Choice(rawValue: word) else {
            throw invalid(key, "is none of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// A value that becomes part of Swift's names; nil where it is not set.
    package func name(_ key: Key) throws(GeneratorError) -> String? {
        guard let name = text(key) else { return nil }
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
        }
        guard isName, let first = name.utf8.first, !(0x30...0x39).contains(first) else {
            throw invalid(key, "is no name: it has letters, digits and '_', and does not begin with a digit")
        }
        return name
    }

    private func invalid(_ key: Key, _ what: String) -> GeneratorError {
        .invalidConfiguration("\(given[key]?.source ?? key.rawValue): '\(given[key]?.words.last ?? "")' \(what).")
    }

    /// What is generated, as far as it is said here.
    package func options() throws(GeneratorError) -> GenerationOptions {
        var options = GenerationOptions()
        options.swift.layout = try choice(.layout, of: SwiftOptions.Layout.self) ?? options.swift.layout
        options.swift.visibility =
            try choice(.visibility, of: SwiftOptions.Visibility.self) ?? options.swift.visibility
        options.swift.fileNaming = try choice(.naming, of: SwiftOptions.FileNaming.self) ?? options.swift.fileNaming
        options.clientSuffix = try name(.clientSuffix)
        options.swift.moduleName = try name(.packageName)
        options.swift.prefixesPackages = try flag(.prefixPackages) ?? options.swift.prefixesPackages
        options.makesContracts = try flag(.contracts) ?? true
        options.makesClients = try flag(.clients) ?? true
        options.makesTests = try flag(.tests) ?? true
        options.makesGuides = try flag(.documentation) ?? true
        return options
    }
}

extension GeneratorSettings {
    /// Takes what the environment says over what was there.
    package mutating func read(environment: [String: String]) {
        for key in Key.allCases {
            guard let text = environment[key.variable] else { continue }
            set(key, text.split(separator: ",").map(String.init), from: key.variable)
        }
    }

    /// Takes what the table `[generate]` of a file says over what was there.
    ///
    /// - Parameter path: Where the file is: paths in it begin at its folder, and errors name it.
    package mutating func read(file text: String, at path: String) throws(GeneratorError) {
        let document: TOMLDocument
        do {
            document = try TOMLDocument(parsing: text)
        } catch {
            throw .invalidConfiguration(
                "\(path):\(error.place.line):\(error.place.column): \(error.message).", hint: error.hint)
        }
        for (name, value) in document.root["generate"]?.objectValue ?? [:] {
            let line = document.lines["generate.\(name)"].map { ":\($0)" } ?? ""
            guard let key = Key(rawValue: name) else {
                throw .invalidConfiguration(
                    "\(path)\(line): there is no setting '\(name)'.",
                    hint: "There are: \(Key.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            guard let words = Self.words(of: value) else {
                throw .invalidConfiguration(
                    "\(path)\(line): '\(name)' is text, true, false, or a list of texts.")
            }
            let folder = AtomicFile(path).folder
            let isMoved = key.isPath && folder != "."
            set(key, isMoved ? words.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" } : words, from: path + line)
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
