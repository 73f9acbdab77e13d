// SPDX-License-Identifier: Apache-2.0

// The encoding of descriptors; the numbers are the field numbers of descriptor.proto.

extension FileDescriptor {
    /// Returns the file as a `FileDescriptorProto`.
    ///
    /// - Parameter sourceInfo: Whether it includes the locations and comments of declarations.
    package func serialized(sourceInfo: Bool = false) -> [UInt8] {
        var writer = WireWriter()
        write(to: &writer, sourceInfo: sourceInfo)
        return writer.bytes
    }

    /// Returns files as a `FileDescriptorSet`; each file must come after its imports.
    package static func serializedSet(_ files: [FileDescriptor], sourceInfo: Bool = false) -> [UInt8] {
        var writer = WireWriter()
        for file in files { writer.message(1) { file.write(to: &$0, sourceInfo: sourceInfo) } }
        return writer.bytes
    }

    func write(to writer: inout WireWriter, sourceInfo: Bool) {
        writer.string(1, name)
        if packagePosition != nil { writer.string(2, package) }
        let dependencies = imports.filter { $0.kind != .option }
        for dependency in dependencies { writer.string(3, dependency.path) }
        for message in messages { writer.message(4) { message.write(to: &$0) } }
        for one in enums { writer.message(5) { one.write(to: &$0) } }
        for service in services { writer.message(6) { service.write(to: &$0) } }
        for field in extensions { writer.message(7) { field.write(to: &$0) } }
        options.write(8, to: &writer)
        if sourceInfo {
            writer.message(9) { info in for location in locations { info.message(1) { location.write(to: &$0) } } }
        }
        for (index, dependency) in dependencies.enumerated() {
            if dependency.kind == .public { writer.int32(10, Int32(index)) }
            if dependency.kind == .weak { writer.int32(11, Int32(index)) }
        }
        if declaresSyntax, syntax != .proto2 { writer.string(12, syntax.rawValue) }
        if syntax == .editions { writer.int32(14, Int32(edition.rawValue)) }
        for dependency in imports where dependency.kind == .option { writer.string(15, dependency.path) }
    }
}

extension Options {
    /// Writes the options message, unless it is empty.
    func write(_ number: Int32, to writer: inout WireWriter, isThere: Bool = false) {
        guard !message.isEmptyInSets || isThere else { return }
        writer.message(number) { message.write(to: &$0) }
    }
}

extension MessageDescriptor {
    func write(to writer: inout WireWriter) {
        writer.string(1, name)
        for field in fields { writer.message(2) { field.write(to: &$0) } }
        for message in messages { writer.message(3) { message.write(to: &$0) } }
        for one in enums { writer.message(4) { one.write(to: &$0) } }
        for range in extensionRanges {
            writer.message(5) {
                range.numbers.write(to: &$0, excludesLast: true)
                range.options.write(3, to: &$0)
            }
        }
        for field in extensions { writer.message(6) { field.write(to: &$0) } }
        if isMapEntry {
            writer.message(7) { $0.bool(MessageOptions.mapEntry, true) }
        } else {
            options.write(7, to: &writer)
        }
        for oneof in oneofs {
            writer.message(8) {
                $0.string(1, oneof.name)
                oneof.options.write(2, to: &$0)
            }
        }
        for range in reservedRanges { writer.message(9) { range.write(to: &$0, excludesLast: true) } }
        for reserved in reservedNames { writer.string(10, reserved.name) }
        if let visibility { writer.varint(11, UInt64(visibility.rawValue)) }
    }
}

extension NumberRange {
    fileprivate func write(to writer: inout WireWriter, excludesLast: Bool) {
        writer.int32(1, first)
        writer.int32(2, excludesLast ? last &+ 1 : last)
    }
}

extension FieldDescriptor {
    func write(to writer: inout WireWriter) {
        writer.string(1, name)
        if let extendeeName { writer.string(2, extendeeName) }
        writer.int32(3, number)
        if let label { writer.varint(4, UInt64(label.rawValue)) }
        if let type { writer.varint(5, UInt64(type.rawValue)) }
        if let typeName { writer.string(6, typeName) }
        if let defaultValue { writer.string(7, defaultValue) }
        options.write(8, to: &writer)
        if let oneofIndex { writer.int32(9, Int32(oneofIndex)) }
        if let jsonName { writer.string(10, jsonName) }
        if isProto3Optional { writer.bool(17, true) }
    }
}

extension EnumDescriptor {
    func write(to writer: inout WireWriter) {
        writer.string(1, name)
        for value in values {
            writer.message(2) {
                $0.string(1, value.name)
                $0.int32(2, value.number)
                value.options.write(3, to: &$0)
            }
        }
        options.write(3, to: &writer)
        for range in reservedRanges { writer.message(4) { range.write(to: &$0, excludesLast: false) } }
        for reserved in reservedNames { writer.string(5, reserved.name) }
        if let visibility { writer.varint(6, UInt64(visibility.rawValue)) }
    }
}

extension ServiceDescriptor {
    func write(to writer: inout WireWriter) {
        writer.string(1, name)
        for method in methods {
            writer.message(2) {
                $0.string(1, method.name)
                $0.string(2, method.inputName)
                $0.string(3, method.outputName)
                method.options.write(4, to: &$0, isThere: method.hasOptionBlock)
                if method.isClientStreaming { $0.bool(5, true) }
                if method.isServerStreaming { $0.bool(6, true) }
            }
        }
        options.write(3, to: &writer)
    }
}

extension SourceLocation {
    func write(to writer: inout WireWriter) {
        func packed(_ numbers: [Int32]) -> [UInt8] {
            var inner = WireWriter()
            for number in numbers { inner.plain(UInt64(bitPattern: Int64(number))) }
            return inner.bytes
        }
        if !path.isEmpty { writer.bytes(1, packed(path)) }
        let (start, end) = (span.start, span.end)
        let line = end.line == start.line ? [] : [end.line]
        writer.bytes(2, packed([start.line, start.column] + line + [end.column]))
        if let leading = comments.leading { writer.string(3, leading) }
        if let trailing = comments.trailing { writer.string(4, trailing) }
        for detached in comments.detached { writer.string(6, detached) }
    }
}
