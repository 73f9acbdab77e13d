// SPDX-License-Identifier: Apache-2.0

package import LatchProto

/// The Swift names of all messages and enums that a generation knows: those that it writes, those of other modules, and
/// those of the runtime.
package struct TypeTable: Sendable {
    /// One type: the names from the outermost type to itself, and where it comes from.
    struct Entry: Sendable {
        var path: [String]
        /// The module; nil for one that is generated here.
        var module: String?
        /// The .proto file.
        var file: String
        /// The case of an enum that stands for nothing; nil for messages.
        var zero: String?
    }

    private(set) var entries: [String: Entry] = [:]
    /// Names outside of other types, with the module that has them; nil for those that are generated here, and the empty
    /// name where several modules do.
    private var modules: [String: String?] = [:]
    /// The same names, for asking whether one of the language's own is among them.
    private var taken = ReservedWords.none
    private var serviceNames: [String: String] = [:]
    private let moduleName: String?

    /// A table of files and of all that they import.
    package init(_ files: [FileDescriptor], options: SwiftOptions) {
        moduleName = options.moduleName
        var seen: Set<String> = []
        for file in files { add(file, options, &seen) }
        taken = ReservedWords(Set(modules.keys))
    }

    private mutating func add(_ file: FileDescriptor, _ options: SwiftOptions, _ seen: inout Set<String>) {
        guard seen.insert(file.name).inserted else { return }
        let module = options.module(ofFile: file.name)
        let prefix = options.prefix(package: file.package, says: file.options.message.string(39))
        add(file.messages, file.enums, in: [], prefix, module)
        for service in file.services { serviceNames[service.fullName] = prefix + SwiftNames.type(service.name) }
        for dependency in file.dependencies { add(dependency, options, &seen) }
    }

    /// Adds what is declared at one place: of two names that are one in Swift the second gets its place behind it.
    private mutating func add(
        _ messages: [MessageDescriptor], _ enums: [EnumDescriptor], in path: [String], _ prefix: String,
        _ module: String?
    ) {
        var names = NameSet()
        for (index, message) in messages.enumerated() where !message.isMapEntry {
            let name = names.take(prefix + SwiftNames.type(message.name), or: index + 1)
            add(message.fullName, name, in: path, module, message.file)
            add(message.messages, message.enums, in: entries[message.fullName]?.path ?? [], "", module)
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

    /// The module that generated code runs on.
    static let runtime = "LatchRPC"

    /// Messages and enums that the runtime brings.
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
    /// The last part of a type's name, by which it is declared; empty for a type that is not known.
    package func ownName(_ fullName: String) -> String { entries[fullName]?.path.last ?? "" }

    /// Names outside of other types.
    var topLevel: Dictionary<String, String?>.Keys { modules.keys }

    /// What the names of a service's types begin with.
    package func serviceName(_ service: ServiceDescriptor) -> String { serviceNames[service.fullName] ?? "" }

    /// The module of a type; nil for one that is generated here.
    func module(of fullName: String) -> String? { entries[fullName]?.module }

    /// The name of a message outside of all types, such as `User.Address`.
    package func name(_ message: MessageDescriptor) -> String { name(message.fullName, in: TypeScope()) }

    /// The name of an enum outside of all types.
    package func name(_ one: EnumDescriptor) -> String { name(one.fullName, in: TypeScope()) }

    /// The name of a type as it is written at a place.
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

    /// Whether a type cannot be named at a place: a nested one of the same name is in the way, and the module's name is
    /// not known.
    func isHidden(_ fullName: String, in scope: TypeScope) -> Bool {
        guard moduleName == nil, let entry = entries[fullName], entry.module == nil, let first = entry.path.first else {
            return false
        }
        return scope.nested.contains(first)
    }

    /// The name of a type of Swift, of Foundation or of the runtime as it is written at a place.
    package func standard(_ name: String, in scope: TypeScope = TypeScope()) -> String {
        guard taken.contains(name) || scope.nested.contains(name) else { return name }
        if Self.swiftNames.contains(name) { return "Swift.\(name)" }
        // `Data` and `Date` come from one of two modules, so that the runtime names them a second time.
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

/// Where a name is written: what the types around it declare hides what is outside.
package struct TypeScope: Sendable {
    /// Names of types that are declared in the types around.
    package var nested: Set<String> = []

    /// Outside of all types.
    package init() {}

    /// Inside a type that declares others.
    func entering(_ names: some Sequence<String>) -> TypeScope {
        var scope = self
        scope.nested.formUnion(names)
        return scope
    }
}
