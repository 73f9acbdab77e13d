// SPDX-License-Identifier: Apache-2.0

/// The stage that interprets options: it finds the field or extension that each option sets, and its value.
struct OptionInterpreter {
    private let linker: Linker
    /// The paths of the fields that options set, by the options' source paths.
    private var paths: [[Int32]: [Int32]] = [:]
    /// The source paths of options whose location was replaced.
    private var located: Set<[Int32]> = []
    /// The paths of options with source retention.
    private var stripped: Set<[Int32]> = []

    init(_ linker: Linker) { self.linker = linker }

    /// Interprets the options of descriptor.proto, including the features, which affect declarations.
    mutating func interpretPlain() {
        guard linker.file.hasOptions else { return }
        if linker.file.name != "google/protobuf/descriptor.proto" { linker.pool.loadOptions() }
        interpret(custom: false)
    }

    /// Interprets custom options.
    mutating func interpretCustom() {
        let file = linker.file
        guard file.hasOptions else { return }
        interpret(custom: true)
        guard !file.locations.isEmpty else { return }
        file.visitOptions { options, owner in
            if !options.message.isEmpty, options.message.isEmptyInSets { stripped.insert(owner.path) }
        }
        file.locations = file.locations.compactMap { location($0) }.filter { !stripped.contains($0.path) }
    }

    private mutating func interpret(custom isCustom: Bool) {
        let file = linker.file
        file.visitOptions { options, owner in
            guard !options.uninterpreted.isEmpty,
                case .message(let type)? = linker.pool.symbols.find("google.protobuf.\(owner.message)")?.symbol
            else { return }
            for (index, statement) in options.uninterpreted.enumerated()
            where statement.name[0].isExtension == isCustom {
                let path = interpret(statement, of: type, in: owner.scope, into: &options.message)
                guard !file.locations.isEmpty else { continue }
                paths[owner.path + [999, Int32(index)]] = owner.path + path
                if options.message.isSourceOnly(path) { stripped.insert(owner.path + path) }
            }
        }
    }

    /// Returns the location with the path of the field that the option sets; drops locations inside a value.
    private mutating func location(_ location: SourceLocation) -> SourceLocation? {
        guard let mark = location.path.lastIndex(of: 999), mark + 1 < location.path.count,
            let path = paths[Array(location.path[...(mark + 1)])]
        else { return location }
        // The value '-inf' has no field in `UninterpretedOption`, so its location has the path of the option itself.
        guard location.path.count == mark + 2, located.insert(location.path).inserted else { return nil }
        var location = location
        location.path = path
        return location
    }

    /// Interprets one option, and reports an error if it is invalid.
    ///
    /// - Returns: The path of the field in the options message.
    private func interpret(
        _ statement: UninterpretedOption, of type: MessageDescriptor, in scope: String,
        into message: inout OptionMessage
    ) -> [Int32] {
        do throws(InvalidOption) {
            if statement.name[0].name == "uninterpreted_option" {
                throw InvalidOption(name: "'uninterpreted_option' cannot be set")
            }
            guard statement.name.count <= 200 else { throw InvalidOption(name: "it has too many parts") }
            return try set(statement.name[...], of: type, to: statement, in: scope, in: &message)
        } catch {
            let position = error.isAboutName ? statement.namePosition : statement.valuePosition
            linker.fail("the option '\(statement.nameText)': \(error.reason)", at: position, hint: error.hint)
            return []
        }
    }

