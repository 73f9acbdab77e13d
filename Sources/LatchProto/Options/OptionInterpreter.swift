// SPDX-License-Identifier: Apache-2.0

/// Finds out what the options of a file mean: each names a field of an options message, or an extension of one.
struct OptionInterpreter {
    private let linker: Linker

    init(_ linker: Linker) { self.linker = linker }

    /// What an option is written at, for its errors.
    private struct Failure: Error {
        let message: String
        let isAboutName: Bool
        var hint: String?
    }

    func interpretAll() {
        let file = linker.file
        guard file.hasOptions else { return }
        if file.name != "google/protobuf/descriptor.proto" { linker.pool.loadOptions() }
        var paths: [[Int32]: [Int32]] = [:]
        var stripped: Set<[Int32]> = []
        file.eachOptions { options, owner in
            guard !options.statements.isEmpty,
                case .message(let type)? = linker.pool.symbols.find("google.protobuf.\(owner.message)")?.symbol
            else { return }
            // Those of the language come first: features among them decide about the others.
            for isCustom in [false, true] {
                for (index, statement) in options.statements.enumerated()
                where statement.name[0].isExtension == isCustom {
                    let path = interpret(statement, of: type, in: owner.scope, into: &options.message)
                    guard !file.locations.isEmpty else { continue }
                    paths[owner.path + [999, Int32(index)]] = owner.path + path
                    if options.message.isSourceOnly(path) { stripped.insert(owner.path + path) }
                }
            }
            if !options.message.isEmpty, options.message.isEmptyInSets { stripped.insert(owner.path) }
        }
        file.locations = file.locations.compactMap { Self.location($0, paths) }.filter { !stripped.contains($0.path) }
    }

    /// The location of an option is that of the field that it sets; what stands within its text has none.
    private static func location(_ location: SourceLocation, _ paths: [[Int32]: [Int32]]) -> SourceLocation? {
        guard let mark = location.path.lastIndex(of: 999), mark + 1 < location.path.count,
            let path = paths[Array(location.path[...(mark + 1)])]
        else { return location }
        guard location.path.count == mark + 2 else { return nil }
        var location = location
        location.path = path
        return location
    }

    /// - Returns: The numbers of the fields that lead to what was set.
    private func interpret(
        _ statement: OptionStatement, of type: MessageDescriptor, in scope: String, into message: inout OptionMessage
    ) -> [Int32] {
        do throws(Failure) {
            if statement.name[0].name == "uninterpreted_option" {
                throw Failure(message: "'uninterpreted_option' is no option", isAboutName: true)
            }
            return try set(statement.name[...], of: type, to: statement, in: scope, in: &message)
        } catch {
            let place = error.isAboutName ? statement.namePlace : statement.valuePlace
            linker.fail("the option '\(statement.nameText)': \(error.message)", at: place, hint: error.hint)
            return []
        }
    }

    /// Goes down the parts of the name, and sets the field of the last one.
    private func set(
        _ name: ArraySlice<OptionStatement.NamePart>, of type: MessageDescriptor, to statement: OptionStatement,
        in scope: String, in message: inout OptionMessage
    ) throws(Failure) -> [Int32] {
        guard let part = name.first else { return [] }
        let field = try field(part, of: type, in: scope)
        guard let fieldType = field.type else { return [] }
        guard let next = name.dropFirst().first else {
            let isRepeated = field.label == .repeated
            guard isRepeated || !message.has(field.number) else {
                throw Failure(message: "it was set before", isAboutName: true)
            }
            let value = try value(of: field, statement, in: scope)
            var whole = message.fields[field.number] ?? OptionMessage.Field(field, fieldType)
            whole.values.append(value)
            message.fields[field.number] = whole
            return isRepeated ? [field.number, Int32(whole.values.count - 1)] : [field.number]
        }
        guard let inner = field.message else {
            throw Failure(message: "'\(part.name)' is no message, and has no '\(next.name)'", isAboutName: true)
        }
        guard field.label != .repeated else {
            throw Failure(
                message: "'\(part.name)' is repeated, and is set as a whole", isAboutName: true,
                hint: "Write: \(part.name) = { … }")
        }
        var innerMessage = message.message(field.number) ?? OptionMessage()
        let path = try set(name.dropFirst(), of: inner, to: statement, in: scope, in: &innerMessage)
        var whole = OptionMessage.Field(field, fieldType)
        whole.values = [.message(innerMessage)]
        message.fields[field.number] = whole
        return [field.number] + path
    }

