// SPDX-License-Identifier: Apache-2.0

extension FileDescriptor {
    /// Whether the file contains any options, which require that descriptor.proto is loaded.
    var hasOptions: Bool {
        var found = false
        visitOptions { options, _ in if !options.uninterpreted.isEmpty { found = true } }
        return found
    }

    /// Calls `body` with the options of all declarations in the file, and their owners.
    func visitOptions(_ body: OptionVisitor) {
        let scope = package.isEmpty ? "dummy" : package + ".dummy"
        body(&options, OptionOwner(kind: "File", scope: scope, position: packagePosition, parent: [], options: 8))
        for (index, message) in messages.enumerated() { message.visitOptions([4, Int32(index)], body) }
        for (index, one) in enums.enumerated() { one.visitOptions([5, Int32(index)], body) }
        for (index, service) in services.enumerated() {
            let path = [6, Int32(index)]
            service.visitOptions("Service", path, options: 3, body)
            for (index, method) in service.methods.enumerated() {
                method.visitOptions("Method", path, part: (2, index), options: 4, body)
            }
        }
        for (index, field) in extensions.enumerated() {
            field.visitOptions("Field", [], part: (7, index), options: 8, body)
        }
    }
}

typealias OptionVisitor = (inout Options, OptionOwner) -> Void

/// The declaration that options belong to.
struct OptionOwner {
    fileprivate let kind: String
    /// The full name from which extension names are resolved outward.
    let scope: String
    /// The position of the declaration's name.
    let position: SourcePosition?
    fileprivate let parent: [Int32]
    fileprivate var part: (number: Int32, index: Int)?
    fileprivate let options: Int32

    /// The name of the options message in `google.protobuf`.
    var message: String { kind + "Options" }

    /// The path of the options in the file's descriptor; built only when needed.
    var path: [Int32] { parent + (part.map { [$0.number, Int32($0.index)] } ?? []) + [options] }
}

extension Declaration {
    /// Calls `body` with the options; their owner is the declaration at a path or a part of it.
    fileprivate func visitOptions(
        _ kind: String, _ path: [Int32], part: (number: Int32, index: Int)? = nil, options number: Int32,
        _ body: OptionVisitor
    ) {
        let owner = OptionOwner(
            kind: kind, scope: fullName, position: namePosition, parent: path, part: part, options: number)
        body(&options, owner)
    }
}

extension MessageDescriptor {
    fileprivate func visitOptions(_ path: [Int32], _ body: OptionVisitor) {
        visitOptions("Message", path, options: 7, body)
        for (index, field) in fields.enumerated() {
            field.visitOptions("Field", path, part: (2, index), options: 8, body)
        }
        for (index, field) in extensions.enumerated() {
            field.visitOptions("Field", path, part: (6, index), options: 8, body)
        }
        for (index, oneof) in oneofs.enumerated() {
            oneof.visitOptions("Oneof", path, part: (8, index), options: 2, body)
        }
        for (index, range) in extensionRanges.enumerated() {
            body(
                &range.options,
                OptionOwner(
                    kind: "ExtensionRange", scope: fullName, position: range.numbers.position, parent: path,
                    part: (5, index), options: 3))
        }
        for (index, one) in enums.enumerated() { one.visitOptions(path + [4, Int32(index)], body) }
        for (index, message) in messages.enumerated() { message.visitOptions(path + [3, Int32(index)], body) }
    }
}

extension EnumDescriptor {
    fileprivate func visitOptions(_ path: [Int32], _ body: OptionVisitor) {
        visitOptions("Enum", path, options: 3, body)
        for (index, value) in values.enumerated() {
            value.visitOptions("EnumValue", path, part: (2, index), options: 3, body)
        }
    }
}
