// SPDX-License-Identifier: Apache-2.0

extension FileDescriptor {
    /// Whether it has options of its own, which are all that `descriptor.proto` is needed for.
    var hasOptions: Bool {
        var found = false
        eachOptions { options, _ in if !options.statements.isEmpty { found = true } }
        return found
    }

    /// All options in the file, and whose they are.
    func eachOptions(_ body: (inout Options, @autoclosure () -> OptionOwner) -> Void) {
        body(&options, OptionOwner("File", package.isEmpty ? "dummy" : package + ".dummy", [8], at: packagePlace))
        for (index, message) in messages.enumerated() { message.eachOptions([4, Int32(index)], body) }
        for (index, one) in enums.enumerated() { one.eachOptions([5, Int32(index)], body) }
        for (index, service) in services.enumerated() {
            let path = [6, Int32(index)]
            body(&service.options, OptionOwner("Service", service.fullName, path + [3], at: service.place))
            for (index, method) in service.methods.enumerated() {
                let path = path + [2, Int32(index), 4]
                body(&method.options, OptionOwner("Method", method.fullName, path, at: method.place))
            }
        }
        extensions.eachOptions([7], body)
    }
}

/// What options belong to.
struct OptionOwner {
    /// The options message in `google.protobuf`.
    let message: String
    /// Where names of extensions are looked up: from around this name outwards.
    let scope: String
    /// Where the options stand in the file's descriptor.
    let path: [Int32]
    /// Where the name of what has the options stands.
    let place: Place?

    init(_ kind: String, _ scope: String, _ path: [Int32], at place: Place?) {
        message = kind + "Options"
        self.scope = scope
        self.path = path
        self.place = place
    }
}

extension [FieldDescriptor] {
    fileprivate func eachOptions(_ path: [Int32], _ body: (inout Options, @autoclosure () -> OptionOwner) -> Void) {
        for (index, field) in enumerated() {
            body(&field.options, OptionOwner("Field", field.fullName, path + [Int32(index), 8], at: field.places.name))
        }
    }
}

extension MessageDescriptor {
    fileprivate func eachOptions(_ path: [Int32], _ body: (inout Options, @autoclosure () -> OptionOwner) -> Void) {
        body(&options, OptionOwner("Message", fullName, path + [7], at: place))
        fields.eachOptions(path + [2], body)
        extensions.eachOptions(path + [6], body)
        for (index, oneof) in oneofs.enumerated() {
            let path = path + [8, Int32(index), 2]
            body(&oneof.options, OptionOwner("Oneof", fullName + "." + oneof.name, path, at: oneof.place))
        }
        for (index, range) in extensionRanges.enumerated() {
            let path = path + [5, Int32(index), 3]
            body(&range.options, OptionOwner("ExtensionRange", fullName, path, at: range.numbers.place))
        }
        for (index, one) in enums.enumerated() { one.eachOptions(path + [4, Int32(index)], body) }
        for (index, message) in messages.enumerated() { message.eachOptions(path + [3, Int32(index)], body) }
    }
}

extension EnumDescriptor {
    fileprivate func eachOptions(_ path: [Int32], _ body: (inout Options, @autoclosure () -> OptionOwner) -> Void) {
        body(&options, OptionOwner("Enum", fullName, path + [3], at: place))
        for (index, value) in values.enumerated() {
            let path = path + [2, Int32(index), 3]
            body(&value.options, OptionOwner("EnumValue", value.fullName, path, at: value.place))
        }
    }
}
