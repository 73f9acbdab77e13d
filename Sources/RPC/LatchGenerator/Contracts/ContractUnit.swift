// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// What goes into one file of Swift.
struct ContractUnit {
    /// Where it belongs.
    var path: String
    /// The .proto files that it is made of.
    var sources: [String] = []
    var services: [ServiceDescriptor] = []
    var messages: [MessageDescriptor] = []
    var enums: [EnumDescriptor] = []
    /// Extensions outside of messages, with the name of the enum that holds them.
    var extensions: [(name: String, fields: [FieldDescriptor])] = []

    var isEmpty: Bool { services.isEmpty && messages.isEmpty && enums.isEmpty && extensions.isEmpty }

    /// Whether anything is written besides the head: options of the language are for compilers.
    var needsRuntime: Bool {
        !services.isEmpty || !messages.isEmpty || !enums.isEmpty
            || extensions.contains { !$0.fields.allSatisfy(ExtensionPrinter.isOption) }
    }

    /// Files as the layout wants them.
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
            for place in units[index].extensions.indices {
                let (name, fields) = units[index].extensions[place]
                guard names[name, default: 0] > 1 || types.topLevel.contains(name), let file = fields.first?.file
                else { continue }
                // `a/user.proto` and `b/user.proto`, or a message of that name.
                let path = SwiftNames.pascal(file.name.dropSuffix(".proto"))
                units[index].extensions[place].name = SwiftNames.identifier("\(path)FileExtensions")
            }
        }
        return units
    }

    /// All of a file.
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

    /// The extensions of a file, by the name of the enum that holds them.
    static func extensions(of file: FileDescriptor) -> [(name: String, fields: [FieldDescriptor])] {
        file.extensions.isEmpty ? [] : [("\(stem(of: file.name))Extensions", file.extensions)]
    }

    /// The last part of a path in Pascal case, without its ending.
    static func stem(of name: String) -> String {
        let last = name.split(separator: "/").last ?? ""
        return SwiftNames.identifier(SwiftNames.pascal(last.split(separator: ".").first ?? ""))
    }

    /// The path of what is made of a .proto file.
    static func path(of name: String, _ naming: SwiftOptions.FileNaming) -> String {
        let stem = name.dropSuffix(".proto")
        let path =
            switch naming {
            case .fullPath: stem
            case .pathToUnderscores: stem.split(separator: "/").joined(separator: "_")
            case .dropPath: String(stem.split(separator: "/").last ?? "")
            }
        return path + ".latch.swift"
    }
}

// What it needs of others.
extension ContractUnit {
    /// Modules whose types occur, and whether Foundation's do.
    func uses(_ types: TypeTable) -> (modules: Set<String>, foundation: Bool) {
        var (modules, foundation) = (Set<String>(), false)
        func note(_ fullName: String?) {
            if let fullName, let module = types.module(of: fullName) { modules.insert(module) }
        }
        func visit(_ field: FieldDescriptor) {
            if field.message?.fullName == "google.protobuf.Timestamp" || field.type == .bytes { foundation = true }
            note(field.message?.fullName)
            note(field.enum?.fullName)
            note(field.extendee?.fullName)
        }
        func visit(_ message: MessageDescriptor) {
            message.fields.forEach(visit)
            message.extensions.forEach(visit)
            message.messages.forEach(visit)
        }
        messages.forEach(visit)
        extensions.forEach { $0.fields.forEach(visit) }
        for method in services.flatMap(\.methods) {
            note(method.input?.fullName)
            note(method.output?.fullName)
        }
        return (modules, foundation)
    }

    /// Whether a file names types of another one in what is written of it.
    static func references(_ file: FileDescriptor, to other: FileDescriptor) -> Bool {
        func isThere(_ field: FieldDescriptor) -> Bool {
            if let extendee = field.extendee, extendee.file.name == "google/protobuf/descriptor.proto" { return false }
            return (field.message?.file === other || field.enum?.file === other || field.extendee?.file === other)
                && TypeTable.runtimeNames[field.message?.fullName ?? field.enum?.fullName ?? ""] == nil
        }
        func isThere(_ message: MessageDescriptor) -> Bool {
            message.fields.contains(where: isThere) || message.extensions.contains(where: isThere)
                || message.messages.contains(where: isThere)
        }
        return file.messages.contains(where: isThere) || file.extensions.contains(where: isThere)
            || file.services.contains { service in
                service.methods.contains { method in
                    [method.input, method.output].contains { message in
                        message?.file === other && TypeTable.runtimeNames[message?.fullName ?? ""] == nil
                    }
                }
            }
    }
}

extension String {
    /// Without that end, where it has it.
    fileprivate func dropSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
