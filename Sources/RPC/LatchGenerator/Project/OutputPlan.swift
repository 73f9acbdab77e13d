// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler

/// The changes that files would make to a folder, determined before anything is written.
package struct OutputPlan: Sendable {
    /// The action for a file.
    package enum Action: String, Sendable, Hashable {
        case create, update, keep, remove
    }

    /// A file and its action.
    package struct Step: Sendable {
        /// The path within the folder.
        package let path: String
        package let action: Action
        /// The current content; nil for a new or unchanged file.
        package let old: [UInt8]?
        /// The new content; nil for a removed file.
        package let new: String?
    }

    /// A file that prevents the plan.
    package struct Conflict: Sendable, Hashable {
        /// The reason why the file is not overwritten.
        package enum Reason: String, Sendable, Hashable {
            case foreign = "not written by the generator"
            case edited = "edited since it was generated"
            case unreadable = "cannot be read as a file, or has more than 64 MiB"
            case linked = "below a folder that is a link"

            /// Whether `--force-overwrite` overwrites the file.
            package var yieldsToForce: Bool { self != .unreadable && self != .linked }
        }

        package let path: String
        package let reason: Reason
    }

    /// The maximum size in bytes of an existing file that is read.
    static let maximumFileSize = 64 << 20
    /// The folder of the output.
    package let folder: String
    /// The steps for all files, sorted by path.
    package private(set) var steps: [Step] = []
    /// The files that prevent the plan; while there are any, no file is written.
    package private(set) var conflicts: [Conflict] = []
    /// The edited files that are no longer generated; they remain.
    package private(set) var orphans: [String] = []
    private(set) var manifest: OutputManifest
    /// The current manifest.
    private let before: OutputManifest
    private let root: String?

    /// Compares files with the content of a folder.
    ///
    /// - Parameters:
    ///   - origin: The origin of the files; files of other origins remain.
    ///   - root: The folder of the `latchwork.toml` that names `folder`; nil if a user names it.
    ///   - force: Whether unknown and edited files are overwritten.
    package init(
        _ files: [GeneratedFile], in folder: String, within root: String? = nil, origin: String, force: Bool = false
    ) throws(GeneratorError) {
        self.folder = folder
        self.root = root
        guard !folder.hasControls else {
            throw .impossibleOutput(
                "The output '\(folder)' has a control character in its path.", hint: "Rename the folder.")
        }
        let (trusted, rest) = OutputFolder.split(folder, within: root)
        if Self.leadsThroughLink(rest.joined(separator: "/") + "/.", in: trusted) {
            throw .impossibleOutput(
                "'\(folder)' is a link, or is behind one.", hint: "Give the folder that the link leads to.")
        }
        before = try Self.manifest(in: folder)
        manifest = before
        let existing = Parallel.map(try Self.checked(files)) { ExistingFile($0, in: folder) }
        for (file, existing) in zip(files, existing) { plan(file, existing, origin: origin, force: force) }
        let paths = Set(files.map(\.path))
        for (path, entry) in before.entries.sorted(by: { $0.key < $1.key })
        where entry.origins.contains(origin) && !paths.contains(path) {
            retire(path, entry, origin: origin)
        }
        steps.sort { $0.path < $1.path }
    }

    /// Whether the folder is up to date.
    package var isCurrent: Bool { steps.allSatisfy { $0.action == .keep } && conflicts.isEmpty }

    /// The steps that change a file.
    package var changes: [Step] { steps.filter { $0.action != .keep } }

    private mutating func plan(_ file: GeneratedFile, _ existing: ExistingFile, origin: String, force: Bool) {
        var entry = before.entries[file.path] ?? .init(digests: [], origins: [])
        let known = entry.digests
        entry.digests = [existing.digest]
        entry.origins.insert(origin)
        manifest.entries[file.path] = entry
        switch existing.state {
        case .linked: conflicts.append(Conflict(path: file.path, reason: .linked))
        case .unreadable: conflicts.append(Conflict(path: file.path, reason: .unreadable))
        case .missing: steps.append(Step(path: file.path, action: .create, old: nil, new: file.text))
        case .current: steps.append(Step(path: file.path, action: .keep, old: nil, new: file.text))
        case .different(let old):
            if !force, !known.contains(FileDigest(of: old)) {
                conflicts.append(Conflict(path: file.path, reason: known.isEmpty ? .foreign : .edited))
            }
            steps.append(Step(path: file.path, action: .update, old: old, new: file.text))
        }
    }

    /// Plans the removal of a file that is no longer generated, unless it was edited or has other origins.
    private mutating func retire(_ path: String, _ entry: OutputManifest.Entry, origin: String) {
        var rest = entry
        rest.origins.remove(origin)
        guard rest.origins.isEmpty else { return manifest.entries[path] = rest }
        manifest.entries[path] = nil
        // An unreadable file cannot be the generated one. An untrusted repository's manifest may also list files of
        // kinds that the generator does not write.
        guard Self.isInside(path), [".swift", ".md"].contains(where: path.hasSuffix),
            !Self.leadsThroughLink(path, in: folder),
            let old = try? AtomicFile("\(folder)/\(path)").readFile(upTo: Self.maximumFileSize)
        else { return }
        if entry.digests.contains(FileDigest(of: old)) {
            steps.append(Step(path: path, action: .remove, old: old, new: nil))
        } else {
            orphans.append(path)
        }
    }
}

