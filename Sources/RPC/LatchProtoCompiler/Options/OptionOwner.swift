// SPDX-License-Identifier: Apache-2.0

extension FileDescriptor {
    /// Whether it contains any options, for which descriptor.proto must be loaded.
    var hasOptions: Bool {
        var found = false
        visitOptions { options, _ in if !options.uninterpreted.isEmpty { found = true } }
        return found
    }

    /// Calls `body` with the options of all declarations in the file, and their owners.
    func visitOptions(_ body: (inout Options, @autoclosure () -> OptionOwner) -> Void) {
        body(&options, OptionOwner("File", package.isEmpty ? "dummy" : package + ".dummy", [8], at: packagePosition))
        for (index, message) in messages.enumerated() { message.visitOptions([4, Int32(index)], body) }
        for (index, one) in enums.enumerated() { one.visitOptions([5, Int32(index)], body) }
        for (index, service) in services.enumerated() {
            let path = [6, Int32(index)]
            body(&service.options, OptionOwner("Service", service.fullName, path + [3], at: service.namePosition))
            for (index, method) in service.methods.enumerated() {
                let path = path + [2, Int32(index), 4]
                body(&method.options, OptionOwner("Method", method.fullName, path, at: method.namePosition))
            }
        }
        extensions.visitOptions([7], body)
    }
}

/// The declaration that options belong to.
struct OptionOwner {
    /// The name of the options message in `google.protobuf`.
    let message: String
    /// The full name from which extension names are resolved, outwards.
    let scope: String
    /// The path of the options in the file's descriptor.
    let path: [Int32]
    /// The position of the declaration's name.
    let position: SourcePosition?

    init(_ kind: String, _ scope: String, _ path: [Int32], at position: SourcePosition?) {
        message = kind + "Options"
        self.scope = scope
        self.path = path
        self.position = position
    }
}

extension [FieldDescriptor] {
    fileprivate func visitOptions(_ path: [Int32], _ body: (inout Options, @autoclosure () -> OptionOwner) -> Void) {
        for (index, field) in enumerated() {
            body(
                &field.options,
                OptionOwner("Field", field.fullName, path + [Int32(index), 8], at: field.positions.name))
        }
    }
}

extension MessageDescriptor {
    fileprivate func visitOptions(_ path: [Int32], _ body: (inout Options, @autoclosure () -> OptionOwner) -> Void) {
        body(&options, OptionOwner("Message", fullName, path + [7], at: namePosition))
        fields.visitOptions(path + [2], body)
        extensions.visitOptions(path + [6], body)
        for (index, oneof) in oneofs.enumerated() {
            let path = path + [8, Int32(index), 2]
            body(&oneof.options, OptionOwner("Oneof", fullName + "." + oneof.name, path, at: oneof.namePosition))
        }
        for (index, range) in extensionRanges.enumerated() {
            let path = path + [5, Int32(index), 3]
            body(&range.options, OptionOwner("ExtensionRange", fullName, path, at: range.numbers.position))
        }
        for (index, one) in enums.enumerated() { one.visitOptions(path + [4, Int32(index)], body) }
        for (index, message) in messages.enumerated() { message.visitOptions(path + [3, Int32(index)], body) }
    }
}

extension EnumDescriptor {
    fileprivate func visitOptions(_ path: [Int32], _ body: (inout Options, @autoclosure () -> OptionOwner) -> Void) {
        body(&options, OptionOwner("Enum", fullName, path + [3], at: namePosition))
        for (index, value) in values.enumerated() {
            let path = path + [2, Int32(index), 3]
            body(&value.options, OptionOwner("EnumValue", value.fullName, path, at: value.namePosition))
        }
    }
}
