// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchProcess
import LatchProtoCompiler
import LatchTesting
import Testing

/// Many mutated files, each compiled by itself: with protoc in one shell, and in this process.
struct MutantBatch {
    /// The results of both compilers for one file.
    struct Comparison {
        let bytes: [UInt8]
        let theirs: Protoc.CompilerResult
        let ours: Protoc.CompilerResult
        /// The difference between the results; nil if they agree.
        let difference: String?
    }

    private static func difference(
        _ theirs: Protoc.CompilerResult, _ ours: Protoc.CompilerResult, knowing files: [FileDescriptor]
    ) -> String? {
        if (theirs.set == nil) != (ours.set == nil) { return theirs.set == nil ? "we accept" : "we refuse" }
        guard let their = theirs.set, let our = ours.set else {
            // After the first error a compiler guesses how to continue; both report the first one at the same position.
            let (their, our) = (first(theirs.positions), first(ours.positions))
            return their == our ? nil : "first at \(their), not at \(our)"
        }
        if their == our { return nil }
        return CanonicalSet(our).differences(from: CanonicalSet(their), knowing: files).first
    }

    /// Line and column of the first position.
    private static func first(_ positions: Set<String>) -> [Int] {
        positions.map { $0.split(separator: ":").suffix(2).compactMap { Int($0) } }
            .min { $0.lexicographicallyPrecedes($1) } ?? []
    }

    private static let script = """
        cd "$1" && shift
        for file in m*.proto; do "$@" -o "$file.set" "$file" >"$file.said" 2>&1; done
        """

    /// - Parameter includes: Where imports are besides.
    static func run(_ mutants: [[UInt8]], includes: [String]) async throws -> [Comparison] {
        let protoc = try #require(await Protoc.folder.value) + "/bin/protoc"
        return try await withTemporaryFolder { folder in
            for (index, bytes) in mutants.enumerated() { try bytes.write(toFile: "\(folder)/m\(index).proto") }
            let folders = [folder] + includes
            let command = [protoc, "--include_source_info"] + folders.flatMap { ["-I", $0] }
            _ = try await ChildProcess.run("/bin/sh", ["-c", script, "sh", folder] + command)
            return try mutants.indices.map { index in
                let name = "m\(index).proto"
                let said = FileManager.default.contents(atPath: "\(folder)/\(name).said").map { Array($0) } ?? []
                let set = FileManager.default.contents(atPath: "\(folder)/\(name).set").map { Array($0) }
                let theirs = Protoc.result(set: set, said: said, about: name, in: folders)
                let (ours, files) = try compile(name, in: folders)
                let difference = difference(theirs, ours, knowing: files)
                return Comparison(bytes: mutants[index], theirs: theirs, ours: ours, difference: difference)
            }
        }
    }

    private static func compile(
        _ name: String, in folders: [String]
    ) throws -> (Protoc.CompilerResult, [FileDescriptor]) {
        let (whole, compilation) = Protoc.compileOurselves([name], in: folders)
        var result = whole
        result.positions = result.positions.filter { $0.hasPrefix(name) }
        if result.set != nil {
            result.set = FileDescriptor.serializedSet(compilation.filesToGenerate, sourceInfo: true)
        }
        return (result, compilation.files)
    }
}
