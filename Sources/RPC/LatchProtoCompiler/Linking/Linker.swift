// SPDX-License-Identifier: Apache-2.0

/// The linker, which gives declarations their full names, resolves references, and checks the rules that depend on
/// them.
final class Linker: FileStage {
    let file: FileDescriptor
    let pool: DescriptorPool
    /// The files whose declarations this file may use: itself, its imports, and their public imports.
    private var visibleFiles: Set<ObjectIdentifier> = []
    /// The files from which this file may use only extensions, as options (`import option`).
    private var optionOnlyFiles: Set<ObjectIdentifier> = []
    /// The packages of those files, and the packages that contain them.
    private var visiblePackages: Set<String> = []
    private let errorsBefore: Int
    /// The number of undeclared names for which a similar name is still suggested, because the search takes time.
    private var remainingSuggestions = 20
    /// The fields and extensions of each message by number.
    private var fieldsByNumber: [FieldKey: FieldDescriptor] = [:]
    /// The files with a declaration that this file uses.
    private var usedFiles: Set<ObjectIdentifier> = []

    /// A field number of one message.
    private struct FieldKey: Hashable {
        let message: ObjectIdentifier
        let number: Int32
    }

    init(_ file: FileDescriptor, in pool: DescriptorPool) {
        self.file = file
        self.pool = pool
        errorsBefore = pool.diagnostics.errorCount
    }

    private var hasErrors: Bool { pool.diagnostics.errorCount > errorsBefore }

    /// Links a file from the parser.
    func link() {
        guard defineAndResolve() else { return }
        let style = StyleChecker(file: file, pool: pool)
        if !hasErrors { interpretOptions() }
        for check in [
            DescriptorValidator(file: file, pool: pool).validate, warnAboutUnusedImports, style.checkNames,
            style.checkLimits, checkExports,
        ] where !hasErrors { check() }
        if hasErrors { SymbolDefiner(file: file, pool: pool).reportMapEntryConflicts() }
    }

    private func interpretOptions() {
        var options = OptionInterpreter(self)
        options.interpretPlain()
        FeatureResolver(file: file, pool: pool).resolve()
        options.interpretCustom()
    }

    /// Links the names and types of a file that another compiler has parsed.
    func linkSerialized(_ problems: [(message: String, position: SourcePosition?)]) {
        if file.syntax == .editions, file.edition == .legacy {
            return fail(
                "the edition is unknown", at: file.syntaxPosition, hint: "The editions are 2023, 2024 and 2026.")
        }
        SerializedFileValidator(file: file, pool: pool).check(problems)
        _ = defineAndResolve()
    }

    /// Decodes the options of such a file, and runs the checks that depend on them.
    func linkSerialized(options: [[Int32]: WireMessage]) {
        do throws(MalformedWire) {
            try OptionDecoder(pool.symbols).decode(options, of: file)
        } catch {
            return fail("the options are malformed at byte \(error.offset)", at: nil)
        }
        FeatureResolver(file: file, pool: pool).resolve()
        DescriptorValidator(file: file, pool: pool).validate()
    }

    /// Defines the symbols of the file, and resolves its references.
    ///
    /// - Returns: Whether the package name is valid; if it is not, nothing is done.
    private func defineAndResolve() -> Bool {
        let definer = SymbolDefiner(file: file, pool: pool)
        guard definer.definePackage() else { return false }
        checkImports()
        definer.define()
        resolve()
        return true
    }

    private func checkImports() {
        var seen: Set<String> = []
        addVisible(file, to: \.visibleFiles)
        for dependency in file.imports {
            if !seen.insert(dependency.path).inserted {
                fail("'\(dependency.path)' is imported twice", at: dependency.position)
            }
            guard let other = pool.file(named: dependency.path) else {
                if dependency.kind != .option || file.hasOptions { failImport(of: dependency) }
                continue
            }
            if !other.name.utf8.elementsEqual(dependency.path.utf8) {
                fail(
                    "'\(dependency.path)' is the name of a file in another form of Unicode",
                    at: dependency.position, hint: DescriptorPool.spellingHint)
            }
            file.dependencies.append(other)
            addVisible(other, to: dependency.kind == .option ? \.optionOnlyFiles : \.visibleFiles)
        }
    }

