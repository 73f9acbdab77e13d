// SPDX-License-Identifier: Apache-2.0

/// Gives all declarations of a file their full names, finds what they refer to, and checks what only then can be checked.
final class Linker {
    let file: FileDescriptor
    let pool: FilePool
    /// The files whose declarations this one may use: its own, its imports, and what those pass on.
    private(set) var visible: Set<ObjectIdentifier> = []
    /// The files of which it may use extensions as options, and nothing else.
    private var visibleForOptions: Set<ObjectIdentifier> = []
    /// The packages of those files, and all that they stand in.
    private var visiblePackages: Set<String> = []
    private let errorsBefore: Int
    private var guessesLeft = 20
    /// The field of each number of a message.
    var numbers: [NumberInMessage: FieldDescriptor] = [:]
    /// The files that something was found in.
    private(set) var used: Set<ObjectIdentifier> = []

    init(_ file: FileDescriptor, in pool: FilePool) {
        self.file = file
        self.pool = pool
        errorsBefore = pool.diagnostics.errorCount
    }

    private var hasErrors: Bool { pool.diagnostics.errorCount > errorsBefore }

    func link() {
        guard definePackage() else { return }
        checkImports()
        define()
        resolve()
        if !hasErrors { understandOptions() }
        for check in [checkAll, warnOfUnusedImports, checkNames, checkLimits, checkExports] where !hasErrors { check() }
        if hasErrors { explainMaps() }
    }

    private func understandOptions() {
        var options = OptionInterpreter(self)
        options.interpretPlain()
        resolveFeatures()
        options.interpretCustom()
    }

    func fail(_ message: String, at place: Place?, hint: String? = nil) {
        pool.diagnostics.add(message, at: place, in: file.source, hint: hint)
    }

    func warn(_ message: String, at place: Place?) {
        pool.diagnostics.add(message, at: place, in: file.source, as: .warning)
    }

    func checkImports() {
        var seen: Set<String> = []
        addVisible(file, to: \.visible)
        for dependency in file.imports {
            if !seen.insert(dependency.path).inserted {
                fail("'\(dependency.path)' is imported twice", at: dependency.place)
            }
            guard let other = pool.file(named: dependency.path) else {
                if dependency.kind != .option || file.hasOptions {
                    failImport(of: dependency)
                }
                continue
            }
            file.dependencies.append(other)
            addVisible(other, to: dependency.kind == .option ? \.visibleForOptions : \.visible)
        }
    }

    private func failImport(of dependency: Import) {
        guard pool.isMissing(dependency.path) else {
            return fail("'\(dependency.path)' cannot be imported: it has errors", at: dependency.place)
        }
        fail(
            "'\(dependency.path)' cannot be imported: it was not found", at: dependency.place,
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

    private func warnOfUnusedImports() {
        for dependency in file.imports where dependency.kind == .plain || dependency.kind == .weak {
            guard let other = pool.file(named: dependency.path), !used.contains(ObjectIdentifier(other)),
                !other.imports.contains(where: { $0.kind == .public })
            else { continue }
            warn("'\(dependency.path)' is imported and not used", at: dependency.place)
        }
    }
}

// MARK: Names

extension Linker {
    /// What a name means inside of `scope`; nil where that is nothing, or nothing that this file may use.
    ///
    /// From the innermost scope outwards, the first scope counts in which the first part of the name is declared, as in
    /// C++ (Protocol Buffers language guide, "Packages and name resolution").
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
            if !typesOnly || symbol.isType { return symbol }
        }
        return find(name)
    }

    /// What a full name stands for, as far as this file may know it.
    func find(_ name: String) -> Symbol? {
        guard let (symbol, other) = pool.symbols.find(name) else { return nil }
        if case .package = symbol { return visiblePackages.contains(name) ? symbol : nil }
        let id = ObjectIdentifier(other)
        if !visible.contains(id) {
            guard visibleForOptions.contains(id), case .field = symbol else { return nil }
        }
        used.insert(id)
        return symbol
    }

    /// The names of the file's own types; of very many none, since nobody waits for a guess.
    private var typeNames: [String] {
        let names = file.messages.map(\.name) + file.messages.flatMap { $0.messages.map(\.name) + $0.enums.map(\.name) }
        return names.count < 1_000 ? names + file.enums.map(\.name) : []
    }

    /// Why a name means nothing, and what may help.
    func failUndefined(_ name: String, at place: Place?, in scope: String) {
        var outer = Substring(scope)
        var candidates = [name.hasPrefix(".") ? String(name.dropFirst()) : name]
        while let dot = outer.lastIndex(of: ".") {
            outer = outer[..<dot]
            candidates.append("\(outer).\(name)")
        }
        for candidate in candidates {
            if let (_, other) = pool.symbols.find(candidate), !visible.contains(ObjectIdentifier(other)) {
                if visibleForOptions.contains(ObjectIdentifier(other)) {
                    return fail(
                        "'\(candidate)' is declared in \(other.name), which is imported for its options alone",
                        at: place, hint: "Write: import \"\(other.name)\";")
                }
                return fail(
                    "'\(candidate)' is declared in \(other.name), which is not imported", at: place,
                    hint: "Add: import \"\(other.name)\";")
            }
        }
        // Guesses take time, and nobody reads the hundredth.
        guessesLeft -= 1
        let near = guessesLeft > 0 ? SimilarName.nearest(to: name, in: FieldType.keywordNames + typeNames) : nil
        fail("'\(name)' is not declared", at: place, hint: near.map { "Is '\($0)' meant?" })
    }
}
