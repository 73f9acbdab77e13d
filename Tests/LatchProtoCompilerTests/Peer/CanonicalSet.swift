// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A descriptor set as text that does not depend on order and packing, so that equal sets are equal texts.
struct CanonicalSet {
    /// The bytes of each file, by name, in order.
    let files: [(name: String, bytes: ArraySlice<UInt8>)]

    init(_ set: [UInt8]) {
        files = WireField.all(in: set[...]).compactMap { field in
            guard case .bytes(let bytes) = field.value else { return nil }
            let name = WireField.all(in: bytes).first { $0.number == 1 }?.value
            guard case .bytes(let text)? = name else { return nil }
            return (String(decoding: text, as: UTF8.self), bytes)
        }
    }

    /// Returns the first different line of each file in two sets.
    ///
    /// - Parameter files: Ours, for the extensions that options are.
    func differences(from other: CanonicalSet, knowing files: [FileDescriptor]) -> [String] {
        var differences: [String] = []
        if self.files.map(\.name) != other.files.map(\.name) { differences.append("other files, or another order") }
        let reader = CanonicalReader(files)
        for ((name, one), (_, two)) in zip(self.files, other.files) where one != two {
            let (ours, theirs) = (reader.lines(one), reader.lines(two))
            guard ours != theirs else { continue }
            let index = zip(ours, theirs).enumerated().first { $1.0 != $1.1 }?.offset ?? min(ours.count, theirs.count)
            differences.append(
                "\(name): \(ours.dropFirst(index).first ?? "nothing") instead of "
                    + "\(theirs.dropFirst(index).first ?? "nothing")")
        }
        return differences
    }
}

/// Reads descriptors by their own descriptors.
struct CanonicalReader {
    private let root: MessageDescriptor?
    private let extensions: [String: FieldDescriptor]
    /// Descriptors live as long as their files.
    private let kept: [FileDescriptor]

    init(_ files: [FileDescriptor]) {
        let own = Compiler { _ in nil }.compile(["google/protobuf/descriptor.proto"]).files
        var extensions: [String: FieldDescriptor] = [:]
        func add(_ field: FieldDescriptor) {
            guard let extendee = field.extendee else { return }
            extensions["\(extendee.fullName) \(field.number)"] = field
        }
        func add(_ message: MessageDescriptor) {
            message.extensions.forEach(add)
            message.messages.forEach(add)
        }
        for file in files {
            file.extensions.forEach(add)
            file.messages.forEach(add)
        }
        self.extensions = extensions
        kept = own + files
        root = own.flatMap(\.messages).first { $0.name == "FileDescriptorProto" }
    }

    func lines(_ file: ArraySlice<UInt8>) -> [String] {
        var lines: [String] = []
        if let root { message(file, root, "", into: &lines) }
        return lines
    }

    private func message(
        _ bytes: ArraySlice<UInt8>, _ type: MessageDescriptor, _ path: String, into lines: inout [String]
    ) {
        var values: [Int: [WireField.Value]] = [:]
        for field in WireField.all(in: bytes) { values[field.number, default: []].append(field.value) }
        for (number, found) in values.sorted(by: { $0.key < $1.key }) {
            let field =
                type.fields.first { $0.number == Int32(number) } ?? extensions["\(type.fullName) \(number)"]
            let path = "\(path)/\(field?.name ?? "\(number)")"
            guard let field, let inner = field.message else {
                for value in field.map({ found.flatMap($0.unpacked) }) ?? found { lines.append("\(path) \(value)") }
                continue
            }
            var parts = found.compactMap(\.content)
            // A message that is written in parts is one.
            if field.label != .repeated { parts = [parts.reduce([], +)] }
            for (index, part) in parts.enumerated() { message(part, inner, "\(path)[\(index)]", into: &lines) }
        }
    }
}

extension FieldDescriptor {
    /// The values of a field that may be packed.
    fileprivate func unpacked(_ value: WireField.Value) -> [WireField.Value] {
        guard case .bytes(let bytes) = value, label == .repeated, type != .string, type != .bytes else {
            return [value]
        }
        return WireField.packed(bytes, type)
    }
}

struct WireField {
    enum Value: Hashable {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        case group(ArraySlice<UInt8>)

        /// Returns the content of a message, with a length prefix or as a group.
        var content: ArraySlice<UInt8>? {
            switch self {
            case .number: nil
            case .bytes(let bytes), .group(let bytes): bytes
            }
        }
    }

    let number: Int
    let value: Value

    static func all(in bytes: ArraySlice<UInt8>) -> [WireField] {
        var (fields, rest) = ([WireField](), bytes)
        while !rest.isEmpty {
            guard let field = next(&rest) else { break }
            fields.append(field)
        }
        return fields
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> WireField? {
        let tag = varint(&rest)
        let number = Int(tag >> 3)
        switch tag & 7 {
        case 0: return WireField(number: number, value: .number(varint(&rest)))
        case 1: return WireField(number: number, value: .number(fixed(&rest, 8)))
        case 2:
            let length = Int(varint(&rest))
            defer { rest = rest.dropFirst(length) }
            return WireField(number: number, value: .bytes(rest.prefix(length)))
        case 3:
            let start = rest.startIndex
            while !rest.isEmpty {
                let end = rest.startIndex
                guard next(&rest) != nil else {
                    return WireField(number: number, value: .group(rest[start..<end]))
                }
            }
            return nil
        case 5: return WireField(number: number, value: .number(fixed(&rest, 4)))
        default: return nil  // the end of a group
        }
    }

    static func packed(_ bytes: ArraySlice<UInt8>, _ type: FieldType?) -> [Value] {
        var (values, rest) = ([Value](), bytes)
        while !rest.isEmpty {
            switch type {
            case .double, .fixed64, .sfixed64: values.append(.number(fixed(&rest, 8)))
            case .float, .fixed32, .sfixed32: values.append(.number(fixed(&rest, 4)))
            default: values.append(.number(varint(&rest)))
            }
        }
        return values
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        }
        return value
    }

    private static func fixed(_ rest: inout ArraySlice<UInt8>, _ count: Int) -> UInt64 {
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
