// SPDX-License-Identifier: Apache-2.0

/// Reads a `FileDescriptorProto`, as another compiler wrote it, back into descriptors.
///
/// The numbers are those of descriptor.proto. Options are kept as they came, in `pending`: what they mean is known once
/// the files are linked in which they are declared.
struct DescriptorReader {
    let file: FileDescriptor
    /// Places and comments by the path of what they belong to.
    private let locations: [[Int32]: SourceLocation]
    /// The options of each declaration, not yet understood, by its path.
    private(set) var pending: [[Int32]: WireMessage] = [:]

    private init(_ file: FileDescriptor) {
        self.file = file
        locations = Dictionary(file.locations.map { ($0.path, $0) }) { first, _ in first }
    }

    /// The file, and its options by the path of what they belong to, which is that of the options message.
    static func read(_ message: WireMessage) throws(MalformedWire) -> (FileDescriptor, options: [[Int32]: WireMessage])
    {
        let file = FileDescriptor(SourceText(name: message.string(1) ?? "", bytes: []))
        for info in try message.messages(9) {
            for location in try info.messages(1) { file.locations.append(try SourceLocation(reading: location)) }
        }
        var reader = DescriptorReader(file)
        try reader.read(message)
        return (file, reader.pending)
    }

    private mutating func read(_ message: WireMessage) throws(MalformedWire) {
        readHead(message)
        try readImports(message)
        file.comments = comments([12])
        for (index, part) in try message.messages(4).enumerated() {
            file.messages.append(try self.message(part, [4, Int32(index)], in: nil))
        }
        for (index, part) in try message.messages(5).enumerated() {
            file.enums.append(try enumeration(part, [5, Int32(index)], in: nil))
        }
        for (index, part) in try message.messages(6).enumerated() {
            file.services.append(try service(part, [6, Int32(index)]))
        }
        for (index, part) in try message.messages(7).enumerated() {
            file.extensions.append(try field(part, [7, Int32(index)], in: nil))
        }
        try keepOptions(of: message, 8, at: [8])
    }

    /// Package, syntax and edition.
    private func readHead(_ message: WireMessage) {
        if let package = message.string(2) {
            file.package = package
            file.packagePlace = place([2])
        }
        file.syntaxPlace = place([12])
        file.namesSyntax = message.string(12) != nil
        file.syntax = message.string(12).flatMap(Syntax.init) ?? .proto2
        switch file.syntax {
        case .proto2: file.edition = .proto2
        case .proto3: file.edition = .proto3
        // The linker refuses an edition that is not known.
        case .editions: file.edition = message.int32(14).flatMap { Edition(rawValue: Int($0)) } ?? .legacy
        }
    }

    private func readImports(_ message: WireMessage) throws(MalformedWire) {
        let (passedOn, weak) = (try message.numbers(10), try message.numbers(11))
        for (index, path) in message.strings(3).enumerated() {
            let kind: Import.Kind =
                passedOn.contains(UInt64(index)) ? .public : weak.contains(UInt64(index)) ? .weak : .plain
            file.imports.append(Import(path: path, kind: kind, place: place([3, Int32(index)])))
        }
        for (index, path) in message.strings(15).enumerated() {
            file.imports.append(Import(path: path, kind: .option, place: place([15, Int32(index)])))
        }
    }

    /// Where a part stands; the beginning of the file where nobody says.
    func place(_ path: [Int32]) -> Place { locations[path]?.span.start ?? Place(line: 0, column: 0) }

    func comments(_ path: [Int32]) -> Comments { locations[path]?.comments ?? Comments() }

    /// Keeps the options of a declaration, of which several blocks are one message.
    ///
    /// - Returns: Whether there are any, be they empty.
    @discardableResult
    mutating func keepOptions(of message: WireMessage, _ number: Int32, at path: [Int32]) throws(MalformedWire) -> Bool
    {
        let blocks = message.blocks(number)
        guard !blocks.isEmpty else { return false }
        pending[path] = try WireMessage(Array(blocks.joined()))
        return true
    }
}

extension SourceLocation {
    /// One location of a `SourceCodeInfo`; its span has three numbers where it ends on the line on which it begins.
    fileprivate init(reading message: WireMessage) throws(MalformedWire) {
        let path = try message.numbers(1).map { Int32(truncatingIfNeeded: $0) }
        let span = try message.numbers(2).map { Int32(truncatingIfNeeded: $0) }
        let start = Place(line: span.first ?? 0, column: span.dropFirst().first ?? 0)
        let end = Place(line: span.count > 3 ? span[2] : start.line, column: span.last ?? 0)
        var comments = Comments()
        comments.leading = message.string(3)
        comments.trailing = message.string(4)
        comments.detached = message.strings(6)
        self.init(path: path, span: Span(start: start, end: end), comments: comments)
    }
}
