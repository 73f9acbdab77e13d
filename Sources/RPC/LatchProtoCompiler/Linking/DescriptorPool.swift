// SPDX-License-Identifier: Apache-2.0

/// The files of a compilation; each is loaded once, after its imports.
final class DescriptorPool {
    let diagnostics = Diagnostics()
    let symbols = SymbolTable()
    /// Whether another compiler has checked the files, which then lack options with source retention.
    let trustsFiles: Bool
    private let read: Compiler.Read
    private let recordsLocations: Bool
    private var byName: [String: FileDescriptor] = [:]
    private var failed: Set<String> = []
    private var missing: Set<String> = []
    /// The files that are being loaded; importing one of them again is a cycle.
    private var pending: [String] = []
    /// The files loaded since the last check of options.
    private var fresh: [FileDescriptor] = []
    /// The files parsed in advance.
    private var parsed: [String: (file: FileDescriptor, diagnostics: Diagnostics)] = [:]
    /// The number of files in the longest chain of imports that begins with each file.
    private var depths: [String: Int] = [:]

    init(recordsLocations: Bool, trustsFiles: Bool = false, read: @escaping Compiler.Read) {
        self.trustsFiles = trustsFiles
        self.recordsLocations = recordsLocations
        self.read = read
    }

    func file(named name: String) -> FileDescriptor? { byName[name] }

    static let spellingHint =
        "Some file systems keep one of two such files: rename one, or write the name as that of the file is written."

    /// Reports a name that differs from a file's name only in its Unicode form; Swift considers such texts equal.
    func checkSpelling(of name: String) {
        guard let file = byName[name], !file.name.utf8.elementsEqual(name.utf8) else { return }
        diagnostics.add(
            "there is another file with this name in another form of Unicode", at: nil,
            in: SourceFile(name: name, bytes: []), hint: Self.spellingHint)
    }

    /// Whether the file does not exist; false for a file with errors.
    func isMissing(_ name: String) -> Bool { missing.contains(name) || !failed.contains(name) }

    func hasFailed(_ name: String) -> Bool { failed.contains(name) }

    /// Parses files in advance, several concurrently; their diagnostics are reported when the files are loaded.
    func parse(_ names: [String]) {
        let sources = Set(names).compactMap { source(of: $0) }
        let files = Parallel.map(sources) { source in
            let diagnostics = Diagnostics()
            return (Parser.parse(source, diagnostics, recordsLocations: recordsLocations), diagnostics)
        }
        for (source, file) in zip(sources, files) { parsed[source.name] = file }
    }

    private func source(of name: String) -> SourceFile? {
        (read(name) ?? WellKnownFiles.bytes(of: name)).map { SourceFile(name: name, bytes: $0) }
    }

    private func parsed(_ name: String) -> FileDescriptor? {
        if let (file, found) = parsed.removeValue(forKey: name) {
            diagnostics.add(found)
            return file
        }
        return source(of: name).map { Parser.parse($0, diagnostics, recordsLocations: recordsLocations) }
    }

    /// The maximum length of a chain of imports, which recursion follows, here and when a file releases its imports.
    private static let deepestImport = 1_000

    /// Reports a file at the end of a chain of imports that is too long.
    ///
    /// - Returns: Whether the chain is short enough.
    private func checkDepth(of file: FileDescriptor) -> Bool {
        let depth = 1 + (file.imports.lazy.compactMap { self.depths[$0.path] }.max() ?? 0)
        depths[file.name] = depth
        guard depth > Self.deepestImport else { return true }
        failDepth(of: file)
        return false
    }

    private func failDepth(of file: FileDescriptor) {
        diagnostics.add(
            "more than \(Self.deepestImport) files import each other in a row", at: nil, in: file.source,
            hint: "Join files of the chain, or import those of its end directly.")
        failed.insert(file.name)
    }

    /// Reads, parses and links a file, after its imports.
    func load(_ name: String, from importer: FileDescriptor?) {
        let before = diagnostics.errorCount
        guard let file = parsed(name) else {
            failed.insert(name)
            missing.insert(name)
            if importer == nil {
                diagnostics.add("the file does not exist", at: nil, in: SourceFile(name: name, bytes: []))
            }
            return
        }
        guard diagnostics.errorCount == before else { return _ = failed.insert(name) }
        guard pending.count < Self.deepestImport else {
            return failDepth(of: file)
        }
        pending.append(name)
        loadImports(of: file)
        pending.removeLast()
        // The files of its imports may have been loaded before it, each separately.
        if !failed.contains(name), !checkDepth(of: file) { return }
        let errorsAfterImports = diagnostics.errorCount
        if !failed.contains(name) { Linker(file, in: self).link() }
        guard diagnostics.errorCount == errorsAfterImports, !failed.contains(name) else {
            symbols.removeAll(of: file)
            return _ = failed.insert(name)
        }
        byName[name] = file
        fresh.append(file)
    }

