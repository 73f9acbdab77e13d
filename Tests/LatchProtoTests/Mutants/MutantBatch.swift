// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchProcess
import LatchProto
import LatchTesting
import Testing

/// Many spoilt files, each compiled by itself: by protoc in one shell, and by us in this process.
struct MutantBatch {
    /// What both made of one file.
    struct Verdict {
        let bytes: [UInt8]
        let theirs: Protoc.Outcome
        let ours: Protoc.Outcome
        /// In what the two differ; nil where they agree.
        let difference: String?
    }

    private static func difference(
        _ theirs: Protoc.Outcome, _ ours: Protoc.Outcome, knowing files: [FileDescriptor]
    ) -> String? {
        if (theirs.set == nil) != (ours.set == nil) { return theirs.set == nil ? "we accept" : "we refuse" }
        guard let their = theirs.set, let our = ours.set else {
            // Behind the first mistake a compiler guesses how it goes on; the first one is told by both at one place.
            let (their, our) = (first(theirs.places), first(ours.places))
            return their == our ? nil : "first at \(their), not at \(our)"
        }
        if their == our { return nil }
        return CanonicalSet(our).differences(from: CanonicalSet(their), knowing: files).first
    }

    /// Line and column of the first place.
    private static func first(_ places: Set<String>) -> [Int] {
        places.map { $0.split(separator: ":").suffix(2).compactMap { Int($0) } }
            .min { $0.lexicographicallyPrecedes($1) } ?? []
    }

    private static let script = """
        cd "$1" && shift
        for file in m*.proto; do "$@" -o "$file.set" "$file" >"$file.said" 2>&1; done
        """

    /// - Parameter includes: Where imports are besides.
    static func run(_ mutants: [[UInt8]], includes: [String]) async throws -> [Verdict] {
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
                let theirs = Protoc.outcome(set: set, said: said, about: name, in: folders)
                let (ours, files) = try compile(name, in: folders)
                let difference = difference(theirs, ours, knowing: files)
                return Verdict(bytes: mutants[index], theirs: theirs, ours: ours, difference: difference)
            }
        }
    }

    private static func compile(
        _ name: String, in folders: [String]
    ) throws -> (Protoc.Outcome, [FileDescriptor]) {
        let (whole, compilation) = Protoc.compileOurselves([name], in: folders)
        var outcome = whole
        outcome.places = outcome.places.filter { $0.hasPrefix(name) }
        if outcome.set != nil {
            outcome.set = FileDescriptor.serializedSet(compilation.requested, sourceInfo: true)
        }
        return (outcome, compilation.files)
    }
}
