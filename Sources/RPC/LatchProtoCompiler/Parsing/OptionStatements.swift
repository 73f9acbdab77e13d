// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Parses `option name = value;`.
    func parseOptionStatement(_ options: inout Options, _ mark: LocationMark) throws(ParseError) {
        defer { finish(mark) }
        let inner = begin(mark, 999, Int32(options.uninterpreted.count))
        defer { finish(inner) }
        try expect("option")
        options.uninterpreted.append(try parseUninterpretedOption(inner))
        try endDeclaration(";", of: inner)
    }

    /// Parses `[ name = value, … ]`.
    func parseOptions(_ options: inout Options, _ mark: LocationMark) throws(ParseError) {
        repeat {
            advance()
            try parseOption(&options, mark)
        } while isAt(",")
        try expect("]")
    }

    /// Parses `name = value` within brackets.
    private func parseOption(_ options: inout Options, _ mark: LocationMark) throws(ParseError) {
        let inner = begin(mark, 999, Int32(options.uninterpreted.count))
        defer { finish(inner) }
        options.uninterpreted.append(try parseUninterpretedOption(inner))
    }

    private func parseUninterpretedOption(_ mark: LocationMark) throws(ParseError) -> UninterpretedOption {
        let namePosition = token.position
        let name = try parseOptionName(mark)
        try expect("=")
        let valuePosition = token.position
        var valueMark = begin(mark)
        defer { finish(valueMark) }
        let (value, number) = try parseOptionValue()
        if let number { valueMark = locations.extend(valueMark, number) }
        return UninterpretedOption(name: name, value: value, namePosition: namePosition, valuePosition: valuePosition)
    }

    private func parseOptionName(_ mark: LocationMark) throws(ParseError) -> [UninterpretedOption.NamePart] {
        let nameMark = begin(mark, 2)
        defer { finish(nameMark) }
        var parts: [UninterpretedOption.NamePart] = []
        repeat {
            let partMark = begin(nameMark, Int32(parts.count))
            defer { finish(partMark) }
            parts.append(try parseOptionNamePart(partMark))
        } while take(".")
        return parts
    }

    private func parseOptionNamePart(_ mark: LocationMark) throws(ParseError) -> UninterpretedOption.NamePart {
        guard take("(") else {
            let inner = begin(mark, 1)
            defer { finish(inner) }
            return .init(name: try parseIdentifier("a name is expected here"), isExtension: false)
        }
        let inner = begin(mark, 1)
        var name = take(".") ? "." : ""
        if token.kind == .identifier || !name.isEmpty { name += try parseQualifiedName("a name is expected here") }
        finish(inner)
        try expect(")")
        return .init(name: name, isExtension: true)
    }

    /// Parses a value; returns it with its field number in `UninterpretedOption`.
    private func parseOptionValue() throws(ParseError) -> (UninterpretedOption.Value, Int32?) {
        let isNegative = take("-")
        switch token.kind {
        case .end: throw failure("the file ends where the value of an option is missing")
        case .identifier:
            let name = try parseIdentifier("a value is expected here")
            guard isNegative else { return (.identifier(name), 3) }
            guard name == "inf" || name == "nan" else {
                // The error is reported at the token after the name, as in protoc.
                throw failure("a number, 'inf' or 'nan' must follow '-'")
            }
            return (.double(name == "inf" ? -.infinity : .nan), nil)
        case .integer:
            let limit = isNegative ? UInt64(Int64.max) + 1 : UInt64.max
            guard let value = Self.integer(text), value <= limit else { fallthrough }
            advance()
            return isNegative ? (.negative(Int64(bitPattern: 0 &- value)), 5) : (.positive(value), 4)
        case .float:
            let value = try parseNumber("a number is expected here")
            return (.double(isNegative ? -value : value), 6)
        case .string:
            guard !isNegative else { throw failure("a '-' cannot precede a string") }
            return (.string(try parseString("a string is expected here")), 7)
        case .symbol:
            guard isAt("{") else { throw failure("the value of the option is missing here") }
            return (.aggregate(try parseAggregate()), 8)
        }
    }

    /// Consumes the tokens between braces.
    private func parseAggregate() throws(ParseError) -> Range<Int> {
        advance()
        let start = index
        var depth = 1
        while !isAtEnd {
            if isAt("{") { depth += 1 }
            if isAt("}") { depth -= 1 }
            if depth == 0 { break }
            advance()
        }
        guard !isAtEnd else { throw failure("the file ends inside the value of an option; a '}' is missing") }
        defer { advance() }
        return start..<index
    }

    /// Parses `[ … ]` after a field.
    func parseFieldOptions(_ field: FieldDescriptor, _ mark: LocationMark) throws(ParseError) {
        guard isAt("[") else { return }
        let inner = begin(mark, 8)
        defer { finish(inner) }
        repeat {
            advance()
            if isAt("default") {
                try parseDefault(field, mark)
            } else if isAt("json_name") {
                try parseJSONName(field, mark)
            } else {
                try parseOption(&field.options, inner)
            }
        } while isAt(",")
        try expect("]")
    }

    private func parseJSONName(_ field: FieldDescriptor, _ mark: LocationMark) throws(ParseError) {
        if field.jsonName != nil { fail("'json_name' is set twice") }
        let inner = begin(mark, 10)
        defer { finish(inner) }
        field.positions.jsonName = token.position
        advance()
        try expect("=")
        let valueMark = begin(inner)
        defer { finish(valueMark) }
        field.jsonName = try parseText("the JSON name is missing here", loses: &field.hasRawJSONName)
    }

    private func parseDefault(_ field: FieldDescriptor, _ mark: LocationMark) throws(ParseError) {
        if field.defaultValue != nil { fail("'default' is set twice") }
        advance()
        try expect("=")
        let inner = begin(mark, 7)
        defer { finish(inner) }
        field.positions.defaultValue = token.position
        guard let type = field.type else {
            // The type is a message or an enum; the linker checks the value after it has resolved the type.
            field.defaultValue = text
            return advance()
        }
        field.defaultValue = try parseDefaultValue(of: type, field)
    }

    private func parseDefaultValue(of type: FieldType, _ field: FieldDescriptor) throws(ParseError) -> String {
        switch type {
        case .int32, .sint32, .sfixed32: try parseSignedDefault(UInt64(Int32.max))
        case .int64, .sint64, .sfixed64: try parseSignedDefault(UInt64(Int64.max))
        case .uint32, .fixed32: try parseUnsignedDefault(UInt64(UInt32.max))
        case .uint64, .fixed64: try parseUnsignedDefault(.max)
        case .float: try DecimalText.shortest(Float(parseSignedNumber()))
        case .double: try DecimalText.shortest(parseSignedNumber())
        case .bool:
            if take("true") {
                "true"
            } else if take("false") {
                "false"
            } else {
                throw failure("'true' or 'false' is expected here")
            }
        case .string: try parseText("a string is expected here", loses: &field.hasRawDefault)
        case .bytes: StringEscapes.escaped(try parseString("a string is expected here"))
        case .enum: try parseIdentifier("the name of a value is expected here")
        case .message, .group: throw failure("a message cannot have a default")
        }
    }

    private func parseSignedNumber() throws(ParseError) -> Double {
        let isNegative = take("-")
        let value = try parseNumber("a number is expected here")
        return isNegative ? -value : value
    }

    private func parseSignedDefault(_ limit: UInt64) throws(ParseError) -> String {
        let isNegative = take("-")
        let value = try parseInteger(upTo: isNegative ? limit + 1 : limit, "a number is expected here")
        return (isNegative ? "-" : "") + String(value)
    }

    private func parseUnsignedDefault(_ limit: UInt64) throws(ParseError) -> String {
        if take("-") { fail("the number cannot be negative") }
        return String(try parseInteger(upTo: limit, "a number is expected here"))
    }
}

