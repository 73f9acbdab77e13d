// SPDX-License-Identifier: Apache-2.0

/// A reader of a serialized `FileDescriptorProto`; the numbers are the field numbers of descriptor.proto.
///
/// Options are stored undecoded in `pending`, because the files that declare them must be linked first.
struct DescriptorReader {
    let file: FileDescriptor
    /// The locations of the file, by path.
    private let locations: [[Int32]: SourceLocation]
    /// The undecoded options, by path.
    private(set) var pending: [[Int32]: WireMessage] = [:]
    /// The problems that descriptors cannot express, such as numbers without a type.
    private(set) var problems: [(message: String, position: SourcePosition?)] = []

    private init(_ file: FileDescriptor) {
        self.file = file
        locations = Dictionary(file.locations.map { ($0.path, $0) }) { first, _ in first }
    }

    /// Reads a file.
    static func read(_ message: WireMessage) throws(MalformedWire) -> DescriptorReader {
        let file = FileDescriptor(SourceFile(name: message.string(1) ?? "", bytes: []))
        for info in try message.messages(9) {
            for location in try info.messages(1) { file.locations.append(try SourceLocation(reading: location)) }
        }
        var reader = DescriptorReader(file)
        try reader.read(message)
        return reader
    }

    private mutating func read(_ message: WireMessage) throws(MalformedWire) {
        readHead(message)
        try readImports(message)
        file.comments = comments([12])
        for (part, path) in try parts(4, of: message) { file.messages.append(try self.message(part, path, in: nil)) }
        for (part, path) in try parts(5, of: message) { file.enums.append(try enumeration(part, path, in: nil)) }
        for (part, path) in try parts(6, of: message) { file.services.append(try service(part, path)) }
        for (part, path) in try parts(7, of: message) { file.extensions.append(try field(part, path, in: nil)) }
        try keepOptions(of: message, 8, at: [8])
    }

    /// Returns the messages of a repeated field, with their paths in the file.
    private func parts(
        _ number: Int32, of message: WireMessage, at path: [Int32] = []
    ) throws(MalformedWire) -> [(WireMessage, [Int32])] {
        try message.messages(number).enumerated().map { ($1, path + [number, Int32($0)]) }
    }

    /// Reads package, syntax and edition.
    private mutating func readHead(_ message: WireMessage) {
        if file.name.isEmpty { problems.append(("the file has no name", nil)) }
        if let package = message.string(2) {
            file.package = package
            file.packagePosition = position([2])
        }
        file.syntaxPosition = position([12])
        file.declaresSyntax = message.string(12) != nil
        file.syntax = message.string(12).flatMap(Syntax.init) ?? .proto2
        if let text = message.string(12), Syntax(rawValue: text) == nil, !text.isEmpty {
            problems.append(("the syntax '\(text)' is unknown", file.syntaxPosition))
        }
        switch file.syntax {
        case .proto2: file.edition = .proto2
        case .proto3: file.edition = .proto3
        // The linker rejects an unknown edition.
        case .editions: file.edition = message.int32(14).flatMap { Edition(rawValue: Int($0)) } ?? .legacy
        }
    }

    private mutating func readImports(_ message: WireMessage) throws(MalformedWire) {
        let (passedOn, weak) = (Set(try message.numbers(10)), Set(try message.numbers(11)))
        let paths = message.strings(3)
        for index in passedOn.union(weak).sorted() where index >= UInt64(paths.count) {
            problems.append(("the public or weak import \(index) does not exist", nil))
        }
        for (index, path) in paths.enumerated() {
            let kind: Import.Kind =
                passedOn.contains(UInt64(index)) ? .public : weak.contains(UInt64(index)) ? .weak : .plain
            file.imports.append(Import(path: path, kind: kind, position: position([3, Int32(index)])))
        }
        file.imports += message.strings(15).enumerated().map { index, path in
            Import(path: path, kind: .option, position: position([15, Int32(index)]))
        }
    }

    /// Returns the position of a part, or the beginning of the file if unknown.
    private func position(_ path: [Int32]) -> SourcePosition {
        locations[path]?.span.start ?? SourcePosition(line: 0, column: 0)
    }

    private func comments(_ path: [Int32]) -> Comments { locations[path]?.comments ?? Comments() }

