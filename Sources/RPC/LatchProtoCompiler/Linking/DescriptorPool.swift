// SPDX-License-Identifier: Apache-2.0

/// The files of a compilation, each of which is loaded once, after its imports.
final class DescriptorPool {
    let diagnostics = Diagnostics()
    let symbols = SymbolTable()
    /// Whether another compiler has checked the files, which lack options with source retention.
    let trustsFiles: Bool
    private let read: Compiler.Read
    private let recordsLocations: Bool
    private var byName: [String: FileDescriptor] = [:]
    private var failed: Set<String> = []
    private var missing: Set<String> = []
    /// The files that are being loaded; importing one of them again is a cycle.
    private var pending: [String] = []
    /// The files that were loaded since the options were checked last.
    private var fresh: [FileDescriptor] = []
    /// The files that were parsed in advance.
    private var parsed: [String: (file: FileDescriptor, diagnostics: Diagnostics)] = [:]

    init(recordsLocations: Bool, trustsFiles: Bool = false, read: @escaping Compiler.Read) {
        self.trustsFiles = trustsFiles
        self.recordsLocations = recordsLocations
        self.read = read
    }

    func file(named name: String) -> FileDescriptor? { byName[name] }

    /// Whether the file does not exist, as opposed to a file with errors.
    func isMissing(_ name: String) -> Bool { missing.contains(name) || !failed.contains(name) }

    func hasFailed(_ name: String) -> Bool { failed.contains(name) }

    /// Parses files in advance, several at once; their diagnostics are reported when the files are loaded.
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

    /// The longest chain of imports, which recursion follows.
    private static let deepestImport = 1_000

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
            diagnostics.add(
                "more than \(Self.deepestImport) files import each other in a row", at: nil, in: file.source)
            return _ = failed.insert(name)
        }
        pending.append(name)
        loadImports(of: file)
        pending.removeLast()
        let errorsAfterImports = diagnostics.errorCount
        if !failed.contains(name) { Linker(file, in: self).link() }
        guard diagnostics.errorCount == errorsAfterImports, !failed.contains(name) else {
            symbols.removeAll(of: file)
            return _ = failed.insert(name)
        }
        byName[name] = file
        fresh.append(file)
    }

    /// Checks the options of the files that were loaded since the last call; the files that declare them must be
    /// loaded.
    func checkOptions() {
        for file in fresh {
            let before = diagnostics.errorCount
            OptionValidator(file: file, pool: self).checkLifetimes()
            if diagnostics.errorCount > before { discard(file) }
        }
        fresh = []
    }

    /// Checks the rules that only apply to files that code is generated for.
    func checkRequested(_ file: FileDescriptor) {
        let before = diagnostics.errorCount
        GeneratedFileValidator(file: file, pool: self).check()
        if diagnostics.errorCount > before { discard(file) }
    }

    /// Removes a loaded file with errors, and the files that import it: their declarations refer to its declarations.
    private func discard(_ file: FileDescriptor) {
        guard byName.removeValue(forKey: file.name) != nil else { return }
        failed.insert(file.name)
        symbols.removeAll(of: file)
        for importer in byName.values where importer.dependencies.contains(where: { $0 === file }) { discard(importer) }
    }

    /// Returns files and everything that they import, each file after its imports.
    func withImports(_ files: [FileDescriptor]) -> [FileDescriptor] {
        var (result, seen) = ([FileDescriptor](), Set<String>())
        func add(_ file: FileDescriptor) {
            guard seen.insert(file.name).inserted else { return }
            for dependency in file.imports { self.file(named: dependency.path).map(add) }
            result.append(file)
        }
        files.forEach(add)
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

    /// Returns whether an import path is canonical and stays within the include paths, as protoc requires of virtual
    /// paths.
    private static func isWithinFolders(_ path: String) -> Bool {
        !path.utf8.contains(UInt8(ascii: "\\")) && path.isCanonicalPath
    }
}

extension DescriptorPool {
    /// Decodes and links files in their order.
    ///
    /// Options are decoded last, since a later file may declare them.
    func link(_ serialized: [[UInt8]]) {
        var linkers: [(linker: Linker, options: [[Int32]: WireMessage])] = []
        for bytes in serialized {
            do throws(MalformedWire) {
                let (file, options) = try DescriptorReader.read(try WireMessage(bytes))
                guard self.file(named: file.name) == nil else { continue }
                let linker = Linker(file, in: self)
                linker.linkSerialized()
                byName[file.name] = file
                linkers.append((linker, options))
            } catch {
                let source = SourceFile(name: "descriptor", bytes: [])
                diagnostics.add("the descriptor is malformed at byte \(error.offset)", at: nil, in: source)
            }
        }
        guard diagnostics.errorCount == 0 else { return }
        if linkers.contains(where: { !$0.options.isEmpty }) { loadOptions() }
        for (linker, options) in linkers { linker.linkSerialized(options: options) }
    }
}
