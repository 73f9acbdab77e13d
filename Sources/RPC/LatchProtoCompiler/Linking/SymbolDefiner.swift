// SPDX-License-Identifier: Apache-2.0

/// The stage that gives declarations their full names, and checks the rules that need no resolved types.
struct SymbolDefiner: FileStage {
    let file: FileDescriptor
    let pool: DescriptorPool

    /// Adds the package and the packages that contain it.
    ///
    /// - Returns: Whether the package name is valid.
    func definePackage() -> Bool {
        guard !file.package.isEmpty else { return true }
        guard file.package.utf8.count(where: { $0 == UInt8(ascii: ".") }) <= 100 else {
            fail("the package has more than 100 parts", at: file.packagePosition)
            return false
        }
        for part in file.package.split(separator: ".", omittingEmptySubsequences: false) {
            requireIdentifier(part, at: file.packagePosition)
        }
        var name = Substring(file.package)
        while !name.isEmpty {
            if let other = pool.symbols.add(String(name), .package, in: file), !other.isPackage {
                fail("'\(name)' is declared in \(other.file.name), where it is not a package", at: file.packagePosition)
            }
            name = name.lastIndex(of: ".").map { name[..<$0] } ?? ""
        }
        return true
    }

    func define() {
        for message in file.messages { define(message, in: file.package) }
        for one in file.enums { define(one, in: file.package) }
        for service in file.services { define(service) }
        for field in file.extensions { define(field, in: file.package) }
    }

    private func join(_ scope: String, _ name: String) -> String { scope.isEmpty ? name : "\(scope).\(name)" }

    /// Refuses a name in a serialized descriptor that no .proto file can have, because generated code would contain it.
    private func requireIdentifier(_ name: some StringProtocol, at position: SourcePosition?) {
        guard pool.trustsFiles, !Names.isIdentifier(name) else { return }
        fail("the name '\(name)' is not an identifier", at: position)
    }

    /// Adds the full name of a declaration; `hint` returns a hint if the name is already declared.
    private func add(_ one: Declaration, _ symbol: Symbol, hint: (FileDescriptor) -> String? = { _ in nil }) {
        requireIdentifier(one.name, at: one.namePosition)
        if one.fullName.utf8.count > UInt16.max { fail("the full name is too long", at: one.namePosition) }
        guard let other = pool.symbols.add(one.fullName, symbol, in: file) else { return }
        let isOwn = other.file === file && !other.isPackage
        fail(
            "'\(one.fullName)' is declared \(isOwn ? "twice" : "in \(other.file.name) already")", at: one.namePosition,
            hint: hint(other.file))
    }

    private func define(_ message: MessageDescriptor, in scope: String) {
        message.fullName = join(scope, message.name)
        for oneof in message.oneofs {
            oneof.fullName = join(message.fullName, oneof.name)
            add(oneof, .oneof(oneof))
        }
        for field in message.fields { define(field, in: message.fullName) }
        for one in message.enums { define(one, in: message.fullName) }
        for range in message.extensionRanges { check(range.numbers, of: "extensions") }
        for field in message.extensions { define(field, in: message.fullName) }
        for range in message.reservedRanges { check(range, of: "reserved") }
        for inner in message.messages { define(inner, in: message.fullName) }
        add(message, .message(message))
        checkNumbers(of: message)
    }

    private func check(_ range: NumberRange, of kind: String) {
        if range.first <= 0 { fail("a field number must be at least 1", at: range.position) }
        if range.first > range.last { fail("the \(kind) range ends before it begins", at: range.position) }
    }

    private func define(_ field: FieldDescriptor, in scope: String) {
        field.fullName = join(scope, field.name)
        if field.isExtension, field.label == .required {
            fail("an extension cannot be required", at: field.positions.type)
        }
        if field.defaultValue != nil, field.label == .repeated {
            fail("a repeated field cannot have a default", at: field.positions.defaultValue)
        }
        if field.number <= 0 {
            fail("a field number must be at least 1", at: field.positions.number)
        } else if !field.isExtension, field.number > FieldNumbers.maximum {
            fail("a field number must be at most \(FieldNumbers.maximum)", at: field.positions.number)
        }
        add(field, .field(field))
    }

    private func define(_ one: EnumDescriptor, in scope: String) {
        one.fullName = join(scope, one.name)
        if one.values.isEmpty { fail("an enum must have at least one value", at: one.namePosition) }
        for value in one.values {
            // The name belongs to the scope around the enum.
            value.fullName = join(scope, value.name)
            add(value, .value(value)) { other in
                other === file && one.values.contains { $0 !== value && $0.name == value.name }
                    ? nil
                    : "The scope of a value is that of its enum, so values of different enums must have different names."
            }
        }
        for range in one.reservedRanges where range.first > range.last {
            fail("the reserved range ends before it begins", at: range.position)
        }
        add(one, .enum(one))
        checkMembers(one.values.map { ($0, $0.number) }, of: one)
    }

