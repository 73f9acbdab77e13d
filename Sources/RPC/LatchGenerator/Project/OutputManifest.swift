// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// What the generator wrote into a folder, so that it knows its own files again: `.latchwork.json`.
///
/// It is meant to be committed with the files. It holds no time and no path of the machine, and one file on each line.
package struct OutputManifest: Sendable, Hashable {
    /// What is known of one file.
    package struct Entry: Sendable, Hashable {
        /// The digests that it may have: one, or two where a run ended while it was being replaced.
        package var digests: [FileDigest]
        /// What it was made from, as paths of .proto files or folders from the output's folder.
        package var origins: Set<String>
    }

    /// The name of the file in the folder of the output.
    package static let name = ".latchwork.json"

    /// The files by their paths within the folder.
    package var entries: [String: Entry] = [:]

    /// Of a folder to which nothing was written.
    package init() {}

    /// Reads a manifest; nil where the bytes are none of this version.
    init?(reading bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes), value["version"]?.intValue == 1,
            let files = value["files"]?.objectValue
        else { return nil }
        for (path, entry) in files {
            let digests = entry["digests"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let origins = entry["from"]?.arrayValue?.compactMap(\.stringValue) ?? []
            entries[path] = Entry(digests: digests.map(FileDigest.init(text:)), origins: Set(origins))
        }
    }

    /// The manifest as text: the same for the same files, whatever the order in which they came.
    var bytes: [UInt8] {
        let lines = entries.sorted { $0.key < $1.key }.map { path, entry in
            let value: JSONObject = [
                "digests": .array(entry.digests.map { .string($0.text) }),
                "from": .array(entry.origins.sorted().map { .string($0) }),
            ]
            return "    \(Self.text(.string(path))): \(Self.text(.object(value)))"
        }
        let files = lines.isEmpty ? "{}" : "{\n\(lines.joined(separator: ",\n"))\n  }"
        return Array("{\n  \"version\": 1,\n  \"files\": \(files)\n}\n".utf8)
    }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }
}
