// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// `extensions 100 to 199, 500 [ … ];`.
    func extensions(of message: MessageDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        let first = message.extensionRanges.count
        repeat {
            advance()
            let rangeMark = begin(mark, Int32(message.extensionRanges.count))
            defer { finish(rangeMark) }
            let numbers = try range(rangeMark, signed: false, "a number is expected here")
            message.extensionRanges.append(ExtensionRange(numbers))
        } while isAt(",")
        if isAt("[") {
            let options = try rangeOptions(mark, of: first..<message.extensionRanges.count)
            for range in message.extensionRanges[first...] { range.options = options }
        }
        try endDeclaration(";", of: mark)
    }

    /// The options of all ranges of a statement, which are noted once for each of them.
    private func rangeOptions(_ mark: Locations.Mark, of ranges: Range<Int>) throws(Abandoned) -> Options {
        var options = Options()
        let start = index
        for range in ranges {
            options = Options()
            if index != start { rewind(to: start) }
            let inner = begin(mark, Int32(range), 3)
            defer { finish(inner) }
            repeat {
                advance()
                try optionAssignment(&options, inner)
            } while isAt(",")
            try expect("]")
        }
        return options
    }

    /// `reserved 2, 9 to 11;` or `reserved "foo", "bar";`.
    func reserved(
        _ mark: Locations.Mark, paths: (range: Int32, name: Int32), counts: (ranges: Int, names: Int), signed: Bool
    ) throws(Abandoned) -> (ranges: [NumberRange], names: [ReservedName]) {
        let start = token.place
        advance()
        let isNamed = token.kind == .string || token.kind == .identifier
        if token.kind == .string, file.syntax == .editions {
            throw abandon("a reserved name has no quotes in editions")
        }
        if token.kind == .identifier, file.syntax != .editions {
            throw abandon("a reserved name has quotes", hint: "Only in editions it has none.")
        }
        let inner = begin(mark, isNamed ? paths.name : paths.range)
        defer { finish(inner) }
        locations.start(inner, at: start)
        var (ranges, names): ([NumberRange], [ReservedName]) = ([], [])
        repeat {
            let count = isNamed ? counts.names + names.count : counts.ranges + ranges.count
            let part = begin(inner, Int32(count))
            defer { finish(part) }
            if isNamed {
                names.append(try reservedName())
            } else {
                ranges.append(try range(part, signed: signed, "a name or a number is expected here"))
            }
        } while take(",")
        try endDeclaration(";", of: inner)
        return (ranges, names)
    }

    private func reservedName() throws(Abandoned) -> ReservedName {
        let place = token.place
        guard file.syntax != .editions else {
            return ReservedName(name: try identifier("a name is expected here"), place: place)
        }
        let name = try stringText("a name in quotes is expected here")
        if name.utf8.first?.isLetter != true || !name.utf8.allSatisfy({ $0.isLetter || $0.isDigit }) {
            diagnostics.add("the reserved name '\(name)' is no name", at: place, in: source, as: .warning)
        }
        return ReservedName(name: name, place: place)
    }

    /// `2`, `9 to 11` or `1000 to max`; both numbers belong to it.
    private func range(
        _ mark: Locations.Mark, signed: Bool, _ message: String
    ) throws(Abandoned) -> NumberRange {
        let (place, startToken) = (token.place, token)
        let startMark = begin(mark, 1)
        let first = try bound(signed: signed, message)
        finish(startMark)
        guard isAt("to") else {
            let endMark = begin(mark, 2)
            locations.start(endMark, at: startToken.place)
            locations.finish(endMark, at: signed ? previous.endPlace : startToken.endPlace)
            return NumberRange(first: first, last: first, place: place)
        }
        advance()
        let endMark = begin(mark, 2)
        defer { finish(endMark) }
        if take("max") { return NumberRange(first: first, last: .max, isOpen: !signed, place: place) }
        return NumberRange(first: first, last: try bound(signed: signed, "a number is expected here"), place: place)
    }

    private func bound(signed: Bool, _ message: String) throws(Abandoned) -> Int32 {
        if signed { return try signedInteger(message) }
        let number = try integer(message)
        guard number < .max else { throw abandon("the number is too large for a field") }
        return number
    }
}
