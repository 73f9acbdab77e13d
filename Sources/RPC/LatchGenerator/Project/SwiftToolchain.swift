// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
package import LatchCore
package import LatchProcess

/// The Swift compiler of this machine, and the modules that generated code imports.
package struct SwiftToolchain: Sendable {
    /// The path of `swiftc`.
    package let compiler: String
    /// What makes the compiler find the runtime of generated code; nil where it is not built.
    package let runtime: RuntimeModules?

    /// The compiler that `SWIFT_EXEC` or `PATH` lead to; nil where there is none.
    ///
    /// - Parameters:
    ///   - program: The path of this program, beside which the modules lie that were built with it.
    ///   - folders: Folders of modules that were named, which come first.
    package static func find(
        in environment: [String: String], program: String, modules folders: [String] = []
    ) -> SwiftToolchain? {
        let named = environment["SWIFT_EXEC"].map { [$0] } ?? []
        guard let compiler = (named + executables("swiftc", in: environment)).first(where: isExecutable) else {
            return nil
        }
        return SwiftToolchain(compiler: compiler, runtime: .find(near: program, named: folders))
    }

    /// The first program of that name in `PATH`; nil where there is none.
    package static func program(_ name: String, in environment: [String: String]) -> String? {
        executables(name, in: environment).first(where: isExecutable)
    }

    private static func executables(_ name: String, in environment: [String: String]) -> [String] {
        (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
    }

    private static func isExecutable(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder
            && FileManager.default.isExecutableFile(atPath: path)
    }

    /// What the compiler says of itself, in its first line.
    package func version() async throws(FileFailure) -> String {
        let (ending, output) = try await ChildProcess.run(compiler, ["--version"], errors: .joined)
        let text = String(decoding: output, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.contains("version") } ?? "no version"
        return ending == .exited(0) ? String(line) : "it failed"
    }
}

/// The modules that generated code imports, as they lie beside a program that was built with them.
package struct RuntimeModules: Sendable {
    /// The flags of the compiler that lead to them.
    package let flags: [String]
    /// Their folder, for people.
    package let folder: String

    /// The one that is looked for: clients import it, and whatever they import besides lies beside it.
    private static let marker = "LatchRPC.swiftmodule"

    static func find(near program: String, named folders: [String]) -> RuntimeModules? {
        let files = FileManager.default
        let real = resolved(program)
        let beside = AtomicFile(real).folder
        let candidates = folders.flatMap { [$0, $0 + "/Modules"] } + ["\(beside)/Modules", beside]
        guard let folder = candidates.first(where: { files.fileExists(atPath: "\($0)/\(marker)") }) else { return nil }
        return RuntimeModules(flags: ["-I", folder] + maps(above: folder), folder: folder)
    }

    /// A path that a link leads to, such as `/proc/self/exe`.
    private static func resolved(_ path: String) -> String {
        do { return try FileManager.default.destinationOfSymbolicLink(atPath: path) } catch { return path }
    }

    /// Our modules are built over modules of C, whose maps lie in the package and in the folder of the build.
    private static func maps(above modules: String) -> [String] {
        let files = FileManager.default
        var found: [String] = []
        var folder = AtomicFile(modules).folder
        for _ in 0..<6 {
            for part in names(in: folder) where part.hasPrefix("C") && part.hasSuffix(".build") {
                found.append("\(folder)/\(part)/module.modulemap")
            }
            found += names(in: "\(folder)/Sources/C").map { "\(folder)/Sources/C/\($0)/module.modulemap" }
            folder = AtomicFile(folder).folder
        }
        return found.filter { files.fileExists(atPath: $0) }.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// What is in a folder; nothing where there is none.
    private static func names(in folder: String) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch { return [] }
    }
}