extension Parser {
    /// Parses `extensions 100 to 199, 500 [ … ];`.
    func parseExtensions(of message: MessageDescriptor, _ mark: LocationMark) throws(ParseError) {
        defer { finish(mark) }
        let first = message.extensionRanges.count
        repeat {
            advance()
            let rangeMark = begin(mark, Int32(message.extensionRanges.count))
            defer { finish(rangeMark) }
            let numbers = try parseRange(rangeMark, signed: false, "a number is expected here")
            message.extensionRanges.append(ExtensionRange(numbers))
        } while isAt(",")
        if isAt("[") {
            let options = try parseRangeOptions(mark, of: first..<message.extensionRanges.count)
            for range in message.extensionRanges[first...] { range.options = options }
        }
        try endDeclaration(";", of: mark)
    }

    /// Parses the options for the ranges of a statement; records their locations once for each range.
    private func parseRangeOptions(_ mark: LocationMark, of ranges: Range<Int>) throws(ParseError) -> Options {
        var options = Options()
        let start = index
        for range in ranges {
            options = Options()
            if index != start { rewind(to: start) }
            let inner = begin(mark, Int32(range), 3)
            defer { finish(inner) }
            try parseOptions(&options, inner)
        }
        return options
    }

    /// Parses `reserved 2, 9 to 11;` or `reserved "foo", "bar";`.
    func parseReserved(
        _ ranges: inout [NumberRange], _ names: inout [ReservedName], _ mark: LocationMark,
        paths: (range: Int32, name: Int32), signed: Bool
    ) throws(ParseError) {
        let start = token.position
        advance()
        let isNamed = token.kind == .string || token.kind == .identifier
        if token.kind == .string, file.syntax == .editions {
            throw failure("a reserved name is written without quotes in editions")
        }
        if token.kind == .identifier, file.syntax != .editions {
            throw failure("a reserved name is written in quotes", hint: "Quotes are only omitted in editions.")
        }
        let inner = begin(mark, isNamed ? paths.name : paths.range)
        defer { finish(inner) }
        locations.start(inner, at: start)
        repeat {
            let part = begin(inner, Int32(isNamed ? names.count : ranges.count))
            defer { finish(part) }
            if isNamed {
                names.append(try parseReservedName())
            } else {
                ranges.append(try parseRange(part, signed: signed, "a name or a number is expected here"))
            }
        } while take(",")
        try endDeclaration(";", of: inner)
    }

