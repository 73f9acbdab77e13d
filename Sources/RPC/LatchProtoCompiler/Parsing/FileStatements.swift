// SPDX-License-Identifier: Apache-2.0

// The numbers in paths are field numbers of `FileDescriptorProto` and its nested messages (descriptor.proto).

extension Parser {
    /// Parses `syntax = "proto3";` or `edition = "2023";`.
    func parseSyntax(_ root: LocationMark) throws(ParseError) {
        let mark = begin(root, 12)
        defer { finish(mark) }
        file.syntaxPosition = token.position
        let isEdition = take("edition")
        if !isEdition { try expect("syntax") }
        try expect("=")
        let position = token.position
        let name = try parseText("the name of the syntax is missing here")
        file.comments = try endDeclaration(";", of: mark)
        file.declaresSyntax = true
        if isEdition {
            file.isUnstable = name == "UNSTABLE"
            guard let edition = file.isUnstable ? .edition2026 : Edition(name: name) else {
                diagnostics.add(
                    "the edition '\(name)' is unknown", at: position, in: source,
                    hint: "The editions are 2023, 2024 and 2026.")
                throw ParseError()
            }
            (file.syntax, file.edition) = (.editions, edition)
        } else if let syntax = Syntax(rawValue: name), syntax != .editions {
            (file.syntax, file.edition) = (syntax, syntax == .proto3 ? .proto3 : .proto2)
        } else {
            diagnostics.add(
                "the syntax '\(name)' is unknown", at: position, in: source, hint: "The syntax is proto2 or proto3.")
            throw ParseError()
        }
    }

    func parseStatement(_ root: LocationMark) throws(ParseError) {
        remainingDepth = 32
        if takeEnd(";", of: nil) != nil { return }
        let visibility = try parseVisibility()
        switch text {
        case "message":
            file.messages.append(try parseMessage(in: nil, visibility, begin(root, 4, Int32(file.messages.count))))
        case "enum": file.enums.append(try parseEnum(in: nil, visibility, begin(root, 5, Int32(file.enums.count))))
        case "service": file.services.append(try parseService(begin(root, 6, Int32(file.services.count))))
        case "extend": try parseExtend(in: nil, begin(root, 7), nested: root)
        case "import": try parseImport(root)
        case "package": try parsePackage(root)
        case "option": try parseOptionStatement(&file.options, begin(root, 8))
        default: throw failure("a statement is expected here, such as 'message'")
        }
    }

    /// Parses `export` or `local` before a declaration (edition 2024).
    func parseVisibility() throws(ParseError) -> SymbolVisibility? {
        guard file.edition >= .edition2024 else { return nil }
        let visibility: SymbolVisibility
        if take("export") { visibility = .export } else if take("local") { visibility = .local } else { return nil }
        guard isAt("message") || isAt("enum") else {
            throw failure("'export' and 'local' are for messages and enums only")
        }
        return visibility
    }

    private func parsePackage(_ root: LocationMark) throws(ParseError) {
        if !file.package.isEmpty { fail("the package is set twice") }
        let mark = begin(root, 2)
        defer { finish(mark) }
        file.packagePosition = token.position
        try expect("package")
        file.package = try parseQualifiedName("a name is expected here")
        try endDeclaration(";", of: mark)
    }

    private func parseImport(_ root: LocationMark) throws(ParseError) {
        let start = token.position
        try expect("import")
        let optionImports = Int32(file.imports.count { $0.kind == .option })
        let isOption = isAt("option")
        let mark = isOption ? begin(root, 15, optionImports) : begin(root, 3, Int32(file.imports.count) - optionImports)
        defer { finish(mark) }
        locations.start(mark, at: start)
        var kind = Import.Kind.plain
        if !isOption, optionImports > 0 { fail("imports must come before option imports") }
        if isOption {
            if file.edition < .edition2024 { fail("option imports require edition 2024") }
            kind = .option
            advance()
        } else if isAt("public") {
            kind = .public
            takeKeyword(begin(root, 10, Int32(file.imports.count { $0.kind == .public })))
        } else if isAt("weak") {
            if file.edition >= .edition2024 {
                fail("edition 2024 has no weak imports; use an option import")
            }
            kind = .weak
            takeKeyword(begin(root, 11, Int32(file.imports.count { $0.kind == .weak })))
        }
        let path = try parseText("the name of the imported file is missing here")
        file.imports.append(Import(path: path, kind: kind, position: start))
        try endDeclaration(";", of: mark)
    }

    /// Consumes a keyword that has a separate location.
    func takeKeyword(_ mark: LocationMark) {
        advance()
        finish(mark)
    }
}