    private func failImport(of dependency: Import) {
        guard pool.isMissing(dependency.path) else {
            return fail("'\(dependency.path)' cannot be imported: it has errors", at: dependency.position)
        }
        fail(
            "'\(dependency.path)' cannot be imported: it was not found", at: dependency.position,
            hint: "It is looked up from the folders of .proto files, not from the file that imports it.")
    }

    private func addVisible(
        _ other: FileDescriptor, to files: ReferenceWritableKeyPath<Linker, Set<ObjectIdentifier>>
    ) {
        guard self[keyPath: files].insert(ObjectIdentifier(other)).inserted else { return }
        var package = Substring(other.package)
        while !package.isEmpty {
            visiblePackages.insert(String(package))
            package = package.lastIndex(of: ".").map { package[..<$0] } ?? ""
        }
        for dependency in other.imports where dependency.kind == .public {
            if let next = pool.file(named: dependency.path) { addVisible(next, to: files) }
        }
    }

    private func warnAboutUnusedImports() {
        for dependency in file.imports where dependency.kind == .plain || dependency.kind == .weak {
            guard let other = pool.file(named: dependency.path), !usedFiles.contains(ObjectIdentifier(other)),
                !other.imports.contains(where: { $0.kind == .public })
            else { continue }
            warn("'\(dependency.path)' is imported but not used", at: dependency.position)
        }
    }
}

// MARK: Names

extension Linker {
    /// Returns the symbol that a name refers to within `scope`; nil if the file may use no such symbol.
    ///
    /// Scopes are searched from the innermost outward. The first scope that declares the first part of the name
    /// decides, as in C++ (Protocol Buffers language guide, "Packages and name resolution").
    func lookUp(_ name: String, in scope: String, typesOnly: Bool = false) -> Symbol? {
        let dot = UInt8(ascii: ".")
        if name.utf8.first == dot { return find(String(name.dropFirst())) }
        let first = name[..<(name.utf8.firstIndex(of: dot) ?? name.endIndex)]
        let isCompound = first.endIndex < name.endIndex
        var scope = Substring(scope)
        while let end = scope.utf8.lastIndex(of: dot) {
            scope = scope[..<end]
            guard let symbol = find("\(scope).\(first)") else { continue }
            if isCompound {
                guard symbol.isScope else { continue }
                return find("\(scope).\(name)")
            }
            if !typesOnly || symbol.type != nil { return symbol }
        }
        return find(name)
    }

    /// Returns the symbol with a full name, if the file can see it.
    func find(_ name: String) -> Symbol? {
        guard let (symbol, other) = pool.symbols.find(name) else { return nil }
        if case .package = symbol { return visiblePackages.contains(name) ? symbol : nil }
        let id = ObjectIdentifier(other)
        if !visibleFiles.contains(id) {
            guard optionOnlyFiles.contains(id), case .field = symbol else { return nil }
        }
        usedFiles.insert(id)
        return symbol
    }

    /// The names of the file's own types; empty if there are too many to search.
    private var typeNames: [String] {
        let names = file.messages.map(\.name) + file.messages.flatMap { $0.messages.map(\.name) + $0.enums.map(\.name) }
        return names.count < 1_000 ? names + file.enums.map(\.name) : []
    }