    /// Stores the options of a declaration; merges several occurrences.
    ///
    /// - Returns: Whether there are options, even empty ones.
    @discardableResult
    private mutating func keepOptions(of message: WireMessage, _ number: Int32, at path: [Int32]) throws(MalformedWire)
        -> Bool
    {
        let blocks = message.blocks(number)
        guard !blocks.isEmpty else { return false }
        pending[path] = try WireMessage(Array(blocks.joined()))
        return true
    }
}

extension SourceLocation {
    /// Reads a location; its span has three numbers if it ends on the line where it begins.
    fileprivate init(reading message: WireMessage) throws(MalformedWire) {
        let path = try message.numbers(1).map { Int32(truncatingIfNeeded: $0) }
        let span = try message.numbers(2).map { Int32(truncatingIfNeeded: $0) }
            // Messages count lines from one.
            .map { min(max($0, 0), Int32.max - 1) }
        let start = SourcePosition(line: span.first ?? 0, column: span.dropFirst().first ?? 0)
        let end = SourcePosition(line: span.count > 3 ? span[2] : start.line, column: span.last ?? 0)
        var comments = Comments()
        comments.leading = message.string(3)
        comments.trailing = message.string(4)
        comments.detached = message.strings(6)
        self.init(path: path, span: SourceRange(start: start, end: end), comments: comments)
    }
}

// MARK: Declarations

extension DescriptorReader {
    /// Reads the parts that all declarations have: a name, comments and options.
    ///
    /// - Returns: Whether there are options, even empty ones.
    @discardableResult
    private mutating func readHead(
        _ message: WireMessage, _ path: [Int32], options: Int32, into declaration: Declaration
    ) throws(MalformedWire) -> Bool {
        declaration.name = message.string(1) ?? ""
        declaration.namePosition = position(path + [1])
        declaration.comments = comments(path)
        return try keepOptions(of: message, options, at: path + [options])
    }

    private mutating func message(
        _ message: WireMessage, _ path: [Int32], in parent: MessageDescriptor?
    ) throws(MalformedWire) -> MessageDescriptor {
        let descriptor = MessageDescriptor(name: "", file: file, parent: parent, namePosition: nil)
        // This is the maximum nesting depth in protoc (CodedInputStream's recursion limit is 100); each level is two
        // numbers in the path.
        guard path.count <= 200 else {
            problems.append(("more than 100 messages are nested in each other", nil))
            return descriptor
        }
        try readHead(message, path, options: 7, into: descriptor)
        descriptor.visibility = message.number(11).flatMap { SymbolVisibility(rawValue: UInt8(truncatingIfNeeded: $0)) }
        for (part, path) in try parts(2, of: message, at: path) {
            descriptor.fields.append(try field(part, path, in: descriptor))
        }
        for (part, path) in try parts(3, of: message, at: path) {
            descriptor.messages.append(try self.message(part, path, in: descriptor))
        }
        for (part, path) in try parts(4, of: message, at: path) {
            descriptor.enums.append(try enumeration(part, path, in: descriptor))
        }
        for (part, path) in try parts(6, of: message, at: path) {
            descriptor.extensions.append(try field(part, path, in: descriptor))
        }
        try readOneofs(message, path, into: descriptor)
        try readRanges(message, path, into: descriptor)
        descriptor.isMapEntry = pending[path + [7]]?.bool(MessageOptions.mapEntry) ?? false
        return descriptor
    }

    /// Reads the oneofs; only their fields show which of them are synthetic.
    private mutating func readOneofs(
        _ message: WireMessage, _ path: [Int32], into descriptor: MessageDescriptor
    ) throws(MalformedWire) {
        let synthetic = Set(descriptor.fields.filter(\.isProto3Optional).compactMap(\.oneofIndex))
        for (part, inner) in try parts(8, of: message, at: path) {
            let oneof = OneofDescriptor(
                name: "", message: descriptor, namePosition: nil,
                isSynthetic: synthetic.contains(descriptor.oneofs.count))
            try readHead(part, inner, options: 2, into: oneof)
            descriptor.oneofs.append(oneof)
        }
    }

    /// Reads extension ranges, reserved ranges and reserved names; a range excludes its end.
    private mutating func readRanges(
        _ message: WireMessage, _ path: [Int32], into descriptor: MessageDescriptor
    ) throws(MalformedWire) {
        for (part, inner) in try parts(5, of: message, at: path) {
            descriptor.extensionRanges.append(ExtensionRange(range(part, inner, excludesLast: true)))
            try keepOptions(of: part, 3, at: inner + [3])
        }
        descriptor.reservedRanges = try parts(9, of: message, at: path).map { range($0, $1, excludesLast: true) }
        descriptor.reservedNames = reservedNames(10, of: message, at: path)
    }

