// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchProcess
import LatchProtoCompiler
import Testing

/// protoc 36.2 and public .proto files, which Scripts/fetch-peers installs.
enum Protoc {
    static let hint = "Scripts/fetch-peers proto could not install protoc: no network, no python3, or no pip"

    static func install() async -> Bool { await folder.value != nil }

    /// Whether a folder of .proto files exists.
    static func has(_ path: String) async -> Bool {
        guard let folder = await folder.value else { return false }
        return FileManager.default.fileExists(atPath: "\(folder)/\(path)")
    }

    static let folder = Task<String?, Never> {
        do {
            let script = URL(filePath: #filePath).appending(path: "../../../../Scripts/fetch-peers").standardized
            let (ending, output) = try await ChildProcess.run("/usr/bin/env", ["bash", script.path, "proto"])
            guard ending == .exited(0) else { return nil }
            return String(decoding: output, as: UTF8.self).split(separator: "\n").last.map(String.init)
        } catch {
            return nil
        }
    }

    struct CompilerResult {
        /// The descriptor set with all imports; nil if the files were rejected.
        var set: [UInt8]?
        /// The positions of the errors, as `file:line:column`, counted from one.
        var positions: Set<String> = []
        /// The output of the compiler.
        var text = ""
    }

    /// Compiles files with protoc.
    static func compile(_ files: [String], in folders: [String], sourceInfo: Bool = true) async throws -> CompilerResult
    {
        let root = try #require(await folder.value)
        let output = FileManager.default.temporaryDirectory.path + "/latch-set-" + RandomSource.system.identifier()
        defer { try? FileManager.default.removeItem(atPath: output) }
        let options = ["--include_imports"] + (sourceInfo ? ["--include_source_info"] : [])
        let command =
            ["\(root)/bin/protoc"] + folders.flatMap { ["-I", $0] } + options + ["-o", output] + files
        // What it says goes to the stream of errors, and is read together with the other.
        let (ending, said) = try await ChildProcess.run(
            "/bin/sh", ["-c", "\(command.map(quoted).joined(separator: " ")) 2>&1"])
        let set = ending == .exited(0) ? Array(try Data(contentsOf: URL(filePath: output))) : nil
        return result(set: set, said: said, in: folders)
    }

    /// Returns the result of a protoc process that has ended.
    ///
    /// - Parameter name: The file whose positions matter; nil for all.
    static func result(
        set: [UInt8]?, said: [UInt8], about name: String? = nil, in folders: [String]
    ) -> CompilerResult {
        // It names files by their paths where it has found them by a folder.
        let text = folders.reduce(String(decoding: said, as: UTF8.self)) { $0.replacing("\($1)/", with: "") }
        let positions: Set<String> =
            set == nil ? positions(in: text).filter { name == nil || $0.hasPrefix(name ?? "") } : []
        return CompilerResult(set: set, positions: positions, text: text)
    }

    private static func quoted(_ word: String) -> String { "'\(word)'" }

    private static func positions(in text: String) -> Set<String> {
        var positions: Set<String> = []
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4, Int(parts[1]) != nil, Int(parts[2]) != nil, !parts[3].hasPrefix(" warning") else {
                continue
            }
            positions.insert(parts[0...2].joined(separator: ":"))
        }
        return positions
    }

    static func compileOurselves(
        _ files: [String], in folders: [String], sourceInfo: Bool = true
    ) -> (result: CompilerResult, compilation: Compilation) {
        let compilation = Compiler(recordsLocations: sourceInfo) { name in
            for folder in folders {
                if let data = FileManager.default.contents(atPath: "\(folder)/\(name)") { return Array(data) }
            }
            return nil
        }.compile(files)
        let errors = compilation.diagnostics.filter { $0.severity == .error }
        var result = CompilerResult(text: errors.map(\.description).joined(separator: "\n"))
        for error in errors {
            guard let position = error.position else { continue }
            result.positions.insert("\(error.file):\(position.line + 1):\(position.column + 1)")
        }
        if compilation.isComplete {
            result.set = FileDescriptor.serializedSet(compilation.files, sourceInfo: sourceInfo)
        }
        return (result, compilation)
    }

    /// The names of all .proto files below a folder.
    static func files(below folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".proto") }.sorted()
    }
}
