// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The Swift names of all messages and enums: generated, in other modules, and in the runtime.
struct TypeTable: Sendable {
    /// A type: the names from the outermost type to the type itself, and its origin.
    struct Entry: Sendable {
        var path: [String]
        /// The module; nil for a generated type.
        var module: String?
        /// The .proto file.
        var file: String
        /// The case of an enum's default value; nil for messages.
        var zero: String?
    }

    private(set) var entries: [String: Entry] = [:]
    /// The names of top-level types with their modules.
    ///
    /// The module is nil for generated types, and empty if several modules declare the name.
    private var modules: [String: String?] = [:]
    /// The same names, for fast lookups of standard types.
    private var taken = ReservedWords.none
    private var serviceNames: [String: String] = [:]
    /// The names of top-level types by package and module; two files of a package may declare names that are equal in
    /// Swift.
    private var packageNames: [String: NameSet] = [:]
    private let moduleName: String?

    /// Creates a table of files and their transitive dependencies.
    init(_ files: [FileDescriptor], options: SwiftOptions) {
        moduleName = options.moduleName
        var seen: Set<String> = []
        for file in files { add(file, options, &seen) }
        taken = ReservedWords(Set(modules.keys))
        packageNames = [:]
    }

    private mutating func add(_ file: FileDescriptor, _ options: SwiftOptions, _ seen: inout Set<String>) {
        guard seen.insert(file.name).inserted else { return }
        // Imported files come first, because their names must not depend on the files that import them.
        for dependency in file.dependencies { add(dependency, options, &seen) }
        let module = options.module(ofFile: file.name)
        let prefix = options.prefix(of: file)
        let scope = "\(module ?? "")/\(file.package)"
        var names = packageNames[scope] ?? NameSet()
        names.beginPart()
        add(file.messages, file.enums, in: [], prefix, module, &names)
        packageNames[scope] = names
        for service in file.services { serviceNames[service.fullName] = prefix + SwiftNames.type(service.name) }
    }

    /// Adds the declarations of one scope; if two names are equal in Swift, the second receives a numeric suffix.
    private mutating func add(
        _ messages: [MessageDescriptor], _ enums: [EnumDescriptor], in path: [String], _ prefix: String,
        _ module: String?, _ names: inout NameSet
    ) {
        for (index, message) in messages.enumerated() where !message.isMapEntry {
            let name = names.take(prefix + SwiftNames.type(message.name), or: index + 1)
            add(message.fullName, name, in: path, module, message.file)
            var nested = NameSet()
            add(message.messages, message.enums, in: entries[message.fullName]?.path ?? [], "", module, &nested)
        }
        for (index, one) in enums.enumerated() {
            let name = names.take(prefix + SwiftNames.type(one.name), or: messages.count + index + 1)
            add(one.fullName, name, in: path, module, one.file)
            entries[one.fullName]?.zero = EnumShape(one).cases.first?.name
        }
    }

    private mutating func add(
        _ fullName: String, _ own: String, in path: [String], _ module: String?, _ file: FileDescriptor
    ) {
        if let runtime = Self.runtimeNames[fullName] {
            entries[fullName] = Entry(path: [runtime], module: Self.runtime, file: file.name)
            return
        }
        entries[fullName] = Entry(path: path + [own], module: module, file: file.name)
        guard path.isEmpty else { return }
        if let other = modules[own], other != module {
            modules[own] = .some(other == nil || module == nil ? nil : "")
        } else {
            modules[own] = .some(module)
        }
    }

    /// The runtime module of generated code.
    static let runtime = "LatchRPC"

    /// The messages and enums that the runtime contains.
    static let runtimeNames: [String: String] = Dictionary(
        uniqueKeysWithValues: [
            ("Timestamp", "Timestamp"), ("Duration", "ProtoDuration"), ("Any", "ProtoAny"), ("Struct", "ProtoStruct"),
            ("Value", "ProtoValue"), ("ListValue", "ProtoList"), ("NullValue", "ProtoNull"),
            ("FieldMask", "FieldMask"), ("Empty", "Empty"), ("DoubleValue", "DoubleValue"),
            ("FloatValue", "FloatValue"), ("Int64Value", "Int64Value"), ("UInt64Value", "UInt64Value"),
            ("Int32Value", "Int32Value"), ("UInt32Value", "UInt32Value"), ("BoolValue", "BoolValue"),
            ("StringValue", "StringValue"), ("BytesValue", "BytesValue"),
        ].map { ("google.protobuf.\($0.0)", $0.1) })
}

extension TypeTable {
    /// Returns the unqualified name of a type; empty for an unknown type.
    func ownName(_ fullName: String) -> String { entries[fullName]?.path.last ?? "" }

    /// The names of top-level types.
    var topLevel: Dictionary<String, String?>.Keys { modules.keys }

    /// Returns the prefix of a service's type names.
    func serviceName(_ service: ServiceDescriptor) -> String { serviceNames[service.fullName] ?? "" }

    /// Returns the module of a type; nil for a generated type.
    func module(of fullName: String) -> String? { entries[fullName]?.module }

    /// Returns the name of a message at file scope, such as `User.Address`.
    func name(_ message: MessageDescriptor) -> String { name(message.fullName, in: TypeScope()) }

    /// Returns the name by which code in a scope refers to a type.
    func name(_ fullName: String, in scope: TypeScope) -> String {
        guard let entry = entries[fullName], let first = entry.path.first else { return "Never" }
        let name = entry.path.joined(separator: ".")
        if let module = entry.module {
            let isOther = modules[first].map { $0 != module } ?? false
            return isOther || scope.nested.contains(first) ? "\(module).\(name)" : name
        }
        guard scope.nested.contains(first), let moduleName else { return name }
        return "\(moduleName).\(name)"
    }

    /// Whether code in a scope cannot refer to a type.
    ///
    /// This happens if a nested type with the same name shadows it, and the module's name is unknown.
    func isHidden(_ fullName: String, in scope: TypeScope) -> Bool {
        guard moduleName == nil, let entry = entries[fullName], entry.module == nil, let first = entry.path.first else {
            return false
        }
        return scope.nested.contains(first)
    }

    /// Returns the name by which code in a scope refers to a type of Swift, Foundation or the runtime.
    func standard(_ name: String, in scope: TypeScope = TypeScope()) -> String {
        guard taken.contains(name) || scope.nested.contains(name) else { return name }
        if Self.swiftNames.contains(name) { return "Swift.\(name)" }
        // `Data` and `Date` come from one of two modules; the runtime declares aliases for them.
        return switch name {
        case "Data": "LatchRPC.ProtoBytes"
        case "Date": "LatchRPC.ProtoDate"
        case "AxiomError": "AxiomCore.AxiomError"
        case "AxiomAction", "AxiomClient", "AxiomState": "AxiomArchitecture.\(name)"
        case "Suite", "Test": "Testing.\(name)"
        default: "\(Self.runtime).\(name)"
        }
    }

    private static let swiftNames: Set<String> = [
        "String", "Bool", "Int32", "Int64", "UInt32", "UInt64", "Int", "Float", "Double", "Hashable", "Sendable",
        "Duration", "Void", "Hasher",
    ]
}

/// The scope of a type reference, with the nested types that shadow outer ones.
struct TypeScope: Sendable {
    /// The names of types that the enclosing types declare.
    var nested: Set<String> = []

    /// Creates the scope of a file.
    init() {}

    /// Returns the scope inside a type that declares nested types.
    func entering(_ names: some Sequence<String>) -> TypeScope {
        var scope = self
        scope.nested.formUnion(names)
        return scope
    }
}
