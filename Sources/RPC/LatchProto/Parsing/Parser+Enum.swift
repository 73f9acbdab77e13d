// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// `enum Name { … }`.
    func enumeration(
        in parent: MessageDescriptor?, _ visibility: Visibility?, _ mark: Locations.Mark,
        adopt: (EnumDescriptor) -> Void
    ) throws(Abandoned) {
        advance()
        let nameMark = begin(mark, 1)
        let place = token.place
        let name = try identifier("the name of the enum is missing here")
        finish(nameMark)
        let descriptor = EnumDescriptor(name: name, file: file, parent: parent, place: place)
        adopt(descriptor)
        descriptor.visibility = visibility
        descriptor.comments = try endDeclaration("{", of: mark)
        while takeEnd("}", of: nil) == nil {
            guard !isAtEnd else { throw abandon("the file ends inside of an enum; a '}' is missing") }
            do { try enumStatement(descriptor, mark) } catch { skipStatement() }
        }
        try checkAliases(of: descriptor)
    }

    private func enumStatement(_ descriptor: EnumDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        if takeEnd(";", of: nil) != nil { return }
        switch text {
        case "option":
            let inner = begin(mark, 3)
            defer { finish(inner) }
            try optionStatement(&descriptor.options, inner)
        case "reserved":
            let reserved = try reserved(
                mark, paths: (4, 5),
                counts: (
                    descriptor.reservedRanges.count, descriptor.reservedNames.count
                ), signed: true)
            descriptor.reservedRanges += reserved.ranges
            descriptor.reservedNames += reserved.names
        default:
            let inner = begin(mark, 2, Int32(descriptor.values.count))
            defer { finish(inner) }
            let value = EnumValueDescriptor(of: descriptor)
            descriptor.values.append(value)
            try enumValue(value, inner)
        }
    }

    private func enumValue(_ value: EnumValueDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        let nameMark = begin(mark, 1)
        value.place = token.place
        value.name = try identifier("the name of the value is missing here")
        finish(nameMark)
        try expect("=", "the number of the value is missing here")
        let numberMark = begin(mark, 2)
        value.numberPlace = token.place
        value.number = try signedInteger("a number is expected here")
        finish(numberMark)
        if isAt("[") {
            let inner = begin(mark, 3)
            defer { finish(inner) }
            repeat {
                advance()
                try optionAssignment(&value.options, inner)
            } while isAt(",")
            try expect("]")
        }
        value.comments = try endDeclaration(";", of: mark)
    }

    /// `allow_alias` is refused where it does nothing.
    private func checkAliases(of descriptor: EnumDescriptor) throws(Abandoned) {
        guard let option = descriptor.options.statements.first(where: { $0.isNamed("allow_alias") }) else { return }
        guard case .identifier("true") = option.value else {
            throw abandon("'\(descriptor.name)' says that it allows no aliases, which goes without saying")
        }
        guard Set(descriptor.values.map(\.number)).count < descriptor.values.count else {
            throw abandon("'\(descriptor.name)' allows aliases and has none")
        }
    }
}