    /// Reports a name that could not be resolved, with a hint.
    private func failUndefined(_ name: String, at position: SourcePosition?, in scope: String) {
        var outer = Substring(scope)
        var candidates = [name.hasPrefix(".") ? String(name.dropFirst()) : name]
        while let dot = outer.lastIndex(of: ".") {
            outer = outer[..<dot]
            candidates.append("\(outer).\(name)")
        }
        for candidate in candidates {
            if let (_, other) = pool.symbols.find(candidate), !visibleFiles.contains(ObjectIdentifier(other)) {
                let isForOptions = optionOnlyFiles.contains(ObjectIdentifier(other))
                let state = isForOptions ? "imported for its options only" : "not imported"
                return fail(
                    "'\(candidate)' is declared in \(other.name), which is \(state)", at: position,
                    hint: "\(isForOptions ? "Write" : "Add"): import \"\(other.name)\";")
            }
        }
        // The search takes time, and not every one of many errors needs a suggestion.
        remainingSuggestions -= 1
        let near =
            remainingSuggestions > 0 ? SimilarName.nearest(to: name, in: FieldType.keywordNames + typeNames) : nil
        fail("'\(name)' is not declared", at: position, hint: near.map { "Is '\($0)' meant?" })
    }
}

// MARK: References

extension Linker {
    private func resolve() {
        for message in file.messages { resolve(message) }
        for field in file.extensions { resolve(field) }
        for service in file.services { for method in service.methods { resolve(method) } }
    }

    private func resolve(_ message: MessageDescriptor) {
        for inner in message.messages { resolve(inner) }
        for field in message.fields { resolve(field) }
        for field in message.extensions { resolve(field) }
        checkOneofs(of: message)
    }

    /// Reports a field between the fields of a oneof.
    private func checkOneofs(of message: MessageDescriptor) {
        var last: Int?
        var seen: Set<Int> = []
        for (index, field) in message.fields.enumerated() {
            if let oneof = field.oneofIndex, oneof != last, !seen.insert(oneof).inserted {
                let before = message.fields[index - 1]
                fail("'\(before.name)' is declared between the fields of a oneof", at: before.positions.type)
            }
            last = field.oneofIndex
        }
    }

    private func resolve(_ field: FieldDescriptor) {
        if let name = field.extendeeName, !resolveExtendee(name, of: field) { return }
        if let name = field.typeName, !resolveType(name, of: field) { return }
        checkNumber(of: field)
    }

    private func resolveExtendee(_ name: String, of field: FieldDescriptor) -> Bool {
        guard let message = message(name, in: field.fullName, at: field.positions.extendee) else { return false }
        field.extendee = message
        field.extendeeName = "." + message.fullName
        if !message.extensionRanges.contains(where: { $0.numbers.contains(field.number) }) {
            fail("\(field.number) is not in an extension range of '\(message.fullName)'", at: field.positions.number)
        }
        return true
    }

    private func resolveType(_ name: String, of field: FieldDescriptor) -> Bool {
        guard let symbol = lookUp(name, in: field.fullName, typesOnly: true) else {
            failUndefined(name, at: field.positions.type, in: field.fullName)
            return false
        }
        if let type = symbol.type, !checkVisibility(type, at: field.positions.type) { return false }
        switch symbol {
        case .message(let message):
            guard field.type != .enum else {
                fail("'\(name)' is not an enum", at: field.positions.type)
                return false
            }
            field.message = message
            field.typeName = "." + message.fullName
            if field.type != .group { field.type = .message }
            if field.defaultValue != nil { fail("a message cannot have a default", at: field.positions.defaultValue) }
        case .enum(let one):
            guard field.type == nil || field.type == .enum else {
                fail("'\(name)' is not a message", at: field.positions.type)
                return false
            }
            field.enum = one
            field.typeName = "." + one.fullName
            field.type = .enum
            checkDefault(of: field, one)
        default:
            fail("'\(name)' is not a type", at: field.positions.type)
            return false
        }
        return true
    }

    private func checkDefault(of field: FieldDescriptor, _ one: EnumDescriptor) {
        guard let name = field.defaultValue else { return }
        if name.utf8.first?.isLetter != true || !name.utf8.allSatisfy({ $0.isLetter || $0.isDigit }) {
            fail("the default of an enum must be the name of a value", at: field.positions.defaultValue)
        } else if !one.values.contains(where: { $0.name == name }) {
            fail("'\(one.fullName)' has no value '\(name)'", at: field.positions.defaultValue)
        }
    }

