// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchRPC

/// Files of descriptors, found by their names and by the names in them.
struct DescriptorIndex: Sendable {
    private struct File: Sendable {
        let bytes: Data
        let dependencies: [String]
    }

    /// A field beyond a message's own, by which message it extends and its number there.
    struct ExtensionKey: Hashable, Sendable {
        let type: String
        let number: Int32
    }

    private var files: [String: File] = [:]
    private var fileOfSymbol: [String: String] = [:]
    private var fileOfExtension: [ExtensionKey: String] = [:]
    /// The full names of the services, in the order of the files.
    private(set) var services: [String] = []

    /// The files of a serialized `FileDescriptorSet`; of two with one name the first counts.
    ///
    /// - Throws: `ProtoError` for bytes that are none.
    init(_ bytes: [UInt8]) throws {
        for bytes in try FileSet(serialized: bytes).file {
            let file = try FileNames(serialized: Array(bytes))
            guard files[file.name] == nil else { continue }
            files[file.name] = File(bytes: bytes, dependencies: file.dependency)
            add(file)
        }
    }

    /// A file, and all that it needs to be understood, each once.
    ///
    /// - Returns: nil where there is no such file; what is needed and not there is left out.
    func closure(of name: String) -> [Data]? {
        guard files[name] != nil else { return nil }
        var (seen, waiting, found) = (Set([name]), [name], [Data]())
        while let next = waiting.popLast() {
            guard let file = files[next] else { continue }
            found.append(file.bytes)
            waiting += file.dependencies.filter { seen.insert($0).inserted }
        }
        return found
    }

    /// The file in which a full name is declared: of a message, a field, an enum, a value, a service or a method.
    func file(declaring symbol: String) -> String? { fileOfSymbol[symbol] }

    /// The file in which a message is extended.
    func file(extending key: ExtensionKey) -> String? { fileOfExtension[key] }

    /// The numbers by which a message is extended; nil where there is no such message.
    func extensionNumbers(of type: String) -> [Int32]? {
        let numbers = fileOfExtension.keys.filter { $0.type == type }.map(\.number).sorted()
        return numbers.isEmpty && fileOfSymbol[type] == nil ? nil : numbers
    }
}

// MARK: Names

extension DescriptorIndex {
    private mutating func add(_ file: FileNames) {
        let scope = file.package.isEmpty ? "" : file.package + "."
        for message in file.messageType { add(message, in: scope, of: file.name) }
        for type in file.enumType { add(type, in: scope, of: file.name) }
        for field in file.extension { addExtension(field, in: scope, of: file.name) }
        for service in file.service {
            services.append(scope + service.name)
            declare(scope + service.name, in: file.name)
            for method in service.method { declare("\(scope)\(service.name).\(method.name)", in: file.name) }
        }
    }

    private mutating func add(_ message: MessageNames, in scope: String, of file: String) {
        declare(scope + message.name, in: file)
        let inner = "\(scope)\(message.name)."
        for field in message.field { declare(inner + field.name, in: file) }
        for oneof in message.oneofDecl { declare(inner + oneof.name, in: file) }
        for nested in message.nestedType { add(nested, in: inner, of: file) }
        for type in message.enumType { add(type, in: inner, of: file) }
        for field in message.extension { addExtension(field, in: inner, of: file) }
    }

    /// The values of an enum are declared beside it, as those of C are.
    private mutating func add(_ type: EnumNames, in scope: String, of file: String) {
        declare(scope + type.name, in: file)
        for value in type.value { declare(scope + value.name, in: file) }
    }

    private mutating func addExtension(_ field: FieldNames, in scope: String, of file: String) {
        declare(scope + field.name, in: file)
        let type = field.extendee.hasPrefix(".") ? String(field.extendee.dropFirst()) : field.extendee
        fileOfExtension[ExtensionKey(type: type, number: field.number)] = file
    }

    private mutating func declare(_ symbol: String, in file: String) { fileOfSymbol[symbol] = file }
}
