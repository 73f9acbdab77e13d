// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// An option of the generator, identified by its key in the table `[generate]` of `latchwork.toml`.
///
/// To add an option, add a case and a line to `definition`. Command-line flags, environment variables, keys of the
/// file, parameters of protoc and arguments of the MCP tool are all derived from it.
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
    case keepServiceNames = "keep_service_names"
    case typePrefix = "type_prefix"
    case packageName = "package_name"
    case prefixPackages = "prefix_packages"
    case allowUnenforcedRules = "allow_unenforced_rules"
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
            .value(
                .text, "PATH", "a .proto file, or a folder of them", short: "p", repeats: true, isPath: true,
                tool: "proto_path")
        case .include:
            .value(
                .list, "DIR", "a folder that imports are relative to", short: "I", repeats: true, isPath: true,
                tool: "include_paths")
        case .outputPath:
            .value(.text, "DIR", "the folder of the generated files", short: "o", isPath: true, tool: "output_path")
        case .languages:
            .value(.list, "LIST", "the languages to generate (swift)", short: "l", tool: "target_languages")
        case .services:
            .value(
                .list, "LIST", "the only services to generate, with their types", short: "s", tool: "services",
                protoc: "services")
        case .layout: .choice("LAYOUT", "the layout of the files", \.swift.layout, protoc: "layout")
        case .visibility: .choice("LEVEL", "the access level of declarations", \.swift.visibility, protoc: "visibility")
        case .naming: .choice("NAMING", "with layout perFile: the file names", \.swift.fileNaming, protoc: "naming")
        case .clientSuffix:
            .name("the suffix of client names (Client)", protoc: "client_suffix") { $0.clientSuffix = $1 }
        case .keepServiceNames:
            .flag(
                "names clients after whole service names (JobServiceClient)",
                tool: [Self.swift("keep_service_names")], protoc: "keep_service_names"
            ) { $0.keepsServiceNames = $1 }
        case .typePrefix: .name("the prefix of type names", protoc: "prefix") { $0.swift.typePrefix = $1 }
        case .packageName:
            .name("the module of the generated files", protoc: "module") { $0.swift.moduleName = $1 }
        case .prefixPackages:
            .flag(
                "prefixes type names with their packages", tool: [Self.swift("prefix_packages")],
                protoc: "prefix_packages"
            ) { $0.swift.prefixesPackages = $1 }
        case .allowUnenforcedRules:
            .flag(
                "leaves out rules that are not checked (CEL)", tool: [Self.swift("allow_unenforced_rules")],
                protoc: "allow_unenforced_rules"
            ) { $0.swift.allowsUnenforcedRules = $1 }
        case .moduleMapping: .mapping("the module with the types of another file or folder/", protoc: "M")
        case .foundation:
            .name("the module to import for Data and Date", "MODULE", protoc: "foundation") { $0.swift.foundation = $1 }
        case .frameworkVersion:
            .value(.text, "VERSION", "the version of Latchwork to generate for", tool: Self.swift("axiom_version"))
        case .contracts: .flag("generates messages, enums and services", hasFlag: false) { $0.makesContracts = $1 }
        case .clients: Self.clientsFlag
        case .tests: Self.testsFlag
        case .documentation: Self.documentationFlag
        case .forceOverwrite: .flag("overwrites edited files, and files of other origin")
        case .validate:
            .flag(
                "checks the generated files with the Swift compiler",
                tool: [Self.swift("enable_validation"), "generation_options.real_time_validation"])
        case .skipCompilation: .flag("with validation: checks the syntax only")
        }
    }

    private static let clientsFlag = Definition.flag(
        "generates clients with actions and state", hasFlag: false,
        clearing: ("no-clients", "generates messages and services only"), protoc: "clients"
    ) { $0.makesClients = $1 }

    private static let testsFlag = Definition.flag(
        "generates tests of the clients", clearing: ("no-tests", "generates no tests"), tool: [swift("generate_tests")]
    ) { $0.makesTests = $1 }

    private static let documentationFlag = Definition.flag(
        "generates guides to the clients", hasFlag: false, clearing: ("no-documentation", "generates no guides")
    ) { $0.makesGuides = $1 }

    /// The name of the flag; nil if no flag sets the option.
    package var flag: String? { definition.hasFlag ? rawValue.split(separator: "_").joined(separator: "-") : nil }

    /// The name of the environment variable.
    package var variable: String { self == .frameworkVersion ? "AXIOM_VERSION" : "AXIOM_" + rawValue.uppercased() }

    /// The paths of the MCP tool's arguments that set the option.
    package var toolArguments: [String] {
        guard definition.tool.isEmpty else { return definition.tool }
        return [definition.kind == .flag ? "generation_options.\(rawValue)" : Self.swift(rawValue)]
    }

    private static func swift(_ name: String) -> String { "framework_config.swift.\(name)" }
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
        package private(set) var placeholder = ""
        /// The description, without a capital letter and a period.
        package let summary: String
        /// The letter of the flag.
        package private(set) var short: Character?
        /// Whether the flag can be repeated.
        package private(set) var repeats = false
        /// Whether the value is a path, relative to the folder of the file that sets it.
        private(set) var isPath = false
        /// Whether a flag with the name of the key sets the option.
        fileprivate var hasFlag = true
        /// The flag that sets the option to false, and its description.
        package private(set) var clearingFlag: (name: String, summary: String)?
        /// The paths of the MCP tool's arguments; empty if the key determines a single argument.
        fileprivate var tool: [String] = []
        /// The parameter of protoc; nil if protoc has none.
        private(set) var protocParameter: String?
        /// Applies a value to the options of a run; does nothing if the generator's caller applies it.
        private(set) var apply: Apply = { _, _ throws(GeneratorError) in }

        typealias Apply = @Sendable (inout GenerationOptions, GeneratorSettings.Value) throws(GeneratorError) -> Void
        typealias Path<Value> = any WritableKeyPath<GenerationOptions, Value> & Sendable

        fileprivate static func value(
            _ kind: Kind, _ placeholder: String, _ summary: String, short: Character? = nil, repeats: Bool = false,
            isPath: Bool = false, tool: String, protoc: String? = nil
        ) -> Self {
            Self(
                kind: kind, placeholder: placeholder, summary: summary, short: short, repeats: repeats, isPath: isPath,
                tool: [tool], protocParameter: protoc)
        }

        fileprivate static func name(
            _ summary: String, _ placeholder: String = "NAME", protoc: String,
            _ set: @escaping @Sendable (inout GenerationOptions, String) -> Void
        ) -> Self {
            Self(kind: .name, placeholder: placeholder, summary: summary, protocParameter: protoc) {
                options, value throws(GeneratorError) in set(&options, try value.name())
            }
        }

        fileprivate static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
            _ placeholder: String, _ summary: String, _ path: Path<Choice>, protoc: String
        ) -> Self {
            let names = Choice.allCases.map(\.rawValue)
            let summary = "\(summary): \(names.joined(separator: ", ")) (\(names.first ?? ""))"
            return Self(kind: .choice(names), placeholder: placeholder, summary: summary, protocParameter: protoc) {
                options, value throws(GeneratorError) in options[keyPath: path] = try value.choice()
            }
        }

        fileprivate static func mapping(_ summary: String, protoc: String) -> Self {
            Self(kind: .mapping, placeholder: "FILE=MODULE", summary: summary, repeats: true, protocParameter: protoc) {
                options, value throws(GeneratorError) in options.swift.modules = try value.mapping()
            }
        }

        fileprivate static func flag(
            _ summary: String, hasFlag: Bool = true, clearing: (name: String, summary: String)? = nil,
            tool: [String] = [], protoc: String? = nil,
            _ set: (@Sendable (inout GenerationOptions, Bool) -> Void)? = nil
        ) -> Self {
            Self(
                kind: .flag, summary: summary, hasFlag: hasFlag, clearingFlag: clearing, tool: tool,
                protocParameter: protoc
            ) { options, value throws(GeneratorError) in
                if let set { set(&options, try value.flag()) }
            }
        }
    }
}
