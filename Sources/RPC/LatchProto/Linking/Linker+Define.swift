// SPDX-License-Identifier: Apache-2.0

// Full names, and what can be checked before anything is resolved.

extension Linker {
    /// - Returns: Whether the package is one that names can stand in.
    func definePackage() -> Bool {
        guard !file.package.isEmpty else { return true }
        guard file.package.utf8.count(where: { $0 == UInt8(ascii: ".") }) <= 100 else {
            fail("the package has more than 100 parts", at: file.packagePlace)
            return false
        }
        var name = Substring(file.package)
        while !name.isEmpty {
            if let other = pool.symbols.add(String(name), .package, in: file), !other.isPackage {
                fail("'\(name)' is declared in \(other.file.name), and is no package there", at: file.packagePlace)
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

    private func add(_ name: String, _ symbol: Symbol, at place: Place?) {
        if name.utf8.count > UInt16.max { fail("the name is too long, with all that it stands in", at: place) }
        guard let other = pool.symbols.add(name, symbol, in: file) else { return }
        if other.file === file, !other.isPackage {
            fail("'\(name)' is declared twice", at: place)
        } else {
            fail("'\(name)' is declared in \(other.file.name) already", at: place)
        }
    }

    private func define(_ message: MessageDescriptor, in scope: String) {
        message.fullName = join(scope, message.name)
        for oneof in message.oneofs { add(join(message.fullName, oneof.name), .oneof(oneof), at: oneof.place) }
        for field in message.fields { define(field, in: message.fullName) }
        for one in message.enums { define(one, in: message.fullName) }
        for range in message.extensionRanges { check(range.numbers, of: "extensions") }
        for field in message.extensions { define(field, in: message.fullName) }
        for range in message.reservedRanges { check(range, of: "reserved") }
        for inner in message.messages { define(inner, in: message.fullName) }
        add(message.fullName, .message(message), at: message.place)
        checkNumbers(of: message)
    }

    private func check(_ range: NumberRange, of kind: String) {
        if range.first <= 0 { fail("a number of a field is 1 at least", at: range.place) }
        if range.first > range.last { fail("the range of \(kind) ends before it begins", at: range.place) }
    }

    private func define(_ field: FieldDescriptor, in scope: String) {
        field.fullName = join(scope, field.name)
        if field.isExtension, field.label == .required {
            fail("an extension cannot be required", at: field.places.type)
        }
        if field.defaultValue != nil, field.label == .repeated {
            fail("a repeated field has no default", at: field.places.defaultValue)
        }
        if field.number <= 0 {
            fail("the number of a field is 1 at least", at: field.places.number)
        } else if !field.isExtension, field.number > FieldNumbers.last {
            fail("the number of a field is \(FieldNumbers.last) at most", at: field.places.number)
        }
        add(field.fullName, .field(field), at: field.places.name)
    }

    private func define(_ one: EnumDescriptor, in scope: String) {
        one.fullName = join(scope, one.name)
        if one.values.isEmpty { fail("an enum has one value at least", at: one.place) }
        for value in one.values {
            value.fullName = join(scope, value.name)
            defineValue(value, beside: one)
        }
        for range in one.reservedRanges where range.first > range.last {
            fail("the reserved range ends before it begins", at: range.place)
        }
        add(one.fullName, .enum(one), at: one.place)
        checkNumbers(of: one)
    }

    /// Values stand beside their enum, which surprises whoever gives two enums a value of one name.
    private func defineValue(_ value: EnumValueDescriptor, beside one: EnumDescriptor) {
        if value.fullName.utf8.count > UInt16.max {
            fail("the name is too long, with all that it stands in", at: value.place)
        }
        guard let other = pool.symbols.add(value.fullName, .value(value), in: file) else { return }
        let isOwn = other.file === file && one.values.contains { $0 !== value && $0.name == value.name }
        fail(
            "'\(value.fullName)' is declared \(other.file === file ? "twice" : "in \(other.file.name) already")",
            at: value.place,
            hint: isOwn ? nil : "Values of enums stand beside their enum, not in it: their names must differ as well.")
    }

    private func define(_ service: ServiceDescriptor) {
        service.fullName = join(file.package, service.name)
        for method in service.methods {
            method.fullName = join(service.fullName, method.name)
            add(method.fullName, .method(method), at: method.place)
        }
        add(service.fullName, .service(service), at: service.place)
    }
}
