// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchGenerator

extension GeneratorOption {
    /// The flag that sets the option; nil if there is none.
    var settingFlag: Option? {
        guard let flag else { return nil }
        let (value, summary) = (definition.placeholder, definition.summary)
        if definition.kind == .flag { return .flag(flag, summary) }
        return definition.repeats
            ? .values(flag, value, short: definition.short, summary)
            : .value(flag, value, short: definition.short, summary)
    }

    /// The flag that sets the option to false; nil if there is none.
    var clearingFlag: Option? { definition.clearingFlag.map { .flag($0.name, $0.summary) } }
}

/// The settings of a call, from its flags, the environment and the configuration file.
enum GeneratorFlags {
    static let config = Option.value("config", "FILE", "the settings file (latchwork.toml, if it exists)")

    /// The configuration file that is read by default.
    private static let defaultFile = "latchwork.toml"

    /// The flags of all options.
    static let all = GeneratorOption.allCases.flatMap { [$0.settingFlag, $0.clearingFlag].compactMap(\.self) }

    /// Returns the content of the default file; the file may be a pipe in an untrusted repository.
    private static func ownFile(_ path: String) throws(CommandError) -> [UInt8] {
        do throws(FileError) { return try AtomicFile(path).readFile() ?? [] } catch {
            throw .failed("'\(path)' cannot be read: \(error).", hint: "Remove it, or name another one with --config.")
        }
    }

    /// Returns the settings of a call.
    static func settings(_ invocation: Invocation, _ shell: Environment) throws -> GeneratorSettings {
        var settings = GeneratorSettings()
        if let path = invocation[config] ?? existingFile {
            let bytes = try invocation[config] != nil ? InputFile.bytes(path) : ownFile(path)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CommandError.failed("'\(path)' is not UTF-8 text.", hint: "Save it as UTF-8.")
            }
            try settings.read(file: text, at: path)
        }
        settings.read(environment: shell.variables)
        for option in GeneratorOption.allCases {
            if let flag = option.clearingFlag, invocation.has(flag) {
                settings.set(option, ["false"], from: "--\(flag.name)")
            }
            guard let flag = option.settingFlag, invocation.has(flag) else { continue }
            let words = invocation.all(flag)
            let isCommaSeparated = option.definition.kind == .list && !option.definition.repeats
            settings.set(
                option, flag.value == nil ? ["true"] : isCommaSeparated ? words.flatMap(elements) : words,
                from: "--\(flag.name)")
        }
        try checkVersion(settings)
        return settings
    }

    private static var existingFile: String? {
        FileManager.default.fileExists(atPath: defaultFile) ? defaultFile : nil
    }

    /// Returns the elements of a comma-separated list.
    private static func elements(_ text: String) -> [String] {
        text.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }

    /// Throws for a version other than this one, because its files would not compile with this runtime.
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
