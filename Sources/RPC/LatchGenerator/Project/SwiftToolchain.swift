// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
import LatchProcess

/// The installed Swift compiler, and the modules that generated code imports.
package struct SwiftToolchain: Sendable {
    /// The path of `swiftc`.
    package let compiler: String
    /// The modules of the runtime; nil if they are not built.
    package let runtime: RuntimeModules?

    /// Finds the compiler through `SWIFT_EXEC` or `PATH`; nil if there is none.
    ///
    /// - Parameters:
    ///   - program: The path of this program; the build puts the modules next to it.
    ///   - folders: Additional folders of modules, which are searched first.
    package static func find(
        in environment: [String: String], program: String, modules folders: [String] = []
    ) -> SwiftToolchain? {
        let named = environment["SWIFT_EXEC"].map { [$0] } ?? []
        guard let compiler = (named + executables("swiftc", in: environment)).first(where: isExecutable) else {
            return nil
        }
        return SwiftToolchain(compiler: compiler, runtime: .find(near: program, named: folders))
    }

    /// Returns the path of a program in `PATH`; nil if there is none.
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

    /// Returns the first line of the compiler's version.
    package func version() async throws(FileError) -> String {
        guard let (ending, output) = try await ChildProcess.runCompiler(compiler, ["--version"]) else {
            return "it does not end"
        }
        let text = String(decoding: output, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.contains("version") } ?? "no version"
        return ending == .exited(0) ? String(line) : "it failed"
    }
}

/// The modules that generated code imports, in the build folder of this program.
package struct RuntimeModules: Sendable {
    /// The flags with which the compiler finds the modules.
    package let flags: [String]
    /// The folder of the modules.
    package let folder: String

    /// The modules that generated code imports.
    static let names: Set = [
        "AxiomArchitecture", "AxiomCore", "LatchAuth", "LatchCore", "LatchHTTP", "LatchProtobuf", "LatchRPC",
    ]
    /// The module whose presence identifies the folder.
    private static let marker = "LatchRPC.swiftmodule"

    static func find(near program: String, named folders: [String]) -> RuntimeModules? {
        let files = FileManager.default
        let real = resolved(program)
        let buildFolder = AtomicFile(real).folder
        let candidates = folders.flatMap { [$0, $0 + "/Modules"] } + ["\(buildFolder)/Modules", buildFolder]
        guard let folder = candidates.first(where: { files.fileExists(atPath: "\($0)/\(marker)") }) else { return nil }
        return RuntimeModules(flags: ["-I", folder] + maps(above: folder), folder: folder)
    }

    /// Whether a module is built.
    func has(_ module: String) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(module).swiftmodule") }

    /// Resolves a symbolic link, such as `/proc/self/exe`.
    private static func resolved(_ path: String) -> String {
        do { return try FileManager.default.destinationOfSymbolicLink(atPath: path) } catch { return path }
    }

    /// Returns the flags for the module maps of C modules, which are in the package and in the build folder.
    ///
    /// When another package is built, this package is one of its dependencies: a checkout, or a folder elsewhere.
    private static func maps(above modules: String) -> [String] {
        let files = FileManager.default
        var (generated, packages) = ([String](), [String]())
        var folder = AtomicFile(modules).folder
        for _ in 0..<6 {
            // A plugin's program has a second copy of its modules.
            for part in names(in: folder)
            where part.hasPrefix("C") && part.hasSuffix(".build") && !part.hasSuffix("-tool.build") {
                generated.append("\(folder)/\(part)/module.modulemap")
            }
            packages += [folder] + names(in: "\(folder)/checkouts").map { "\(folder)/checkouts/\($0)" }
            packages += dependencies(in: "\(folder)/workspace-state.json")
            folder = AtomicFile(folder).folder
        }
        // Only one package is used, because a module that two maps declare would be an error.
        let package = packages.first { files.fileExists(atPath: "\($0)/Sources/C/CLatchTimer/module.modulemap") }
        let own = package.map { package in
            names(in: "\(package)/Sources/C").map { "\(package)/Sources/C/\($0)/module.modulemap" }
        }
        return (generated + (own ?? [])).filter { files.fileExists(atPath: $0) }
            .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// Returns the folders of a package's local dependencies from SwiftPM's record; empty if the file is not readable.
    private static func dependencies(in workspace: String) -> [String] {
        do {
            guard let bytes = try AtomicFile(workspace).read() else { return [] }
            let state = try JSONValue(parsing: bytes)
            return (state["object"]?["dependencies"]?.arrayValue ?? []).compactMap { $0["state"]?["path"]?.stringValue }
        } catch {
            return []
        }
    }

    /// Returns the content of a folder; empty if the folder does not exist.
    private static func names(in folder: String) -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch { return [] }
    }
}
