// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The manifest `.latchwork.json` of a folder, from which the generator recognizes the files that it wrote.
///
/// It is committed with the files. It contains no times and no absolute paths, and each file has its own line.
struct OutputManifest: Sendable, Hashable {
    /// The entry of a file.
    struct Entry: Sendable, Hashable {
        /// The possible digests: one, or two if a run was interrupted while it replaced the file.
        var digests: [FileDigest]
        /// The origins of the file: paths of .proto files or folders, relative to the output.
        var origins: Set<String>
    }

    /// The name of the manifest in the output folder.
    static let name = ".latchwork.json"

    /// The version of the format: 2 has SHA-256 digests.
    private static let version = 2

    /// The entries by the paths of their files.
    var entries: [String: Entry] = [:]

    /// Creates the manifest of an empty folder.
    init() {}

    /// The error for a manifest that contains no data about the files, so that their owner must decide.
    struct Unreadable: Error {}

    /// Parses a manifest; one of an earlier version has no usable digests and counts as empty.
    init(reading bytes: [UInt8]) throws(Unreadable) {
        guard let value = try? JSONValue(parsing: bytes), let version = value["version"]?.intValue,
            version <= Self.version
        else { throw Unreadable() }
        guard version == Self.version else { return }
        guard let files = value["files"]?.objectValue else { throw Unreadable() }
        for (path, entry) in files {
            guard let digests = entry["digests"]?.arrayValue?.compactMap(\.stringValue) else { throw Unreadable() }
            let origins = entry["from"]?.arrayValue?.compactMap(\.stringValue) ?? []
            entries[path] = Entry(digests: digests.map(FileDigest.init(text:)), origins: Set(origins))
        }
    }

    /// The manifest as JSON, independent of the order of insertion.
    var bytes: [UInt8] {
        let lines = entries.sorted { $0.key < $1.key }.map { path, entry in
            let value: JSONObject = [
                "digests": .array(entry.digests.map { .string($0.text) }),
                "from": .array(entry.origins.sorted().map { .string($0) }),
            ]
            return "    \(Self.text(.string(path))): \(Self.text(.object(value)))"
        }
        let files = lines.isEmpty ? "{}" : "{\n\(lines.joined(separator: ",\n"))\n  }"
        return Array("{\n  \"version\": \(Self.version),\n  \"files\": \(files)\n}\n".utf8)
    }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }
}
