// SPDX-License-Identifier: Apache-2.0

/// The files of one compilation: reads each once, after what it imports.
final class FilePool {
    let diagnostics = Diagnostics()
    let symbols = SymbolTable()
    /// Whether another compiler has checked the files: what it does not pass on, such as options for sources alone, is not
    /// there to check them again by.
    let trustsFiles: Bool
    private let read: Compiler.Read
    private let recordsLocations: Bool
    private var byName: [String: FileDescriptor] = [:]
    private var failed: Set<String> = []
    private var missing: Set<String> = []
    /// Files that are being read: one that is imported again imports itself.
    private var pending: [String] = []
    /// The files that were read since options were looked at last.
    private var fresh: [FileDescriptor] = []
    /// Files that were parsed before their turn has come.
    private var parsed: [String: (file: FileDescriptor, diagnostics: Diagnostics)] = [:]

    init(recordsLocations: Bool, trustsFiles: Bool = false, read: @escaping Compiler.Read) {
        self.trustsFiles = trustsFiles
        self.recordsLocations = recordsLocations
        self.read = read
    }

    func file(named name: String) -> FileDescriptor? { byName[name] }

    /// Takes in a file that was read elsewhere.
    func add(_ file: FileDescriptor) { byName[file.name] = file }

    /// Whether nobody has a file of this name.
    func isMissing(_ name: String) -> Bool { missing.contains(name) || !failed.contains(name) }

    func wasTried(_ name: String) -> Bool { failed.contains(name) }

    /// Reads and parses files that will be loaded, several at once; what is wrong with one is told in its turn.
    func parse(_ names: [String]) {
        let sources = Set(names).compactMap { source(of: $0) }
        let files = Parallel.map(sources) { source in
            let diagnostics = Diagnostics()
            return (Parser.parse(source, diagnostics, recordsLocations: recordsLocations), diagnostics)
        }
        for (source, file) in zip(sources, files) { parsed[source.name] = file }
    }

    private func source(of name: String) -> SourceText? {
        (read(name) ?? WellKnownFiles.bytes(of: name)).map { SourceText(name: name, bytes: $0) }
    }

    private func parsed(_ name: String) -> FileDescriptor? {
        if let (file, found) = parsed.removeValue(forKey: name) {
            diagnostics.add(found)
            return file
        }
        return source(of: name).map { Parser.parse($0, diagnostics, recordsLocations: recordsLocations) }
    }

    /// Reads, parses and links a file, after its imports.
    func load(_ name: String, from importer: FileDescriptor?) {
        let before = diagnostics.errorCount
        guard let file = parsed(name) else {
            failed.insert(name)
            missing.insert(name)
            if importer == nil {
                diagnostics.add("there is no such file", at: nil, in: SourceText(name: name, bytes: []))
            }
            return
        }
        guard diagnostics.errorCount == before else { return _ = failed.insert(name) }
        pending.append(name)
        loadImports(of: file)
        pending.removeLast()
        let mine = diagnostics.errorCount
        if !failed.contains(name) { Linker(file, in: self).link() }
        guard diagnostics.errorCount == mine, !failed.contains(name) else {
            symbols.removeAll(of: file)
            return _ = failed.insert(name)
        }
        byName[name] = file
        fresh.append(file)
    }

    /// Looks at what the options of all files say about themselves, which needs the files that declare them.
    func checkOptions() {
        for file in fresh {
            let before = diagnostics.errorCount
            OptionRules(file, in: self).checkLifetimes()
            if diagnostics.errorCount > before { discard(file) }
        }
        fresh = []
    }

    /// Looks at what only matters in files that somebody wants the descriptors of.
    func checkRequested(_ file: FileDescriptor) {
        let before = diagnostics.errorCount
        RequestedFile(file, in: self).check()
        if diagnostics.errorCount > before { discard(file) }
    }

    private func discard(_ file: FileDescriptor) {
        failed.insert(file.name)
        byName[file.name] = nil
    }

    /// Files and all that they import, each behind what it imports.
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

    /// The file in which the options of all files are declared.
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
                    "the file imports itself: \(circle) → \(dependency.path)", at: dependency.place, in: file.source)
                failed.insert(file.name)
            } else if !Self.isWithinFolders(dependency.path) {
                missing.insert(dependency.path)
                failed.insert(dependency.path)
            } else if byName[dependency.path] == nil, !failed.contains(dependency.path) {
                load(dependency.path, from: file)
            }
        }
    }

    /// Whether a name leads to one file within the folders, and by one way.
    ///
    /// What would lead out of them, or by another name to a file that was read, is no file (protoc's virtual paths).
    private static func isWithinFolders(_ path: String) -> Bool {
        !path.contains("\\")
            && path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part != "." && part != ".."
            }
    }
}
