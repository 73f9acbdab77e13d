// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchRPC

/// An index of file descriptors by file name, symbol and extension.
struct DescriptorIndex: Sendable {
    /// The key of an extension: the extended message and the field number.
    struct ExtensionKey: Hashable, Sendable {
        let type: String
        let number: Int32
    }

    private var files: [String: (bytes: Data, dependencies: [String])] = [:]
    private var fileOfSymbol: [String: String] = [:]
    private var fileOfExtension: [ExtensionKey: String] = [:]
    /// The full names of the services, in file order.
    private(set) var services: [String] = []

    /// Creates the index of a serialized `FileDescriptorSet`; if two files have the same name, the first wins.
    ///
    /// - Throws: `ProtoError` for invalid bytes.
    init(_ bytes: [UInt8]) throws {
        for bytes in try FileSet(serialized: bytes).file {
            let file = try FileNames(serialized: Array(bytes))
            guard files[file.name] == nil else { continue }
            files[file.name] = (bytes, file.dependency)
            add(file)
        }
    }

    /// Returns a file and its transitive imports, each once.
    ///
    /// - Returns: The descriptors; nil if the file is missing. Missing imports are omitted.
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

    /// Returns the file that declares a full name: of a message, field, enum, value, service or method.
    func file(declaring symbol: String) -> String? { fileOfSymbol[symbol] }

    /// Returns the file that declares an extension.
    func file(extending key: ExtensionKey) -> String? { fileOfExtension[key] }

    /// Returns the extension numbers of a message; nil if the message is unknown.
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

    /// Adds an enum; its values are declared in the surrounding scope, as in C.
    private mutating func add(_ type: EnumNames, in scope: String, of file: String) {
        declare(scope + type.name, in: file)
        for value in type.value { declare(scope + value.name, in: file) }
    }

    private mutating func addExtension(_ field: FieldNames, in scope: String, of file: String) {
        declare(scope + field.name, in: file)
        let type = String(Substring(field.extendee.utf8.drop { $0 == UInt8(ascii: ".") }))
        fileOfExtension[ExtensionKey(type: type, number: field.number)] = file
    }

    private mutating func declare(_ symbol: String, in file: String) { fileOfSymbol[symbol] = file }
}
