// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The declarations of one generated Swift file.
struct ContractUnit {
    /// The path within the output.
    var path: String
    /// The names of the .proto files that it is generated from.
    var sources: [String] = []
    var services: [ServiceDescriptor] = []
    var messages: [MessageDescriptor] = []
    var enums: [EnumDescriptor] = []
    /// The extensions outside of messages, with the name of the enum that contains them.
    var extensions: [(name: String, fields: [FieldDescriptor])] = []

    var isEmpty: Bool { services.isEmpty && messages.isEmpty && enums.isEmpty && extensions.isEmpty }

    /// Whether the file contains any declaration; extensions of descriptor.proto's options produce none.
    var needsRuntime: Bool {
        !services.isEmpty || !messages.isEmpty || !enums.isEmpty
            || extensions.contains { !$0.fields.allSatisfy(ExtensionPrinter.isOption) }
    }

    /// Returns the units of some files in the layout that the options choose.
    static func units(
        of files: [FileDescriptor], _ options: SwiftOptions, _ types: TypeTable, _ context: inout ContractContext
    ) -> [ContractUnit] {
        var units =
            switch options.layout {
            case .perFile: files.map { ContractUnit($0, path: path(of: $0.name, options.fileNaming)) }
            case .project: ProjectLayout(types).units(of: files)
            }
        let names = Dictionary(grouping: units.flatMap(\.extensions), by: \.name).mapValues(\.count)
        for index in units.indices {
            for position in units[index].extensions.indices {
                let (name, fields) = units[index].extensions[position]
                guard names[name, default: 0] > 1 || types.topLevel.contains(name), let file = fields.first?.file
                else { continue }
                // The names can collide: `a/user.proto` and `b/user.proto`, or a message with the same name.
                let path = SwiftNames.pascal(file.name.dropping(suffix: ".proto"))
                units[index].extensions[position].name = SwiftNames.identifier("\(path)FileExtensions")
            }
        }
        return units
    }

    /// Creates the unit of all declarations of a file.
    private init(_ file: FileDescriptor, path: String) {
        self.path = path
        sources = [file.name]
        (services, messages, enums) = (file.services, file.messages, file.enums)
        extensions = Self.extensions(of: file)
    }

    init(path: String, of file: FileDescriptor) {
        self.path = path
        sources = [file.name]
    }

    /// Returns the extensions of a file, with the name of the enum that contains them.
    static func extensions(of file: FileDescriptor) -> [(name: String, fields: [FieldDescriptor])] {
        file.extensions.isEmpty ? [] : [("\(stem(of: file.name))Extensions", file.extensions)]
    }

    /// Returns the last component of a path in Pascal case, without its extension.
    static func stem(of name: String) -> String {
        let last = name.unicodeScalars.split(separator: "/").last ?? name.unicodeScalars[...]
        return SwiftNames.identifier(SwiftNames.pascal(Substring(last.split(separator: ".").first ?? last)))
    }

    /// Returns the path of the Swift file for a .proto file.
    static func path(of name: String, _ naming: SwiftOptions.FileNaming) -> String {
        let stem = name.dropping(suffix: ".proto")
        let path =
            switch naming {
            case .fullPath: stem
            case .pathToUnderscores: stem.pathParts.joined(separator: "_")
            case .dropPath: stem.pathParts.last ?? ""
            }
        return path + ".latch.swift"
    }
}

extension ContractUnit {
    /// Returns the modules of the types in the unit, and whether it uses Foundation's types.
    func uses(_ types: TypeTable) -> (modules: Set<String>, foundation: Bool) {
        var (modules, foundation) = (Set<String>(), false)
        func insert(_ fullName: String?) {
            if let fullName, let module = types.module(of: fullName) { modules.insert(module) }
        }
        func visit(_ field: FieldDescriptor) {
            guard !ExtensionPrinter.isOption(field) else { return }
            if field.message?.fullName == "google.protobuf.Timestamp" || field.type == .bytes { foundation = true }
            insert(field.message?.fullName)
            insert(field.enum?.fullName)
            insert(field.extendee?.fullName)
        }
        func visit(_ message: MessageDescriptor) {
            message.fields.forEach(visit)
            message.extensions.forEach(visit)
            message.messages.forEach(visit)
        }
        messages.forEach(visit)
        extensions.forEach { $0.fields.forEach(visit) }
        for method in services.flatMap(\.methods) {
            insert(method.input?.fullName)
            insert(method.output?.fullName)
        }
        return (modules, foundation)
    }

    /// Whether the generated code of a file refers to types of another file.
    static func references(_ file: FileDescriptor, to other: FileDescriptor) -> Bool {
        func refers(_ field: FieldDescriptor) -> Bool {
            if let extendee = field.extendee, extendee.file.name == "google/protobuf/descriptor.proto" { return false }
            return (field.message?.file === other || field.enum?.file === other || field.extendee?.file === other)
                && TypeTable.runtimeNames[field.message?.fullName ?? field.enum?.fullName ?? ""] == nil
        }
        func refers(_ message: MessageDescriptor) -> Bool {
            message.fields.contains(where: refers) || message.extensions.contains(where: refers)
                || message.messages.contains(where: refers)
        }
        return file.messages.contains(where: refers) || file.extensions.contains(where: refers)
            || file.services.contains { service in
                service.methods.contains { method in
                    [method.input, method.output].contains { message in
                        message?.file === other && TypeTable.runtimeNames[message?.fullName ?? ""] == nil
                    }
                }
            }
    }
}