    private func parseReservedName() throws(ParseError) -> ReservedName {
        let position = token.position
        guard file.syntax != .editions else {
            return ReservedName(name: try parseIdentifier("a name is expected here"), position: position)
        }
        let name = try parseText("a name in quotes is expected here")
        if name.utf8.first?.isLetter != true || !name.utf8.allSatisfy({ $0.isLetter || $0.isDigit }) {
            diagnostics.add("the reserved name '\(name)' is not a valid name", at: position, in: source, as: .warning)
        }
        return ReservedName(name: name, position: position)
    }

    /// Parses `2`, `9 to 11` or `1000 to max`; the range includes both numbers.
    private func parseRange(
        _ mark: LocationMark, signed: Bool, _ message: String
    ) throws(ParseError) -> NumberRange {
        let (position, startToken) = (token.position, token)
        let startMark = begin(mark, 1)
        let first = try parseBound(signed: signed, message)
        finish(startMark)
        guard isAt("to") else {
            let endMark = begin(mark, 2)
            locations.start(endMark, at: startToken.position)
            locations.finish(endMark, at: signed ? previous.endPosition : startToken.endPosition)
            return NumberRange(first: first, last: first, position: position)
        }
        advance()
        let endMark = begin(mark, 2)
        defer { finish(endMark) }
        if take("max") { return NumberRange(first: first, last: .max, endsAtMax: !signed, position: position) }
        return NumberRange(
            first: first, last: try parseBound(signed: signed, "a number is expected here"), position: position)
    }

    private func parseBound(signed: Bool, _ message: String) throws(ParseError) -> Int32 {
        if signed { return try parseSignedInteger(message) }
        let number = try parseInteger(message)
        guard number < .max else { throw failure("the number is too large for a field number") }
        return number
    }
}
