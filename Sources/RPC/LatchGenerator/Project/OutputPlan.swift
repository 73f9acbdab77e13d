// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProto

/// What writing some files into a folder would do, found out before anything is touched.
package struct OutputPlan: Sendable {
    /// What is to be done with one file.
    package enum Action: String, Sendable, Hashable {
        case create, update, keep, remove
    }

    /// One file, and what is to be done with it.
    package struct Step: Sendable {
        /// Where it is within the folder.
        package let path: String
        package let action: Action
        /// What it holds now; nil where there is none, or where it stays as it is.
        package let old: [UInt8]?
        /// What it will hold; nil where there will be none.
        package let new: String?
    }

    /// A file that stands in the way.
    package struct Refusal: Sendable, Hashable {
        /// Why it is not written over.
        package enum Reason: String, Sendable, Hashable {
            case foreign = "not written by the generator"
            case edited = "edited since it was generated"
            case unreadable = "cannot be read as a file"

            /// Whether `--force-overwrite` overwrites it.
            package var yieldsToForce: Bool { self != .unreadable }
        }

        package let path: String
        package let reason: Reason
    }

    /// The folder of the output.
    package let folder: String
    /// All files, sorted by their paths.
    package private(set) var steps: [Step] = []
    /// What stands in the way; nothing is written while there is anything.
    package private(set) var refusals: [Refusal] = []
    /// Files that are generated no more and stay, since somebody edited them.
    package private(set) var orphans: [String] = []
    /// What the manifest will say.
    private(set) var manifest: OutputManifest
    /// What the manifest said.
    private let before: OutputManifest

    /// Compares files with what a folder holds.
    ///
    /// - Parameters:
    ///   - origin: What the files were made from; files of other origins are left alone.
    ///   - force: Whether files are overwritten that are not known, or were edited.
    package init(
        _ files: [GeneratedFile], in folder: String, origin: String, force: Bool = false
    ) throws(GeneratorError) {
        self.folder = folder
        before = try Self.manifest(in: folder)
        manifest = before
        let folders = Parallel.map(try Self.checked(files)) { Found($0, in: folder) }
        for (file, found) in zip(files, folders) { plan(file, found, origin: origin, force: force) }
        let paths = Set(files.map(\.path))
        for (path, entry) in before.entries.sorted(by: { $0.key < $1.key })
        where entry.origins.contains(origin) && !paths.contains(path) {
            retire(path, entry, origin: origin)
        }
        steps.sort { $0.path < $1.path }
    }

    /// Whether the folder holds exactly what it should.
    package var isCurrent: Bool { steps.allSatisfy { $0.action == .keep } && refusals.isEmpty }

    /// The steps that change something.
    package var changes: [Step] { steps.filter { $0.action != .keep } }

    private mutating func plan(_ file: GeneratedFile, _ found: Found, origin: String, force: Bool) {
        var entry = before.entries[file.path] ?? .init(digests: [], origins: [])
        let known = entry.digests
        entry.digests = [found.digest]
        entry.origins.insert(origin)
        manifest.entries[file.path] = entry
        switch found.place {
        case .unreadable: refusals.append(Refusal(path: file.path, reason: .unreadable))
        case .empty: steps.append(Step(path: file.path, action: .create, old: nil, new: file.text))
        case .same: steps.append(Step(path: file.path, action: .keep, old: nil, new: file.text))
        case .other(let old):
            if !force, !known.contains(FileDigest(of: old)) {
                refusals.append(Refusal(path: file.path, reason: known.isEmpty ? .foreign : .edited))
            }
            steps.append(Step(path: file.path, action: .update, old: old, new: file.text))
        }
    }

    /// Removes a file that is generated no more, if it is as we wrote it and nothing else still makes it.
    private mutating func retire(_ path: String, _ entry: OutputManifest.Entry, origin: String) {
        var rest = entry
        rest.origins.remove(origin)
        guard rest.origins.isEmpty else { return manifest.entries[path] = rest }
        manifest.entries[path] = nil
        // What cannot be read is surely not as we wrote it.
        guard Self.isInside(path), let old = try? AtomicFile("\(folder)/\(path)").read() else { return }
        if entry.digests.contains(FileDigest(of: old)) {
            steps.append(Step(path: path, action: .remove, old: old, new: nil))
        } else {
            orphans.append(path)
        }
    }
}