    /// Checks the options of the files loaded since the last call; the files that declare the options must be loaded.
    func checkOptions() {
        for file in fresh {
            let before = diagnostics.errorCount
            OptionValidator(file: file, pool: self).checkLifetimes()
            if diagnostics.errorCount > before { discard(file) }
        }
        fresh = []
    }

    /// Checks the rules that apply only to files for which code is generated.
    func checkRequested(_ file: FileDescriptor) {
        let before = diagnostics.errorCount
        GeneratedFileValidator(file: file, pool: self).check()
        if diagnostics.errorCount > before { discard(file) }
    }

    /// Removes a loaded file with errors and the files that import it, because their declarations refer to it.
    private func discard(_ file: FileDescriptor) {
        guard byName.removeValue(forKey: file.name) != nil else { return }
        failed.insert(file.name)
        symbols.removeAll(of: file)
        for importer in byName.values where importer.dependencies.contains(where: { $0 === file }) { discard(importer) }
    }

    /// Returns files and all their imports; each file comes after its imports.
    func withImports(_ files: [FileDescriptor]) -> [FileDescriptor] {
        var (result, seen) = ([FileDescriptor](), Set<String>())
        // `import option` in a serialized file may refer to a later file, so the imports have no maximum depth here.
        for file in files where seen.insert(file.name).inserted {
            var path = [(file: file, next: 0)]
            while let (file, next) = path.last {
                guard file.imports.indices.contains(next) else {
                    result.append(file)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                guard let other = self.file(named: file.imports[next].path), seen.insert(other.name).inserted
                else { continue }
                path.append((other, 0))
            }
        }
        return result
    }

    /// Loads descriptor.proto, which declares the options messages.
    func loadOptions() {
        let name = "google/protobuf/descriptor.proto"
        guard symbols.find("google.protobuf.FileOptions") == nil else { return }
        if byName[name] == nil, !failed.contains(name), !pending.contains(name) { load(name, from: nil) }
    }

    private func loadImports(of file: FileDescriptor) {
        for dependency in file.imports {
            if let start = pending.firstIndex(of: dependency.path) {
                let circle = pending[start...].joined(separator: " → ")
                diagnostics.add(
                    "the file imports itself: \(circle) → \(dependency.path)", at: dependency.position, in: file.source)
                failed.insert(file.name)
            } else if !Self.isWithinFolders(dependency.path) {
                missing.insert(dependency.path)
                failed.insert(dependency.path)
            } else if byName[dependency.path] == nil, !failed.contains(dependency.path) {
                load(dependency.path, from: file)
            }
        }
    }

    /// Whether an import path is canonical and stays within the include paths, as protoc requires of virtual paths.
    private static func isWithinFolders(_ path: String) -> Bool {
        !path.utf8.contains(UInt8(ascii: "\\")) && path.isCanonicalPath
    }
}

extension DescriptorPool {
    /// Decodes and links files in order.
    ///
    /// Options are decoded last, because a later file may declare them.
    func link(_ serialized: [[UInt8]]) {
        var linkers: [(linker: Linker, options: [[Int32]: WireMessage])] = []
        var known: [String: [UInt8]] = [:]
        let hint = "Pass on what protoc or buf has compiled."
        for bytes in serialized {
            do throws(MalformedWire) {
                let reader = try DescriptorReader.read(try WireMessage(bytes))
                let file = reader.file
                checkSpelling(of: file.name)
                if let other = known.updateValue(bytes, forKey: file.name) {
                    if other == bytes { continue }
                    diagnostics.add(
                        "the request has two different files of this name", at: nil, in: file.source, hint: hint)
                    return
                }
                // Otherwise each later file in the chain would also be an error.
                guard checkDepth(of: file) else { return }
                let linker = Linker(file, in: self)
                linker.linkSerialized(reader.problems)
                byName[file.name] = file
                linkers.append((linker, reader.pending))
            } catch {
                let source = SourceFile(name: "descriptor", bytes: [])
                diagnostics.add(
                    "the descriptor is malformed at byte \(error.offset)", at: nil, in: source, hint: hint)
            }
        }
        guard diagnostics.errorCount == 0 else { return }
        if linkers.contains(where: { !$0.options.isEmpty }) { loadOptions() }
        for (linker, options) in linkers { linker.linkSerialized(options: options) }
    }
}