    private func field(
        _ part: OptionStatement.NamePart, of type: MessageDescriptor, in scope: String
    ) throws(Failure) -> FieldDescriptor {
        guard part.isExtension else {
            guard let field = type.fields.first(where: { $0.name == part.name }) else {
                throw Failure(
                    message: "there is no such option", isAboutName: true,
                    hint: "A custom option is written in parentheses.")
            }
            return field
        }
        guard case .field(let field)? = linker.lookUp(part.name, in: scope), field.isExtension else {
            throw Failure(
                message: "there is no such option", isAboutName: true,
                hint: "The file in which '\(part.name)' is declared must be imported.")
        }
        guard field.extendee?.fullName == type.fullName else {
            throw Failure(
                message: "'\(part.name)' extends '\(field.extendee?.fullName ?? "")', not '\(type.fullName)'",
                isAboutName: true)
        }
        return field
    }

    private func value(
        of field: FieldDescriptor, _ statement: OptionStatement, in scope: String
    ) throws(Failure) -> OptionMessage.Value {
        if let message = field.message {
            guard case .aggregate(let range) = statement.value else {
                throw Failure(
                    message: "it is a message", isAboutName: false, hint: "Write: \(statement.nameText) = { … }")
            }
            do throws(TextFormatReader.Malformed) {
                var reader = TextFormatReader(linker, range, scope: scope)
                return .message(try reader.message(message))
            } catch {
                throw Failure(message: error.reason, isAboutName: false)
            }
        }
        do throws(ScalarOption.Unsuitable) {
            return try ScalarOption.value(of: field, statement.value)
        } catch {
            throw Failure(message: error.reason, isAboutName: false)
        }
    }
}

extension FileDescriptor {
    /// Whether it has options of its own, which are all that `descriptor.proto` is needed for.
    var hasOptions: Bool {
        var found = false
        eachOptions { options, _ in if !options.statements.isEmpty { found = true } }
        return found
    }

    /// All options in the file, and whose they are.
    func eachOptions(_ body: (inout Options, OptionOwner) -> Void) {
        body(&options, OptionOwner("File", package.isEmpty ? "dummy" : package + ".dummy", [8]))
        for (index, message) in messages.enumerated() { message.eachOptions([4, Int32(index)], body) }
        for (index, one) in enums.enumerated() { one.eachOptions([5, Int32(index)], body) }
        for (index, service) in services.enumerated() {
            let path = [6, Int32(index)]
            body(&service.options, OptionOwner("Service", service.fullName, path + [3]))
            for (index, method) in service.methods.enumerated() {
                body(&method.options, OptionOwner("Method", method.fullName, path + [2, Int32(index), 4]))
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

    init(_ kind: String, _ scope: String, _ path: [Int32]) {
        message = kind + "Options"
        self.scope = scope
        self.path = path
    }
}

extension [FieldDescriptor] {
    fileprivate func eachOptions(_ path: [Int32], _ body: (inout Options, OptionOwner) -> Void) {
        for (index, field) in enumerated() {
            body(&field.options, OptionOwner("Field", field.fullName, path + [Int32(index), 8]))
        }
    }
}

extension MessageDescriptor {
    fileprivate func eachOptions(_ path: [Int32], _ body: (inout Options, OptionOwner) -> Void) {
        body(&options, OptionOwner("Message", fullName, path + [7]))
        fields.eachOptions(path + [2], body)
        extensions.eachOptions(path + [6], body)
        for (index, oneof) in oneofs.enumerated() {
            body(&oneof.options, OptionOwner("Oneof", fullName + "." + oneof.name, path + [8, Int32(index), 2]))
        }
        for (index, range) in extensionRanges.enumerated() {
            body(&range.options, OptionOwner("ExtensionRange", fullName, path + [5, Int32(index), 3]))
        }
        for (index, one) in enums.enumerated() { one.eachOptions(path + [4, Int32(index)], body) }
        for (index, message) in messages.enumerated() { message.eachOptions(path + [3, Int32(index)], body) }
    }
}

extension EnumDescriptor {
    fileprivate func eachOptions(_ path: [Int32], _ body: (inout Options, OptionOwner) -> Void) {
        body(&options, OptionOwner("Enum", fullName, path + [3]))
        for (index, value) in values.enumerated() {
            body(&value.options, OptionOwner("EnumValue", value.fullName, path + [2, Int32(index), 3]))
        }
    }
}
