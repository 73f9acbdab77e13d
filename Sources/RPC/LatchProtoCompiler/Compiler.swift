// SPDX-License-Identifier: Apache-2.0

/// Compiles .proto files.
///
/// ```swift
/// let compilation = Compiler(reading: { name in try? readFile("protos/\(name)") }).compile(["user.proto"])
/// for diagnostic in compilation.diagnostics { print(diagnostic) }
/// ```
///
/// The well-known types are built in, and are used for names that `read` does not find.
package struct Compiler {
    /// Returns the bytes of the file that is imported under a name; nil if the file does not exist.
    package typealias Read = (_ name: String) -> [UInt8]?

    private let read: Read
    private let recordsLocations: Bool

    /// Creates a compiler of the files that `read` returns.
    ///
    /// - Parameter recordsLocations: Whether descriptors record source locations; comments are always kept.
    package init(recordsLocations: Bool = false, reading read: @escaping Read) {
        self.recordsLocations = recordsLocations
        self.read = read
    }

    /// Compiles files and all files that they import.
    package func compile(_ names: [String]) -> Compilation {
        let pool = DescriptorPool(recordsLocations: recordsLocations, read: read)
        if names.count > 1 { pool.parse(names) }
        for name in names where !pool.hasFailed(name) {
            guard pool.file(named: name) == nil else {
                pool.checkSpelling(of: name)
                continue
            }
            pool.load(name, from: nil)
            pool.checkOptions()
        }
        if pool.diagnostics.errorCount == 0 { names.compactMap { pool.file(named: $0) }.forEach(pool.checkRequested) }
        let filesToGenerate = names.compactMap { pool.file(named: $0) }
        return Compilation(
            filesToGenerate: filesToGenerate, files: pool.withImports(filesToGenerate),
            diagnostics: pool.diagnostics.list)
    }
}

extension Compiler {
    /// Links files that another compiler has parsed: each a `FileDescriptorProto`, after the files that it imports.
    ///
    /// Positions and comments come from the `SourceCodeInfo` of the files. Errors are reported as for source files.
    package static func link(_ files: [[UInt8]], filesToGenerate: [String]) -> Compilation {
        let pool = DescriptorPool(recordsLocations: false, trustsFiles: true) { _ in nil }
        pool.link(files)
        var seen: Set<String> = []
        let found = filesToGenerate.compactMap { seen.insert($0).inserted ? pool.file(named: $0) : nil }
        for name in filesToGenerate where pool.file(named: name) == nil && pool.diagnostics.errorCount == 0 {
            pool.diagnostics.add("the file does not exist", at: nil, in: SourceFile(name: name, bytes: []))
        }
        return Compilation(filesToGenerate: found, files: pool.withImports(found), diagnostics: pool.diagnostics.list)
    }
}

/// The descriptors and the diagnostics of a compilation.
package struct Compilation {
    /// The requested files, except those with errors (`CodeGeneratorRequest.file_to_generate`).
    package let filesToGenerate: [FileDescriptor]
    /// The requested files and all files that they import, each after its imports.
    package let files: [FileDescriptor]
    /// The errors and warnings, in the order in which they were found.
    package let diagnostics: [Diagnostic]

    /// Whether all files compiled without errors.
    package var isComplete: Bool { !diagnostics.contains { $0.severity == .error } }
}
