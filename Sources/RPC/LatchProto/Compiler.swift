// SPDX-License-Identifier: Apache-2.0

/// Compiles .proto files.
///
/// ```swift
/// let compilation = Compiler(reading: { name in try? readFile("protos/\(name)") }).compile(["user.proto"])
/// for diagnostic in compilation.diagnostics { print(diagnostic) }
/// ```
///
/// The well-known types are built in: they are found where `read` does not give them.
public struct Compiler {
    /// Gives the bytes of a file by the name under which it is imported; nil where there is none.
    public typealias Read = (_ name: String) -> [UInt8]?

    private let read: Read
    private let recordsLocations: Bool

    /// A compiler of what `read` gives.
    ///
    /// - Parameter recordsLocations: Whether descriptors say where everything stands; comments are kept in any case.
    public init(recordsLocations: Bool = false, reading read: @escaping Read) {
        self.recordsLocations = recordsLocations
        self.read = read
    }

    /// Compiles files and all that they import.
    public func compile(_ names: [String]) -> Compilation {
        let pool = FilePool(recordsLocations: recordsLocations, read: read)
        if names.count > 1 { pool.parse(names) }
        for name in names where pool.file(named: name) == nil && !pool.wasTried(name) {
            pool.load(name, from: nil)
            pool.checkOptions()
        }
        if pool.diagnostics.errorCount == 0 { names.compactMap { pool.file(named: $0) }.forEach(pool.checkRequested) }
        let requested = names.compactMap { pool.file(named: $0) }
        return Compilation(
            requested: requested, files: pool.withImports(requested), diagnostics: pool.diagnostics.list)
    }
}

/// What came of a compilation.
public struct Compilation {
    /// The files that were asked for, as far as they are right.
    public let requested: [FileDescriptor]
    /// All files, each behind those that it imports.
    public let files: [FileDescriptor]
    /// What is wrong or strange, in the order in which it was found.
    public let diagnostics: [Diagnostic]

    /// Whether all files are right.
    public var isComplete: Bool { !diagnostics.contains { $0.severity == .error } }
}
