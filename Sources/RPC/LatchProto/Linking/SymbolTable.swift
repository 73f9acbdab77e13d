// SPDX-License-Identifier: Apache-2.0

/// What a full name stands for.
enum Symbol {
    case package
    case message(MessageDescriptor)
    case `enum`(EnumDescriptor)
    case value(EnumValueDescriptor)
    case field(FieldDescriptor)
    case oneof(OneofDescriptor)
    case service(ServiceDescriptor)
    case method(MethodDescriptor)

    /// Whether other names can stand in it.
    var isScope: Bool {
        switch self {
        case .package, .message, .enum, .service: true
        case .value, .field, .oneof, .method: false
        }
    }

    var isType: Bool {
        switch self {
        case .message, .enum: true
        default: false
        }
    }
}

/// All full names of a compilation, and the files in which they are declared.
final class SymbolTable {
    private struct Entry {
        let symbol: Symbol
        unowned let file: FileDescriptor
    }

    private var entries: [String: Entry] = [:]
    /// The numbers of extensions, by the message that they extend.
    private var extensions: [String: [Int32: FieldDescriptor]] = [:]

    /// Declares a name.
    ///
    /// - Returns: The file in which it is declared already, and whether it is a package there; nil when it is new.
    func add(_ name: String, _ symbol: Symbol, in file: FileDescriptor) -> (file: FileDescriptor, isPackage: Bool)? {
        // Nearly all names are new: they are looked up once.
        guard let entry = entries.updateValue(Entry(symbol: symbol, file: file), forKey: name) else { return nil }
        entries[name] = entry
        if case .package = entry.symbol { return (entry.file, true) }
        return (entry.file, false)
    }

    func find(_ name: String) -> (symbol: Symbol, file: FileDescriptor)? {
        entries[name].map { ($0.symbol, $0.file) }
    }

    /// Adds an extension under its number; the one that has the number already, if there is one.
    func add(_ field: FieldDescriptor, extending message: MessageDescriptor) -> FieldDescriptor? {
        if let other = extensions[message.fullName]?[field.number] { return other }
        extensions[message.fullName, default: [:]][field.number] = field
        return nil
    }

    /// The extension of a message by its number; nil where there is none.
    func `extension`(_ number: Int32, of message: String) -> FieldDescriptor? { extensions[message]?[number] }

    /// Forgets a file that turned out to be wrong.
    func removeAll(of file: FileDescriptor) {
        entries = entries.filter { $0.value.file !== file }
        extensions = extensions.mapValues { $0.filter { $0.value.file !== file } }
    }
}
