// SPDX-License-Identifier: Apache-2.0

// Numbers in paths are those of the fields of `FileDescriptorProto` and its relatives (descriptor.proto).

extension Parser {
    /// `syntax = "proto3";` or `edition = "2023";`.
    func syntaxStatement(_ root: Locations.Mark) throws(Abandoned) {
        let mark = begin(root, 12)
        defer { finish(mark) }
        file.syntaxPlace = token.place
        let isEdition = take("edition")
        if !isEdition { try expect("syntax") }
        try expect("=")
        let place = token.place
        let name = try stringText("the name of the syntax is missing here")
        file.comments = try endDeclaration(";", of: mark)
        file.namesSyntax = true
        if isEdition {
            file.isExperimental = name == "UNSTABLE"
            guard let edition = file.isExperimental ? .edition2026 : Edition(name: name) else {
                diagnostics.add(
                    "there is no edition '\(name)'", at: place, in: source, hint: "There are 2023, 2024 and 2026.")
                throw Abandoned()
            }
            (file.syntax, file.edition) = (.editions, edition)
        } else if let syntax = Syntax(rawValue: name), syntax != .editions {
            (file.syntax, file.edition) = (syntax, syntax == .proto3 ? .proto3 : .proto2)
        } else {
            diagnostics.add(
                "there is no syntax '\(name)'", at: place, in: source, hint: "There are proto2 and proto3.")
            throw Abandoned()
        }
    }

    func topLevelStatement(_ root: Locations.Mark) throws(Abandoned) {
        depthLeft = 32
        if takeEnd(";", of: nil) != nil { return }
        let visibility = try visibility()
        switch text {
        case "message":
            let mark = begin(root, 4, Int32(file.messages.count))
            defer { finish(mark) }
            try message(in: nil, visibility, mark) { file.messages.append($0) }
        case "enum":
            let mark = begin(root, 5, Int32(file.enums.count))
            defer { finish(mark) }
            try enumeration(in: nil, visibility, mark) { file.enums.append($0) }
        case "service":
            let mark = begin(root, 6, Int32(file.services.count))
            defer { finish(mark) }
            try service(mark)
        case "extend":
            let mark = begin(root, 7)
            defer { finish(mark) }
            try extend(in: nil, mark, nested: root)
        case "import": try importStatement(root)
        case "package": try packageStatement(root)
        case "option":
            let mark = begin(root, 8)
            defer { finish(mark) }
            try optionStatement(&file.options, mark)
        default: throw abandon("a statement is expected here, such as 'message'")
        }
    }

    /// `export` or `local` in front of a declaration (edition 2024).
    func visibility() throws(Abandoned) -> Visibility? {
        guard file.edition >= .edition2024 else { return nil }
        let visibility: Visibility
        if take("export") { visibility = .export } else if take("local") { visibility = .local } else { return nil }
        guard isAt("message") || isAt("enum") else {
            throw abandon("'export' and 'local' are for messages and enums only")
        }
        return visibility
    }

    private func packageStatement(_ root: Locations.Mark) throws(Abandoned) {
        if !file.package.isEmpty {
            fail("the package was named before")
            file.package = ""
        }
        let mark = begin(root, 2)
        defer { finish(mark) }
        file.packagePlace = token.place
        try expect("package")
        while true {
            file.package += try identifier("a name is expected here")
            guard take(".") else { break }
            file.package += "."
        }
        try endDeclaration(";", of: mark)
    }

    private func importStatement(_ root: Locations.Mark) throws(Abandoned) {
        let start = token.place
        try expect("import")
        if isAt("option") { return try optionImport(root, from: start) }
        let mark = begin(root, 3, Int32(file.imports.count { $0.kind != .option }))
        defer { finish(mark) }
        locations.start(mark, at: start)
        if file.imports.contains(where: { $0.kind == .option }) {
            fail("imports come before imports of options")
        }
        var kind = Import.Kind.plain
        if isAt("public") {
            kind = .public
            keyword(begin(root, 10, Int32(file.imports.count { $0.kind == .public })))
        } else if isAt("weak") {
            if file.edition >= .edition2024 {
                fail("there are no weak imports in edition 2024; import it as an option")
            }
            kind = .weak
            keyword(begin(root, 11, Int32(file.imports.count { $0.kind == .weak })))
        }
        let path = try stringText("the name of the imported file is missing here")
        file.imports.append(Import(path: path, kind: kind, place: start))
        try endDeclaration(";", of: mark)
    }

    private func optionImport(_ root: Locations.Mark, from start: Place) throws(Abandoned) {
        if file.edition < .edition2024 { fail("imports of options came with edition 2024") }
        let mark = begin(root, 15, Int32(file.imports.count { $0.kind == .option }))
        defer { finish(mark) }
        locations.start(mark, at: start)
        advance()
        let path = try stringText("the name of the imported file is missing here")
        file.imports.append(Import(path: path, kind: .option, place: start))
        try endDeclaration(";", of: mark)
    }

    /// Reads one word that is a part of its own.
    func keyword(_ mark: Locations.Mark) {
        advance()
        finish(mark)
    }
}