extension OutputPlan {
    /// What there is to know of one file: the digest of what it will hold, and what stands in its place.
    private struct Found {
        enum Place {
            case empty
            /// What it will hold; nobody looks at the bytes of a file that stays as it is.
            case same
            case other([UInt8])
            case unreadable
        }

        let digest: FileDigest
        let place: Place

        init(_ file: GeneratedFile, in folder: String) {
            digest = FileDigest(of: file.text)
            do throws(FileFailure) {
                if let old = try AtomicFile("\(folder)/\(file.path)").read() {
                    let isSame = old.count == file.text.utf8.count && FileDigest(of: old) == digest
                    place = isSame ? .same : .other(old)
                } else {
                    place = .empty
                }
            } catch {
                place = .unreadable
            }
        }
    }
}

extension OutputPlan {
    /// Does what was planned: all files appear under other names first, and are then renamed.
    ///
    /// While that is going on the manifest knows both the old and the new bytes, so that a run that is ended in the
    /// middle leaves no file behind that the next one would take for somebody else's.
    package func apply() throws(GeneratorError) {
        guard refusals.isEmpty else { throw .foreignFiles(refusals) }
        guard !changes.isEmpty || manifest != before else { return }
        do throws(FileFailure) {
            let staged = StagedOutput()
            try staged.stage(changes.compactMap { step in step.new.map { ("\(folder)/\(step.path)", $0) } })
            if !changes.isEmpty { try write(transitional) }
            try staged.commit()
            for step in changes where step.new == nil { try remove(step.path) }
            try write(manifest)
        } catch {
            throw .unwritable(error)
        }
    }

    private var transitional: OutputManifest {
        var both = before
        for (path, entry) in manifest.entries {
            var joined = before.entries[path] ?? .init(digests: [], origins: [])
            joined.digests += entry.digests.filter { !joined.digests.contains($0) }
            joined.origins.formUnion(entry.origins)
            both.entries[path] = joined
        }
        return both
    }

    private func write(_ manifest: OutputManifest) throws(FileFailure) {
        var staged = StagedFiles()
        try staged.stage(manifest.bytes, as: "\(folder)/\(OutputManifest.name)")
        try staged.commit()
    }

    /// Removes a file, and the folders that are empty without it.
    private func remove(_ path: String) throws(FileFailure) {
        try StagedFiles.remove("\(folder)/\(path)", emptying: folder)
    }

    /// What the folder says that it holds; nothing where it says nothing that means something.
    private static func manifest(in folder: String) throws(GeneratorError) -> OutputManifest {
        do {
            let bytes = try AtomicFile("\(folder)/\(OutputManifest.name)").read()
            return bytes.flatMap(OutputManifest.init(reading:)) ?? OutputManifest()
        } catch {
            // Written anew, it would forget what is ours.
            throw .unwritable(error)
        }
    }

    /// The files, once it is certain that each has a place of its own within the folder.
    private static func checked(_ files: [GeneratedFile]) throws(GeneratorError) -> [GeneratedFile] {
        var seen: [String: String] = [:]
        for file in files {
            guard isInside(file.path), file.path != OutputManifest.name else {
                throw .impossibleOutput("'\(file.path)' is no name of a file within the output.")
            }
            // Some file systems take names for one that differ in capitals only.
            if let other = seen.updateValue(file.path, forKey: file.path.lowercased()) {
                throw .impossibleOutput("Two files would be '\(file.path)' and '\(other)'.")
            }
        }
        return files
    }

    private static func isInside(_ path: String) -> Bool {
        !path.isEmpty && !path.hasPrefix("/") && !path.utf8.contains(0)
            && path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
                !["", ".", ".."].contains($0)
            }
    }
}
