// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// An option of the generator, by its key in the table `[generate]` of `latchwork.toml`.
///
/// The flags of the command line, the variables of the environment, the keys of the file, the parameters of protoc and the
/// arguments of the MCP tool are all derived from `definition`: a new option is a case and a line there.
package enum GeneratorOption: String, Sendable, Hashable, CaseIterable {
    case protoPath = "proto_path"
    case include
    case outputPath = "output_path"
    case languages
    case services
    case layout
    case visibility
    case naming
    case clientSuffix = "client_suffix"
    case typePrefix = "type_prefix"
    case packageName = "package_name"
    case prefixPackages = "prefix_packages"
    case moduleMapping = "module_mapping"
    case foundation
    case frameworkVersion = "swift_framework_version"
    case contracts = "generate_contracts"
    case clients = "generate_clients"
    case tests = "generate_tests"
    case documentation = "include_documentation"
    case forceOverwrite = "force_overwrite"
    case validate
    case skipCompilation = "skip_compilation"

    /// The definition of the option, with its names on each surface.
    package var definition: Definition {
        switch self {
        case .protoPath:
            .text(
                "PATH", "a .proto file, or a folder of them", short: "p", repeats: true, isPath: true,
                tool: "proto_path")
        case .include:
            .list(
                "DIR", "a folder that imports are relative to", short: "I", repeats: true, isPath: true,
                tool: "include_paths")
        case .outputPath:
            .text("DIR", "the folder of the generated files", short: "o", isPath: true, tool: "output_path")
        case .languages: .list("LIST", "the languages to generate (swift)", short: "l", tool: "target_languages")
        case .services:
            .list(
                "LIST", "the only services to generate, with their types", short: "s", tool: "services",
                protoc: "services")
        case .layout: .choice("LAYOUT", "the layout of the files", \.swift.layout, protoc: "layout")
        case .visibility: .choice("LEVEL", "the access level of declarations", \.swift.visibility, protoc: "visibility")
        case .naming: .choice("NAMING", "with layout perFile: the file names", \.swift.fileNaming, protoc: "naming")
        case .clientSuffix:
            .name("NAME", "the suffix of client names (Client)", \.clientSuffix, protoc: "client_suffix")
        case .typePrefix: .name("NAME", "the prefix of type names", \.swift.typePrefix, protoc: "prefix")
        case .packageName: .name("NAME", "the module of the generated files", \.swift.moduleName, protoc: "module")
        case .prefixPackages:
            .flag(
                "prefixes type names with their packages", \.swift.prefixesPackages,
                tool: "framework_config.swift.prefix_packages", protoc: "prefix_packages")
        case .moduleMapping:
            .mapping("FILE=MODULE", "the module with the types of another file or folder/", protoc: "M")
        case .foundation:
            .name("MODULE", "the module to import for Data and Date", \.swift.foundation, protoc: "foundation")
        case .frameworkVersion:
            .text("VERSION", "the version of Latchwork to generate for", tool: "framework_config.swift.axiom_version")
        case .contracts: .flag("generates messages, enums and services", \.makesContracts).withoutFlag()
        case .clients:
            .flag("generates clients with actions and state", \.makesClients, protoc: "clients")
                .withoutFlag().clearing("no-clients", "generates messages and services only")
        case .tests:
            .flag("generates tests of the clients", \.makesTests, tool: "framework_config.swift.generate_tests")
                .clearing("no-tests", "generates no tests")
        case .documentation:
            .flag("generates guides to the clients", \.makesGuides)
                .withoutFlag().clearing("no-documentation", "generates no guides")
        case .forceOverwrite: .flag("overwrites edited files, and files of other origin")
        case .validate:
            .flag(
                "checks the generated files with the Swift compiler", tool: "framework_config.swift.enable_validation",
                "generation_options.real_time_validation")
        case .skipCompilation: .flag("with validation: checks the syntax only")
        }
    }

    /// The name of the flag; nil where no flag sets the option.
    package var flag: String? { definition.hasFlag ? rawValue.split(separator: "_").joined(separator: "-") : nil }

    /// The name of the environment variable.
    package var variable: String { self == .frameworkVersion ? "AXIOM_VERSION" : "AXIOM_" + rawValue.uppercased() }

    /// The paths of the MCP tool's arguments, each of which sets the option.
    package var toolArguments: [String] {
        guard definition.toolArguments.isEmpty else { return definition.toolArguments }
        return ["\(definition.kind == .flag ? "generation_options" : "framework_config.swift").\(rawValue)"]
    }
}

