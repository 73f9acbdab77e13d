// SPDX-License-Identifier: Apache-2.0

/// Finds out what the options of a file mean: each names a field of an options message, or an extension of one.
struct OptionInterpreter {
    private let linker: Linker
    /// The path of the field that each option sets, by the path of the option as it is written.
    private var paths: [[Int32]: [Int32]] = [:]
    /// The paths of options as they are written whose location was found.
    private var located: Set<[Int32]> = []
    /// The paths of what is for sources alone.
    private var stripped: Set<[Int32]> = []

    init(_ linker: Linker) { self.linker = linker }

    /// What an option is written at, for its errors.
    private struct Failure: Error {
        let message: String
        let isAboutName: Bool
        var hint: String?
    }

    /// Reads the options of the language; features are among them, which decide about what is declared.
    mutating func interpretPlain() {
        guard linker.file.hasOptions else { return }
        if linker.file.name != "google/protobuf/descriptor.proto" { linker.pool.loadOptions() }
        interpret(custom: false)
    }

    /// Reads all others.
    mutating func interpretCustom() {
        let file = linker.file
        guard file.hasOptions else { return }
        interpret(custom: true)
        guard !file.locations.isEmpty else { return }
        file.eachOptions { options, owner in
            if !options.message.isEmpty, options.message.isEmptyInSets { stripped.insert(owner().path) }
        }
        var locations: [SourceLocation] = []
        for location in file.locations {
            if let found = self.location(location), !stripped.contains(found.path) { locations.append(found) }
        }
        file.locations = locations
    }

    private mutating func interpret(custom isCustom: Bool) {
        let file = linker.file
        file.eachOptions { options, ownerOf in
            guard !options.statements.isEmpty else { return }
            let owner = ownerOf()
            guard case .message(let type)? = linker.pool.symbols.find("google.protobuf.\(owner.message)")?.symbol
            else { return }
            for (index, statement) in options.statements.enumerated()
            where statement.name[0].isExtension == isCustom {
                let path = interpret(statement, of: type, in: owner.scope, into: &options.message)
                guard !file.locations.isEmpty else { continue }
                paths[owner.path + [999, Int32(index)]] = owner.path + path
                if options.message.isSourceOnly(path) { stripped.insert(owner.path + path) }
            }
        }
    }

    /// The location of an option is that of the field that it sets; what stands within its text has none.
    private mutating func location(_ location: SourceLocation) -> SourceLocation? {
        guard let mark = location.path.lastIndex(of: 999), mark + 1 < location.path.count,
            let path = paths[Array(location.path[...(mark + 1)])]
        else { return location }
        // The value of '-inf' has no field of its own in an option as it is written, and the path of the option.
        guard location.path.count == mark + 2, located.insert(location.path).inserted else { return nil }
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
            guard statement.name.count <= 200 else {
                throw Failure(message: "it has too many parts", isAboutName: true)
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
