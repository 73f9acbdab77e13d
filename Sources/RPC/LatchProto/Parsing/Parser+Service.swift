// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// `service Name { … }`.
    func service(_ mark: Locations.Mark) throws(Abandoned) {
        advance()
        let nameMark = begin(mark, 1)
        let place = token.place
        let name = try identifier("the name of the service is missing here")
        finish(nameMark)
        let descriptor = ServiceDescriptor(name: name, file: file, place: place)
        file.services.append(descriptor)
        descriptor.comments = try endDeclaration("{", of: mark)
        while takeEnd("}", of: nil) == nil {
            guard !isAtEnd else { throw abandon("the file ends inside of a service; a '}' is missing") }
            do { try serviceStatement(descriptor, mark) } catch { skipStatement() }
        }
    }

    private func serviceStatement(_ descriptor: ServiceDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        if takeEnd(";", of: nil) != nil { return }
        if isAt("option") {
            let inner = begin(mark, 3)
            defer { finish(inner) }
            return try optionStatement(&descriptor.options, inner)
        }
        let inner = begin(mark, 2, Int32(descriptor.methods.count))
        defer { finish(inner) }
        let method = MethodDescriptor(of: descriptor)
        descriptor.methods.append(method)
        try self.method(method, inner)
    }

    /// `rpc Name (stream Input) returns (stream Output);`, or with a block of options.
    private func method(_ method: MethodDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        try expect("rpc")
        let nameMark = begin(mark, 1)
        method.place = token.place
        method.name = try identifier("the name of the method is missing here")
        finish(nameMark)
        (method.isClientStreaming, method.inputName, method.inputPlace) = try party(mark, stream: 5, type: 2)
        try expect("returns")
        (method.isServerStreaming, method.outputName, method.outputPlace) = try party(mark, stream: 6, type: 3)
        guard isAt("{") else {
            method.comments = try endDeclaration(";", of: mark)
            return
        }
        method.comments = try endDeclaration("{", of: mark)
        method.hasBlock = true
        while takeEnd("}", of: nil) == nil {
            guard !isAtEnd else { throw abandon("the file ends inside of a method; a '}' is missing") }
            if takeEnd(";", of: nil) != nil { continue }
            let inner = begin(mark, 4)
            defer { finish(inner) }
            do { try optionStatement(&method.options, inner) } catch { skipStatement() }
        }
    }

    /// What a method takes or gives, in parentheses.
    private func party(
        _ mark: Locations.Mark, stream: Int32, type: Int32
    ) throws(Abandoned) -> (isStream: Bool, name: String, place: Place) {
        try expect("(")
        let isStream = isAt("stream")
        if isStream { keyword(begin(mark, stream)) }
        let typeMark = begin(mark, type)
        let place = token.place
        let name = try userType()
        finish(typeMark)
        try expect(")")
        return (isStream, name, place)
    }
}
