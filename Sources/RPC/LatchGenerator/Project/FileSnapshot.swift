// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// A snapshot of the attributes of files: two snapshots differ if a file was written, created or removed.
package struct FileSnapshot: Hashable, Sendable {
    private struct Attributes: Hashable, Sendable {
        let modified: Date?
        let size: UInt64?
        /// The inode number, which changes when another file replaces the file.
        let number: UInt64?
    }

    private let attributes: [String: Attributes]

    /// Takes a snapshot of files, and of the .proto files in folders.
    package init(_ paths: [String]) {
        var attributes: [String: Attributes] = [:]
        for path in paths {
            for file in Self.files(at: path) { attributes[file] = Self.attributes(of: file) }
        }
        self.attributes = attributes
    }

    /// The number of files.
    package var count: Int { attributes.count }

    private static func files(at path: String) -> [String] {
        guard FileSearch.isFolder(path) else { return [path] }
        // An unreadable folder counts as empty until it can be read.
        do { return try FileSearch.find(path, suffix: ".proto") } catch { return [] }
    }

    /// Returns the attributes of a file; nil for a missing file.
    private static func attributes(of file: String) -> Attributes? {
        do {
            // The compiler reads the target of a symbolic link.
            let target = URL(filePath: file).resolvingSymlinksInPath().path
            let attributes = try FileManager.default.attributesOfItem(atPath: target)
            return Attributes(
                modified: attributes[.modificationDate] as? Date, size: attributes[.size] as? UInt64,
                number: attributes[.systemFileNumber] as? UInt64)
        } catch {
            return nil
        }
    }
}
