// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// What files look like from outside: two stamps differ where a file was written, came, or went.
package struct SourceStamp: Hashable, Sendable {
    private struct Mark: Hashable, Sendable {
        let modified: Date?
        let size: UInt64?
        /// The file's number in its file system: a file that was put in the place of another has its own.
        let number: UInt64?
    }

    private let marks: [String: Mark]

    /// The stamp of files, and of the .proto files below folders.
    package init(_ paths: [String]) {
        var marks: [String: Mark] = [:]
        for path in paths {
            for file in Self.files(at: path) { marks[file] = Self.mark(of: file) }
        }
        self.marks = marks
    }

    /// How many files there are.
    package var count: Int { marks.count }

    private static func files(at path: String) -> [String] {
        guard FilesBelow.isFolder(path) else { return [path] }
        // A folder that cannot be read now holds nothing for now.
        do { return try FilesBelow.find(path, suffix: ".proto") } catch { return [] }
    }

    /// Nil for a file that is not there.
    private static func mark(of file: String) -> Mark? {
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            return Mark(
                modified: attributes[.modificationDate] as? Date, size: attributes[.size] as? UInt64,
                number: attributes[.systemFileNumber] as? UInt64)
        } catch {
            return nil
        }
    }
}