extension GeneratorOption {
    /// The type, the description and the names of an option.
    package struct Definition: Sendable {
        /// The type of an option's value.
        package enum Kind: Sendable, Hashable {
            case text, name, list, flag
            /// One of several words.
            case choice([String])
            /// Pairs `FILE=MODULE`.
            case mapping
        }

        package let kind: Kind
        /// The placeholder of the value in help texts.
        package let placeholder: String
        /// The description, without a capital and a period.
        package let summary: String
        /// The letter of the flag.
        package private(set) var short: String?
        /// Whether the flag can be repeated.
        package private(set) var repeats = false
        /// Whether the value is a path, relative to the folder of the file that sets it.
        let isPath: Bool
        /// Whether a flag with the name of the key sets the option.
        fileprivate(set) var hasFlag = true
        /// The flag that sets the option to false, and its description.
        package private(set) var clearingFlag: (name: String, summary: String)?
        fileprivate let toolArguments: [String]
        /// The parameter of protoc; nil where protoc has none.
        let protocParameter: String?
        /// Applies a value to the options of a run.
        let apply: Apply

        typealias Apply = @Sendable (inout GenerationOptions, GeneratorSettings.Value) throws(GeneratorError) -> Void
        typealias Path<Value> = any WritableKeyPath<GenerationOptions, Value> & Sendable

        private init(
            _ kind: Kind, _ placeholder: String, _ summary: String, isPath: Bool = false, tool: [String],
            protoc: String?, apply: @escaping Apply = { _, _ throws(GeneratorError) in }
        ) {
            self.kind = kind
            self.placeholder = placeholder
            self.summary = summary
            self.isPath = isPath
            toolArguments = tool
            protocParameter = protoc
            self.apply = apply
        }

        fileprivate static func text(
            _ placeholder: String, _ summary: String, short: String? = nil, repeats: Bool = false,
            isPath: Bool = false, tool: String
        ) -> Self {
            Self(.text, placeholder, summary, isPath: isPath, tool: [tool], protoc: nil).named(short, repeats: repeats)
        }

        fileprivate static func list(
            _ placeholder: String, _ summary: String, short: String, repeats: Bool = false, isPath: Bool = false,
            tool: String, protoc: String? = nil
        ) -> Self {
            Self(.list, placeholder, summary, isPath: isPath, tool: [tool], protoc: protoc)
                .named(short, repeats: repeats)
        }

        fileprivate static func name(
            _ placeholder: String, _ summary: String, _ path: Path<String>, protoc: String
        ) -> Self {
            Self(.name, placeholder, summary, tool: [], protoc: protoc) { options, value throws(GeneratorError) in
                options[keyPath: path] = try value.name()
            }
        }

        fileprivate static func name(
            _ placeholder: String, _ summary: String, _ path: Path<String?>, protoc: String
        ) -> Self {
            Self(.name, placeholder, summary, tool: [], protoc: protoc) { options, value throws(GeneratorError) in
                options[keyPath: path] = try value.name()
            }
        }

        fileprivate static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
            _ placeholder: String, _ summary: String, _ path: Path<Choice>, protoc: String
        ) -> Self {
            let names = Choice.allCases.map(\.rawValue)
            let text = "\(summary): \(names.joined(separator: ", ")) (\(names.first ?? ""))"
            return Self(.choice(names), placeholder, text, tool: [], protoc: protoc) {
                options, value throws(GeneratorError) in
                options[keyPath: path] = try value.choice()
            }
        }

        fileprivate static func mapping(_ placeholder: String, _ summary: String, protoc: String) -> Self {
            Self(.mapping, placeholder, summary, tool: [], protoc: protoc) { options, value throws(GeneratorError) in
                options.swift.modules = try value.mapping()
            }.named(nil, repeats: true)
        }

        fileprivate static func flag(
            _ summary: String, _ path: Path<Bool>, tool: String? = nil, protoc: String? = nil
        ) -> Self {
            Self(.flag, "", summary, tool: [tool].compactMap(\.self), protoc: protoc) {
                options, value throws(GeneratorError) in
                options[keyPath: path] = try value.flag()
            }
        }

        /// An option that the caller of the generator applies.
        fileprivate static func flag(_ summary: String, tool: String...) -> Self {
            Self(.flag, "", summary, tool: tool, protoc: nil)
        }

        private func named(_ short: String?, repeats: Bool) -> Self {
            var copy = self
            (copy.short, copy.repeats) = (short, repeats)
            return copy
        }

        fileprivate func withoutFlag() -> Self {
            var copy = self
            copy.hasFlag = false
            return copy
        }

        fileprivate func clearing(_ name: String, _ summary: String) -> Self {
            var copy = self
            copy.clearingFlag = (name, summary)
            return copy
        }
    }
}