extension Parser {
    /// Parses `enum Name { … }`.
    func parseEnum(
        in parent: MessageDescriptor?, _ visibility: SymbolVisibility?, _ mark: LocationMark
    ) throws(ParseError) -> EnumDescriptor {
        defer { finish(mark) }
        advance()
        let (name, position) = try parseName(mark, "the name of the enum is missing here")
        let descriptor = EnumDescriptor(name: name, file: file, parent: parent, namePosition: position)
        descriptor.visibility = visibility
        descriptor.comments = try endDeclaration("{", of: mark)
        try parseStatements(of: "an enum") { () throws(ParseError) in try parseEnumStatement(descriptor, mark) }
        try checkAliases(of: descriptor)
        return descriptor
    }

    private func parseEnumStatement(_ descriptor: EnumDescriptor, _ mark: LocationMark) throws(ParseError) {
        switch text {
        case "option": try parseOptionStatement(&descriptor.options, begin(mark, 3))
        case "reserved":
            try parseReserved(
                &descriptor.reservedRanges, &descriptor.reservedNames, mark, paths: (4, 5), signed: true)
        default:
            let value = EnumValueDescriptor(of: descriptor)
            descriptor.values.append(value)
            try parseEnumValue(value, begin(mark, 2, Int32(descriptor.values.count - 1)))
        }
    }

    private func parseEnumValue(_ value: EnumValueDescriptor, _ mark: LocationMark) throws(ParseError) {
        defer { finish(mark) }
        (value.name, value.namePosition) = try parseName(mark, "the name of the value is missing here")
        try expect("=", "the number of the value is missing here")
        let numberMark = begin(mark, 2)
        value.numberPosition = token.position
        value.number = try parseSignedInteger("a number is expected here")
        finish(numberMark)
        if isAt("[") {
            let inner = begin(mark, 3)
            defer { finish(inner) }
            try parseOptions(&value.options, inner)
        }
        value.comments = try endDeclaration(";", of: mark)
    }

    /// Rejects `allow_alias` if it has no effect.
    private func checkAliases(of descriptor: EnumDescriptor) throws(ParseError) {
        guard let option = descriptor.options.uninterpreted.first(where: { $0.isNamed("allow_alias") }) else { return }
        guard case .identifier("true") = option.value else {
            throw failure("'\(descriptor.name)' sets allow_alias to false, which is the default")
        }
        guard Set(descriptor.values.map(\.number)).count < descriptor.values.count else {
            throw failure("'\(descriptor.name)' sets allow_alias but has no aliases")
        }
    }
}

extension Parser {
    /// Parses `service Name { … }`.
    func parseService(_ mark: LocationMark) throws(ParseError) -> ServiceDescriptor {
        defer { finish(mark) }
        advance()
        let (name, position) = try parseName(mark, "the name of the service is missing here")
        let descriptor = ServiceDescriptor(name: name, file: file, namePosition: position)
        descriptor.comments = try endDeclaration("{", of: mark)
        try parseStatements(of: "a service") { () throws(ParseError) in try parseServiceStatement(descriptor, mark) }
        return descriptor
    }

    private func parseServiceStatement(_ descriptor: ServiceDescriptor, _ mark: LocationMark) throws(ParseError) {
        if isAt("option") { return try parseOptionStatement(&descriptor.options, begin(mark, 3)) }
        let method = MethodDescriptor(of: descriptor)
        try parseMethod(method, begin(mark, 2, Int32(descriptor.methods.count)))
        descriptor.methods.append(method)
    }

    /// Parses `rpc Name (stream Input) returns (stream Output);`, or the same with a block of options.
    private func parseMethod(_ method: MethodDescriptor, _ mark: LocationMark) throws(ParseError) {
        defer { finish(mark) }
        try expect("rpc")
        (method.name, method.namePosition) = try parseName(mark, "the name of the method is missing here")
        (method.isClientStreaming, method.inputName, method.inputPosition) = try parseMethodType(
            mark, stream: 5, type: 2)
        try expect("returns")
        (method.isServerStreaming, method.outputName, method.outputPosition) = try parseMethodType(
            mark, stream: 6, type: 3)
        guard isAt("{") else {
            method.comments = try endDeclaration(";", of: mark)
            return
        }
        method.comments = try endDeclaration("{", of: mark)
        method.hasOptionBlock = true
        try parseStatements(of: "a method") { () throws(ParseError) in
            try parseOptionStatement(&method.options, begin(mark, 4))
        }
    }

    /// Parses the type of a request or a response, in parentheses.
    private func parseMethodType(
        _ mark: LocationMark, stream: Int32, type: Int32
    ) throws(ParseError) -> (isStream: Bool, name: String, position: SourcePosition) {
        try expect("(")
        let isStream = isAt("stream")
        if isStream { takeKeyword(begin(mark, stream)) }
        let typeMark = begin(mark, type)
        let position = token.position
        let name = try parseTypeName()
        finish(typeMark)
        try expect(")")
        return (isStream, name, position)
    }
}
