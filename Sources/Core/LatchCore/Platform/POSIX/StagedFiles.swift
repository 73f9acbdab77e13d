// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Files that come into a folder together: all are written under other names first, and then renamed.
///
/// What fails while they are written leaves the folder as it was. They are for everybody whom the process's mask lets
/// (umask), and nothing is synced: they can be made again. Secrets belong into an ``AtomicFile``.
package struct StagedFiles: ~Copyable {
    private var staged: [(temporary: String, file: AtomicFile)] = []
    /// Folders that were made for them, the outermost first.
    private var made: [String] = []

    package init() {}

    deinit {
        for one in staged { unlink(one.temporary) }
        for folder in made.reversed() { rmdir(folder) }
    }

    /// Writes a file under another name, in a folder that is made where it is missing.
    package mutating func stage(_ bytes: [UInt8], as path: String) throws(FileFailure) {
        let target = AtomicFile(path)
        try makeFolder(target.folder)
        let (file, temporary) = try target.makeTemporary(mode: 0o666)
        staged.append((temporary, target))
        defer { close(file) }
        try target.write(bytes, to: file, path: temporary)
    }

    /// Renames all of them.
    ///
    /// - Throws: Where one cannot be renamed; those before it have been.
    package mutating func commit() throws(FileFailure) {
        while let next = staged.first {
            guard rename(next.temporary, next.file.path) == 0 else { throw FileFailure("rename", next.file.path) }
            staged.removeFirst()
            made = []
        }
    }

    /// Removes a file, and the folders above it that are empty then, up to but not including `root`.
    package static func remove(_ path: String, emptying root: String) throws(FileFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure("unlink", path) }
        var folder = AtomicFile(path).folder
        while folder.hasPrefix(root + "/"), rmdir(folder) == 0 { folder = AtomicFile(folder).folder }
    }

    private mutating func makeFolder(_ path: String) throws(FileFailure) {
        guard access(path + "/.", F_OK) != 0 else { return }
        let parent = AtomicFile(path).folder
        if parent != path { try makeFolder(parent) }
        guard mkdir(path, 0o777) == 0 else {
            let failure = FileFailure("mkdir", path)
            // Somebody else may have made it meanwhile.
            guard access(path + "/.", F_OK) == 0 else { throw failure }
            return
        }
        made.append(path)
    }
}
