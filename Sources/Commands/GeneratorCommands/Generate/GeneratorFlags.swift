// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCommand
import LatchGenerator

/// The settings of a call: its flags over the environment over the file.
enum GeneratorFlags {
    /// The file that is read where it is there and nobody names another.
    private static let file = "latchwork.toml"

    /// Flags with a value, and what they set; a comma separates the words of a list.
    private static let values: [(Option, GeneratorSettings.Key, isList: Bool)] = [
        (GenerateVerb.protoPath, .protoPath, false), (GenerateVerb.include, .include, false),
        (GenerateVerb.outputPath, .outputPath, false), (GenerateVerb.languages, .languages, true),
        (GenerateVerb.services, .services, true), (GenerateVerb.layout, .layout, false),
        (GenerateVerb.visibility, .visibility, false), (GenerateVerb.naming, .naming, false),
        (GenerateVerb.clientSuffix, .clientSuffix, false),
        (GenerateVerb.packageName, .packageName, false), (GenerateVerb.frameworkVersion, .frameworkVersion, false),
    ]

    private static let flags: [(Option, GeneratorSettings.Key, value: String)] = [
        (GenerateVerb.noTests, .tests, "false"), (GenerateVerb.tests, .tests, "true"),
        (GenerateVerb.noClients, .clients, "false"), (GenerateVerb.noDocumentation, .documentation, "false"),
        (GenerateVerb.force, .forceOverwrite, "true"), (GenerateVerb.validate, .validate, "true"),
        (GenerateVerb.prefixPackages, .prefixPackages, "true"),
        (GenerateVerb.skipCompilation, .skipCompilation, "true"),
    ]

    /// Reads them.
    static func settings(_ invocation: Invocation, _ shell: Shell) throws -> GeneratorSettings {
        var settings = GeneratorSettings()
        if let path = invocation[GenerateVerb.config] ?? defaultFile {
            guard let text = String(validating: try InputFile.bytes(path), as: UTF8.self) else {
                throw CommandError.failed("'\(path)' is not UTF-8 text.", hint: "Save it as UTF-8.")
            }
            try settings.read(file: text, at: path)
        }
        settings.read(environment: shell.environment)
        for (option, key, isList) in values where invocation.has(option) {
            let words = invocation.all(option)
            settings.set(key, isList ? words.flatMap(list) : words, from: "--\(option.name)")
        }
        for (option, key, value) in flags where invocation.has(option) {
            settings.set(key, [value], from: "--\(option.name)")
        }
        try checkVersion(settings)
        return settings
    }

    private static var defaultFile: String? { FileManager.default.fileExists(atPath: file) ? file : nil }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }

    /// There is one runtime, and files for another would not compile.
    static func checkVersion(_ settings: GeneratorSettings) throws(CommandError) {
        guard let version = settings.text(.frameworkVersion) else { return }
        let own = packageVersion.split(separator: ".").prefix(2)
        guard version.split(separator: ".").prefix(2).elementsEqual(own) else {
            throw .failed(
                "Files for version '\(version)' of the framework cannot be generated.",
                hint: "This program generates for \(own.joined(separator: ".")).")
        }
    }
}
