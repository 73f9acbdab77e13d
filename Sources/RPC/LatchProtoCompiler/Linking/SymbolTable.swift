// SPDX-License-Identifier: Apache-2.0

/// A declaration with a full name.
enum Symbol {
    case package
    case message(MessageDescriptor)
    case `enum`(EnumDescriptor)
    case value(EnumValueDescriptor)
    case field(FieldDescriptor)
    case oneof(OneofDescriptor)
    case service(ServiceDescriptor)
    case method(MethodDescriptor)

    /// Whether the symbol contains other declarations.
    var isScope: Bool {
        switch self {
        case .package, .message, .enum, .service: true
        case .value, .field, .oneof, .method: false
        }
    }

    /// The message or the enum; nil for other declarations.
    var type: TypeDescriptor? {
        switch self {
        case .message(let message): message
        case .enum(let one): one
        default: nil
        }
    }
}

/// The full names in a compilation, and the files that declare them.
final class SymbolTable {
    private struct Entry {
        let symbol: Symbol
        /// The file, which the table retains, because a declaration does not retain its file.
        let file: FileDescriptor
    }

    private var entries: [String: Entry] = [:]
    /// The extensions of each message by number.
    private var extensions: [String: [Int32: FieldDescriptor]] = [:]

    /// Adds a name.
    ///
    /// - Returns: The file that already declares the name, and whether the name is a package there; nil if the name is
    ///   new.
    func add(_ name: String, _ symbol: Symbol, in file: FileDescriptor) -> (file: FileDescriptor, isPackage: Bool)? {
        // Nearly all names are new, so a single lookup suffices.
        guard let entry = entries.updateValue(Entry(symbol: symbol, file: file), forKey: name) else { return nil }
        entries[name] = entry
        if case .package = entry.symbol { return (entry.file, true) }
        return (entry.file, false)
    }

    func find(_ name: String) -> (symbol: Symbol, file: FileDescriptor)? {
        entries[name].map { ($0.symbol, $0.file) }
    }

    /// Adds an extension; returns the existing extension with its number, if any.
    func add(_ field: FieldDescriptor, extending message: MessageDescriptor) -> FieldDescriptor? {
        if let other = extensions[message.fullName]?[field.number] { return other }
        extensions[message.fullName, default: [:]][field.number] = field
        return nil
    }

    /// Returns the extension of a message with a number; nil if it does not exist.
    func `extension`(_ number: Int32, of message: String) -> FieldDescriptor? { extensions[message]?[number] }

    /// Removes the declarations of a file with errors; its package remains, because other files may share it.
    func removeAll(of file: FileDescriptor) {
        entries = entries.filter { entry in
            if case .package = entry.value.symbol { return true }
            return entry.value.file !== file
        }
        extensions = extensions.mapValues { $0.filter { $0.value.file !== file } }
    }
}