    private func reservedNames(_ number: Int32, of message: WireMessage, at path: [Int32]) -> [ReservedName] {
        message.strings(number).enumerated().map { index, name in
            ReservedName(name: name, position: position(path + [number, Int32(index)]))
        }
    }

    private func range(_ message: WireMessage, _ path: [Int32], excludesLast: Bool) -> NumberRange {
        let last = message.int32(2) ?? 0
        return NumberRange(
            first: message.int32(1) ?? 0, last: excludesLast ? last &- 1 : last, position: position(path))
    }

    private mutating func field(
        _ message: WireMessage, _ path: [Int32], in parent: MessageDescriptor?
    ) throws(MalformedWire) -> FieldDescriptor {
        let field = FieldDescriptor(file: file, parent: parent)
        try readHead(message, path, options: 8, into: field)
        field.extendeeName = message.string(2)
        field.number = message.int32(3) ?? 0
        field.label = message.number(4).flatMap { UInt8(exactly: $0).flatMap(FieldLabel.init) }
        field.type = message.number(5).flatMap { UInt8(exactly: $0).flatMap(FieldType.init) }
        field.typeName = message.string(6)
        checkType(of: field, message)
        field.defaultValue = message.string(7)
        field.hasRawDefault = field.type == .string && message.isRaw(7)
        field.oneofIndex = message.int32(9).map(Int.init)
        field.jsonName = message.string(10)
        field.hasRawJSONName = message.isRaw(10)
        field.isProto3Optional = message.bool(17)
        field.positions = FieldDescriptor.Positions(
            number: position(path + [3]), type: position(path + [6]), extendee: position(path + [2]),
            defaultValue: position(path + [7]), jsonName: position(path + [10]))
        return field
    }

    /// Reports an unknown label or type, and a type that contradicts the name of a message or an enum.
    private mutating func checkType(of field: FieldDescriptor, _ message: WireMessage) {
        func fail(_ problem: String) { problems.append(("'\(field.name)' \(problem)", field.namePosition)) }
        if let label = message.number(4), field.label == nil { fail("has the label \(label), which is unknown") }
        switch (field.type, field.typeName) {
        case (nil, _) where message.number(5) != nil: fail("has the type \(message.number(5) ?? 0), which is unknown")
        case (nil, nil): fail("has no type")
        case (.message, nil), (.group, nil), (.enum, nil): fail("does not name its type")
        case (nil, _?), (.message, _?), (.group, _?), (.enum, _?), (_?, nil): break
        case (let type?, let name?): fail("has the type \(type.word), and names the type '\(name)'")
        }
    }

    private mutating func enumeration(
        _ message: WireMessage, _ path: [Int32], in parent: MessageDescriptor?
    ) throws(MalformedWire) -> EnumDescriptor {
        let one = EnumDescriptor(name: "", file: file, parent: parent, namePosition: nil)
        try readHead(message, path, options: 3, into: one)
        one.visibility = message.number(6).flatMap { SymbolVisibility(rawValue: UInt8(truncatingIfNeeded: $0)) }
        for (part, inner) in try parts(2, of: message, at: path) {
            let value = EnumValueDescriptor(of: one)
            try readHead(part, inner, options: 3, into: value)
            value.number = part.int32(2) ?? 0
            value.numberPosition = position(inner + [2])
            one.values.append(value)
        }
        one.reservedRanges = try parts(4, of: message, at: path).map { range($0, $1, excludesLast: false) }
        one.reservedNames = reservedNames(5, of: message, at: path)
        return one
    }

    private mutating func service(_ message: WireMessage, _ path: [Int32]) throws(MalformedWire) -> ServiceDescriptor {
        let service = ServiceDescriptor(name: "", file: file, namePosition: nil)
        try readHead(message, path, options: 3, into: service)
        for (part, inner) in try parts(2, of: message, at: path) {
            let method = MethodDescriptor(of: service)
            method.hasOptionBlock = try readHead(part, inner, options: 4, into: method)
            method.inputName = part.string(2) ?? ""
            method.outputName = part.string(3) ?? ""
            method.isClientStreaming = part.bool(5)
            method.isServerStreaming = part.bool(6)
            method.inputPosition = position(inner + [2])
            method.outputPosition = position(inner + [3])
            service.methods.append(method)
        }
        return service
    }
}
