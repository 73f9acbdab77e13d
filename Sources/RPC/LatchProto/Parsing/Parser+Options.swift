// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// `option name = value;`.
    func optionStatement(_ options: inout Options, _ mark: Locations.Mark) throws(Abandoned) {
        let inner = begin(mark, 999, Int32(options.statements.count))
        defer { finish(inner) }
        try expect("option")
        options.statements.append(try option(inner))
        try endDeclaration(";", of: inner)
    }

    /// `name = value`, in brackets.
    func optionAssignment(_ options: inout Options, _ mark: Locations.Mark) throws(Abandoned) {
        let inner = begin(mark, 999, Int32(options.statements.count))
        defer { finish(inner) }
        options.statements.append(try option(inner))
    }

    private func option(_ mark: Locations.Mark) throws(Abandoned) -> OptionStatement {
        let namePlace = token.place
        let name = try optionName(mark)
        try expect("=")
        let valuePlace = token.place
        var valueMark = begin(mark)
        defer { finish(valueMark) }
        let (value, number) = try optionValue()
        if let number { valueMark = locations.extend(valueMark, number) }
        return OptionStatement(name: name, value: value, namePlace: namePlace, valuePlace: valuePlace)
    }

    private func optionName(_ mark: Locations.Mark) throws(Abandoned) -> [OptionStatement.NamePart] {
        let nameMark = begin(mark, 2)
        defer { finish(nameMark) }
        var parts: [OptionStatement.NamePart] = []
        repeat {
            let partMark = begin(nameMark, Int32(parts.count))
            defer { finish(partMark) }
            parts.append(try optionNamePart(partMark))
        } while take(".")
        return parts
    }

    private func optionNamePart(_ mark: Locations.Mark) throws(Abandoned) -> OptionStatement.NamePart {
        guard take("(") else {
            let inner = begin(mark, 1)
            defer { finish(inner) }
            return .init(name: try identifier("a name is expected here"), isExtension: false)
        }
        let name = try extensionName(mark)
        try expect(")")
        return .init(name: name, isExtension: true)
    }

    private func extensionName(_ mark: Locations.Mark) throws(Abandoned) -> String {
        let inner = begin(mark, 1)
        defer { finish(inner) }
        var name = token.kind == .identifier ? try identifier("a name is expected here") : ""
        while take(".") {
            name += "."
            name += try identifier("a name is expected here")
        }
        return name
    }

    /// A value, and the number of the field of `UninterpretedOption` that holds it.
    private func optionValue() throws(Abandoned) -> (OptionStatement.Value, Int32?) {
        let isNegative = take("-")
        switch token.kind {
        case .end: throw abandon("the file ends where the value of an option is missing")
        case .identifier:
            let name = try identifier("a value is expected here")
            guard isNegative else { return (.identifier(name), 3) }
            guard name == "inf" || name == "nan" else {
                // It is told at the token behind the name, as protoc does.
                throw abandon("behind a '-' there can be a number, 'inf' or 'nan'")
            }
            return (.double(name == "inf" ? -.infinity : .nan), nil)
        case .integer:
            let limit = isNegative ? UInt64(Int64.max) + 1 : UInt64.max
            guard let value = takeInteger(upTo: limit) else { fallthrough }
            return isNegative ? (.negative(Int64(bitPattern: 0 &- value)), 5) : (.positive(value), 4)
        case .float:
            let value = try number("a number is expected here")
            return (.double(isNegative ? -value : value), 6)
        case .string:
            guard !isNegative else { throw abandon("a '-' cannot stand before a string") }
            return (.string(try string("a string is expected here")), 7)
        case .symbol:
            guard isAt("{") else { throw abandon("the value of the option is missing here") }
            return (.aggregate(try aggregate()), 8)
        }
    }

    /// The tokens between braces.
    private func aggregate() throws(Abandoned) -> Range<Int> {
        advance()
        let start = index
        var depth = 1
        while !isAtEnd {
            if isAt("{") { depth += 1 }
            if isAt("}") { depth -= 1 }
            if depth == 0 { break }
            advance()
        }
        guard !isAtEnd else { throw abandon("the file ends inside of the value of an option; a '}' is missing") }
        defer { advance() }
        return start..<index
    }

    /// `[ … ]` behind a field.
    func fieldOptions(_ field: FieldDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        guard isAt("[") else { return }
        let inner = begin(mark, 8)
        defer { finish(inner) }
        repeat {
            advance()
            if isAt("default") {
                try defaultAssignment(field, mark)
            } else if isAt("json_name") {
                try jsonName(field, mark)
            } else {
                try optionAssignment(&field.options, inner)
            }
        } while isAt(",")
        try expect("]")
    }

    private func jsonName(_ field: FieldDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        if field.jsonName != nil { fail("'json_name' was set before") }
        let inner = begin(mark, 10)
        defer { finish(inner) }
        field.places.jsonName = token.place
        advance()
        try expect("=")
        let valueMark = begin(inner)
        defer { finish(valueMark) }
        field.places.jsonNameValue = token.place
        field.jsonName = try stringText("the name in JSON is missing here")
    }

    private func defaultAssignment(_ field: FieldDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        if field.defaultValue != nil { fail("'default' was set before") }
        advance()
        try expect("=")
        let inner = begin(mark, 7)
        defer { finish(inner) }
        field.places.defaultValue = token.place
        guard let type = field.type else {
            // A message or an enum, nobody knows yet: the linker looks at the word.
            field.defaultValue = text
            return advance()
        }
        field.defaultValue = ""
        field.defaultValue = try defaultValue(of: type)
    }

    private func defaultValue(of type: FieldType) throws(Abandoned) -> String {
        switch type {
        case .int32, .sint32, .sfixed32: try signedDefault(UInt64(Int32.max))
        case .int64, .sint64, .sfixed64: try signedDefault(UInt64(Int64.max))
        case .uint32, .fixed32: try unsignedDefault(UInt64(UInt32.max))
        case .uint64, .fixed64: try unsignedDefault(.max)
        case .float: try DecimalText.shortest(Float(signedNumber()))
        case .double: try DecimalText.shortest(signedNumber())
        case .bool:
            if take("true") {
                "true"
            } else if take("false") {
                "false"
            } else {
                throw abandon("'true' or 'false' is expected here")
            }
        case .string: try stringText("a string is expected here")
        case .bytes: EscapedText.text(of: try string("a string is expected here"))
        case .enum: try identifier("the name of a value is expected here")
        case .message, .group: throw abandon("a message has no default")
        }
    }

    private func signedNumber() throws(Abandoned) -> Double {
        let isNegative = take("-")
        let value = try number("a number is expected here")
        return isNegative ? -value : value
    }

    private func signedDefault(_ limit: UInt64) throws(Abandoned) -> String {
        let isNegative = take("-")
        let value = try integer(upTo: isNegative ? limit + 1 : limit, "a number is expected here")
        return (isNegative ? "-" : "") + String(value)
    }

    private func unsignedDefault(_ limit: UInt64) throws(Abandoned) -> String {
        if take("-") { fail("the number cannot be negative") }
        return String(try integer(upTo: limit, "a number is expected here"))
    }
}