    /// Reports a number that is used twice in a message or in its extensions.
    private func checkNumber(of field: FieldDescriptor) {
        guard let message = field.isExtension ? field.extendee : field.parent else { return }
        let key = FieldKey(message: ObjectIdentifier(message), number: field.number)
        if let other = fieldsByNumber[key] {
            fail(
                "'\(other.name)' has the number \(field.number) already", at: field.positions.number,
                hint: field.isExtension
                    ? nil : nextFreeNumber(of: message).map { "The next free number is \($0)." }
            )
        } else {
            fieldsByNumber[key] = field
            if field.isExtension, let other = pool.symbols.add(field, extending: message) {
                warn(
                    "\(other.fullName) in \(other.file.name) has the number \(field.number) already",
                    at: field.positions.number)
            }
        }
    }

    /// Returns the next free number of a message; nil if the search would take too long.
    private func nextFreeNumber(of message: MessageDescriptor) -> Int32? {
        let taken = Set(message.fields.map(\.number))
        let ranges = message.extensionRanges.map(\.numbers) + message.reservedRanges
        guard taken.count + ranges.count < 1_000 else { return nil }
        return (1...FieldNumbers.maximum).first { number in
            !taken.contains(number) && !FieldNumbers.reservedForImplementations.contains(number)
                && !ranges.contains { $0.contains(number) }
        }
    }

    private func resolve(_ method: MethodDescriptor) {
        if let message = message(method.inputName, in: method.fullName, at: method.inputPosition) {
            method.input = message
            method.inputName = "." + message.fullName
        }
        if let message = message(method.outputName, in: method.fullName, at: method.outputPosition) {
            method.output = message
            method.outputName = "." + message.fullName
        }
    }

    /// Returns the message that a name refers to; reports an error if the file may use no such message.
    private func message(_ name: String, in scope: String, at position: SourcePosition?) -> MessageDescriptor? {
        switch lookUp(name, in: scope) {
        case .message(let message): return checkVisibility(message, at: position) ? message : nil
        case .some: fail("'\(name)' is not a message", at: position)
        case nil: failUndefined(name, at: position, in: scope)
        }
        return nil
    }
}

// MARK: Symbol visibility (edition 2024)

extension Linker {
    /// Whether the file may use a symbol; if not, reports an error.
    private func checkVisibility(_ type: TypeDescriptor, at position: SourcePosition?) -> Bool {
        guard type.file !== file, !pool.trustsFiles else { return true }
        let isExported =
            switch (type.visibility, type.file.features.defaultSymbolVisibility) {
            case (.export, _), (nil, .exportAll): true
            case (nil, .exportTopLevel): type.parent == nil
            case (.local, _), (nil, .localAll), (nil, .strict): false
            }
        guard !isExported else { return true }
        fail(
            "'\(type.fullName)' is only visible in \(type.file.name)", at: position,
            hint: type.visibility == .local
                ? "It is marked 'local' there." : "Write 'export' before it there if other files may use it.")
        return false
    }

    /// Reports exported declarations in messages, which a file with strict visibility must not have.
    private func checkExports() {
        guard file.features.defaultSymbolVisibility == .strict else { return }
        for message in file.messages { checkExports(in: message) }
    }

    private func checkExports(in message: MessageDescriptor) {
        for inner in message.messages {
            if inner.visibility == .export { failExport(inner) }
            checkExports(in: inner)
        }
        for one in message.enums where one.visibility == .export && !message.isNamespace { failExport(one) }
    }

    private func failExport(_ type: TypeDescriptor) {
        fail(
            "'\(type.fullName)' is nested in a message and cannot be exported", at: type.namePosition,
            hint: "Move it out of the message.")
    }
}

extension MessageDescriptor {
    /// Whether the message only groups enums: it is local, and all its numbers are reserved.
    fileprivate var isNamespace: Bool {
        guard parent == nil, visibility != .export, reservedRanges.count == 1 else { return false }
        return reservedRanges[0].first == 1 && reservedRanges[0].last == FieldNumbers.maximum
    }
}