    private func define(_ service: ServiceDescriptor) {
        service.fullName = join(file.package, service.name)
        for method in service.methods {
            method.fullName = join(service.fullName, method.name)
            add(method, .method(method))
        }
        add(service, .service(service))
    }
}

// MARK: Numbers and reserved names

extension SymbolDefiner {
    private func checkNumbers(of message: MessageDescriptor) {
        let extensionRanges = message.extensionRanges.map(\.numbers)
        checkMembers(message.fields.map { ($0, $0.number) }, of: message, extensionRanges)
        if RangeIndex(extensionRanges + message.reservedRanges).isDisjoint { return }
        for range in extensionRanges {
            for other in message.reservedRanges where range.overlaps(other) {
                fail("the extension range overlaps a reserved range", at: range.position)
            }
        }
        checkOverlaps(of: extensionRanges, "extension")
    }

    /// Reports a type's fields or values whose names or numbers are reserved or belong to extensions.
    private func checkMembers(
        _ members: [(Declaration, number: Int32)], of type: TypeDescriptor, _ extensionRanges: [NumberRange] = []
    ) {
        checkOverlaps(of: type.reservedRanges, "reserved")
        var names: Set<String> = []
        for reserved in type.reservedNames where !names.insert(reserved.name).inserted {
            fail("the name '\(reserved.name)' is reserved twice", at: type.namePosition)
        }
        let (extensions, reserved) = (RangeIndex(extensionRanges), RangeIndex(type.reservedRanges))
        for (member, number) in members {
            extensions.each(with: number) {
                fail("the number of '\(member.name)' is in an extension range", at: $0.position)
            }
            reserved.each(with: number) {
                fail("'\(member.name)' has the reserved number \(number)", at: $0.position)
            }
            if names.contains(member.name) { fail("'\(member.name)' is a reserved name", at: member.namePosition) }
        }
    }

    private func checkOverlaps(of ranges: [NumberRange], _ kind: String) {
        if RangeIndex(ranges).isDisjoint { return }
        for (index, range) in ranges.enumerated() {
            for other in ranges[(index + 1)...] where range.overlaps(other) {
                fail("two \(kind) ranges overlap", at: range.position)
            }
        }
    }

}

/// A lookup of the ranges that contain a number; it is a binary search if the ranges do not overlap.
private struct RangeIndex {
    private let sorted: [NumberRange]
    let isDisjoint: Bool

    init(_ ranges: [NumberRange]) {
        sorted = ranges.sorted { $0.first < $1.first }
        isDisjoint =
            zip(sorted, sorted.dropFirst()).allSatisfy { $0.last < $1.first }
            && ranges.allSatisfy { $0.first <= $0.last }
    }

    func each(with number: Int32, _ body: (NumberRange) -> Void) {
        guard isDisjoint else { return sorted.filter { $0.contains(number) }.forEach(body) }
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].last < number { low = middle + 1 } else { high = middle }
        }
        if low < sorted.count, sorted[low].contains(number) { body(sorted[low]) }
    }
}

extension NumberRange {
    func contains(_ number: Int32) -> Bool { first <= number && number <= last }

    func overlaps(_ other: NumberRange) -> Bool { first <= other.last && other.first <= last }
}

extension SymbolDefiner {
    /// Reports names that are declared twice because of the message generated for a map field.
    func reportMapEntryConflicts() {
        for message in file.messages { reportMapEntryConflicts(in: message) }
    }

    private func reportMapEntryConflicts(in message: MessageDescriptor) {
        var types: [String: MessageDescriptor] = [:]
        for inner in message.messages {
            if let other = types[inner.name] {
                guard other.isMapEntry || inner.isMapEntry else { continue }
                failMapEntry(inner.name, "another message", in: message)
                break
            }
            types[inner.name] = inner
            reportMapEntryConflicts(in: inner)
        }
        let others =
            message.fields.map { ($0.name, "a field") } + message.enums.map { ($0.name, "an enum") }
            + message.oneofs.map { ($0.name, "a oneof") }
        for (name, kind) in others where types[name]?.isMapEntry == true { failMapEntry(name, kind, in: message) }
    }

    private func failMapEntry(_ name: String, _ kind: String, in message: MessageDescriptor) {
        fail("the map entry '\(name)' in '\(message.name)' has the name of \(kind)", at: message.namePosition)
    }
}