    /// Follows the parts of the name, and sets the field of the last part.
    private func set(
        _ name: ArraySlice<UninterpretedOption.NamePart>, of type: MessageDescriptor, to statement: UninterpretedOption,
        in scope: String, in message: inout OptionMessage
    ) throws(InvalidOption) -> [Int32] {
        guard let part = name.first else { return [] }
        let field = try field(part, of: type, in: scope)
        guard let fieldType = field.type else { return [] }
        guard let next = name.dropFirst().first else {
            let isRepeated = field.label == .repeated
            guard isRepeated || !message.has(field.number) else { throw InvalidOption(name: "it is set twice") }
            let value = try value(of: field, statement, in: scope)
            var whole = message.fields[field.number] ?? OptionMessage.Field(field, fieldType)
            whole.values.append(value)
            message.fields[field.number] = whole
            return isRepeated ? [field.number, Int32(whole.values.count - 1)] : [field.number]
        }
        guard let inner = field.message else {
            throw InvalidOption(name: "'\(part.name)' is not a message and has no field '\(next.name)'")
        }
        guard field.label != .repeated else {
            throw InvalidOption(
                name: "'\(part.name)' is repeated and can only be set as a whole",
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
        _ part: UninterpretedOption.NamePart, of type: MessageDescriptor, in scope: String
    ) throws(InvalidOption) -> FieldDescriptor {
        guard part.isExtension else {
            guard let field = type.fields.first(where: { $0.name == part.name }) else {
                throw InvalidOption(
                    name: "there is no such option", hint: "The name of a custom option is written in parentheses.")
            }
            return field
        }
        guard case .field(let field)? = linker.lookUp(part.name, in: scope), field.isExtension else {
            throw InvalidOption(
                name: "there is no such option",
                hint: "The file in which '\(part.name)' is declared must be imported.")
        }
        guard field.extendee?.fullName == type.fullName else {
            throw InvalidOption(
                name: "'\(part.name)' extends '\(field.extendee?.fullName ?? "")', not '\(type.fullName)'")
        }
        return field
    }

    private func value(
        of field: FieldDescriptor, _ statement: UninterpretedOption, in scope: String
    ) throws(InvalidOption) -> OptionMessage.Value {
        guard let message = field.message else { return try ScalarOption.value(of: field, statement.value) }
        guard case .aggregate(let range) = statement.value else {
            throw InvalidOption("it must be a message", hint: "Write: \(statement.nameText) = { … }")
        }
        var parser = TextFormatParser(linker, range, scope: scope)
        return .message(try parser.message(message))
    }
}

/// The reason why an option is invalid.
struct InvalidOption: Error {
    let reason: String
    let hint: String?
    /// Whether the reason is in the option's name instead of its value.
    private(set) var isAboutName = false

    /// Creates the error for a value.
    init(_ reason: String, hint: String? = nil) {
        self.reason = reason
        self.hint = hint
    }

    /// Creates the error for a name.
    init(name reason: String, hint: String? = nil) {
        self.init(reason, hint: hint)
        isAboutName = true
    }
}

/// The conversion of an option's value to the scalar type of its field.
enum ScalarOption {
    static func value(
        of field: FieldDescriptor, _ value: UninterpretedOption.Value
    ) throws(InvalidOption) -> OptionMessage.Value {
        switch field.type {
        case .int32, .sint32, .sfixed32:
            .number(UInt64(bitPattern: try integer(value, Int64(Int32.min)...Int64(Int32.max))))
        case .int64, .sint64, .sfixed64: .number(UInt64(bitPattern: try integer(value, Int64.min...Int64.max)))
        case .uint32, .fixed32: .number(try unsigned(value, upTo: UInt64(UInt32.max)))
        case .uint64, .fixed64: .number(try unsigned(value, upTo: .max))
        case .float: .number(UInt64(Float(try double(value)).bitPattern))
        case .double: .number(try double(value).bitPattern)
        case .bool: .number(try bool(value))
        case .enum: .number(try number(of: value, in: field.enum))
        case .string, .bytes: .bytes(try bytes(value))
        case .message, .group, nil: throw InvalidOption("it must be a message")
        }
    }

    private static func integer(
        _ value: UninterpretedOption.Value, _ range: ClosedRange<Int64>
    ) throws(InvalidOption) -> Int64 {
        let number: Int64?
        switch value {
        case .positive(let value): number = Int64(exactly: value)
        case .negative(let value): number = value
        default: throw InvalidOption("it must be an integer")
        }
        guard let number, range.contains(number) else {
            throw InvalidOption("it must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func unsigned(_ value: UninterpretedOption.Value, upTo limit: UInt64) throws(InvalidOption)
        -> UInt64
    {
        guard case .positive(let number) = value else {
            throw InvalidOption("it must be a non-negative integer")
        }
        guard number <= limit else { throw InvalidOption("it must be a number up to \(limit)") }
        return number
    }

    private static func double(_ value: UninterpretedOption.Value) throws(InvalidOption) -> Double {
        switch value {
        case .double(let value): value
        case .positive(let value): Double(value)
        case .negative(let value): Double(value)
        case .identifier("inf"): .infinity
        case .identifier("nan"): .nan
        default: throw InvalidOption("it must be a number")
        }
    }

    private static func bool(_ value: UninterpretedOption.Value) throws(InvalidOption) -> UInt64 {
        switch value {
        case .identifier("true"): 1
        case .identifier("false"): 0
        default: throw InvalidOption("it must be 'true' or 'false'")
        }
    }

    private static func number(
        of value: UninterpretedOption.Value, in type: EnumDescriptor?
    ) throws(InvalidOption) -> UInt64 {
        guard case .identifier(let name) = value else {
            throw InvalidOption("it must be the name of a value of '\(type?.fullName ?? "")'")
        }
        guard let found = type?.values.first(where: { $0.name == name }) else {
            throw InvalidOption("'\(type?.fullName ?? "")' has no value '\(name)'")
        }
        return UInt64(bitPattern: Int64(found.number))
    }

    private static func bytes(_ value: UninterpretedOption.Value) throws(InvalidOption) -> [UInt8] {
        guard case .string(let bytes) = value else { throw InvalidOption("it must be a string") }
        return bytes
    }
}