extension OutputPlan {
    /// The state of a file in the folder, and the digest of its new content.
    private struct ExistingFile {
        enum State {
            case missing, current, unreadable, linked
            case different([UInt8])
        }

        let digest: FileDigest
        let state: State

        init(_ file: GeneratedFile, in folder: String) {
            digest = FileDigest(of: file.text)
            guard !OutputPlan.leadsThroughLink(file.path, in: folder) else {
                state = .linked
                return
            }
            let path = "\(folder)/\(file.path)"
            // The target of a link is not read, because `--diff` would show it.
            if FileStatus(of: path, followsLink: false)?.isLink == true {
                state = .different([])
                return
            }
            do throws(FileError) {
                if let old = try AtomicFile(path).readFile(upTo: OutputPlan.maximumFileSize) {
                    state = old.elementsEqual(file.text.utf8) ? .current : .different(old)
                } else {
                    state = .missing
                }
            } catch {
                state = .unreadable
            }
        }
    }
}

extension OutputPlan {
    /// Applies the plan: all files are first written under temporary names and then renamed.
    ///
    /// During this time the manifest contains the digests of both the old and the new files. The next run can then
    /// recognize all files of an interrupted run.
    package func apply() throws(GeneratorError) {
        guard conflicts.isEmpty else { throw .foreignFiles(conflicts) }
        guard !changes.isEmpty || manifest != before else { return }
        do throws(FileError) {
            let output = try OutputFolder(folder, within: root)
            let staged = StagedOutput(in: output)
            try staged.stage(changes.compactMap { step in step.new.map { (step.path, $0) } })
            if !changes.isEmpty { try write(transitional, to: output) }
            try staged.commit()
            for step in changes where step.new == nil { try output.remove(step.path) }
            try write(manifest, to: output)
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

    private func write(_ manifest: OutputManifest, to output: OutputFolder) throws(FileError) {
        var staged = OutputFiles(in: output)
        try staged.stage(manifest.bytes, as: OutputManifest.name)
        try staged.commit()
    }

    /// Reads the manifest of a folder; empty if the folder has none.
    ///
    /// An unreadable manifest is never replaced, because the new one would not contain the existing files.
    private static func manifest(in folder: String) throws(GeneratorError) -> OutputManifest {
        let path = "\(folder)/\(OutputManifest.name)"
        let bytes: [UInt8]?
        do { bytes = try AtomicFile(path).readFile(upTo: Self.maximumFileSize) } catch { throw .unwritable(error) }
        guard let bytes else { return OutputManifest() }
        do { return try OutputManifest(reading: bytes) } catch { throw .unreadableManifest(path) }
    }

    /// Returns the files after checking that each has a unique path within the folder.
    static func checked(_ files: [GeneratedFile]) throws(GeneratorError) -> [GeneratedFile] {
        var seen: [String: String] = [:]
        for file in files {
            guard isInside(file.path), file.path != OutputManifest.name else {
                throw .impossibleOutput("'\(file.path)' is not a valid path within the output.")
            }
            // Some file systems are case-insensitive.
            if let other = seen.updateValue(file.path, forKey: file.path.lowercased()) {
                throw .impossibleOutput("Two files would have one path: '\(file.path)' and '\(other)'.")
            }
        }
        return files
    }

    /// Whether a folder between the output and a file is a link, through which the file would be outside the output.
    package static func leadsThroughLink(_ path: String, in folder: String) -> Bool {
        var place = folder
        for part in path.pathParts.dropLast() {
            place += "/\(part)"
            if FileStatus(of: place, followsLink: false)?.isLink == true { return true }
        }
        return false
    }

    /// Whether a path is relative and has no control characters, and no hidden folders and files, such as `..` and
    /// `.git`.
    static func isInside(_ path: String) -> Bool {
        path.isCanonicalPath && !path.pathParts.contains { $0.utf8.first == UInt8(ascii: ".") }
    }
}
