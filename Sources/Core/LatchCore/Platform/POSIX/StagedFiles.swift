// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A set of files that appear in a folder together: all are written under temporary names first and then renamed.
///
/// A failure before ``commit()`` leaves the folder unchanged. The files have the permissions of the process's umask and
/// are not synced. Secrets belong in an ``AtomicFile``.
package struct StagedFiles: ~Copyable {
    private var staged: [(temporary: String, file: AtomicFile)] = []
    /// The folders that were created for them, the outermost first.
    private var made: [String] = []

    package init() {}

    deinit {
        for one in staged { unlink(one.temporary) }
        for folder in made.reversed() { rmdir(folder) }
    }

    /// Writes a file under a temporary name and creates missing folders.
    package mutating func stage(_ bytes: [UInt8], as path: String) throws(FileError) {
        let target = AtomicFile(path)
        if let file = try target.openInPlace() {
            defer { close(file) }
            return try AtomicFile.write(bytes, to: file, path: path)
        }
        try makeFolder(target.folder)
        let (file, temporary) = try target.makeTemporary(mode: 0o666)
        staged.append((temporary, target))
        do throws(FileError) { try AtomicFile.write(bytes, to: file, path: temporary) } catch {
            close(file)
            throw error
        }
        // A network file system may report a full disk only now.
        guard close(file) == 0 else { throw FileError("close", temporary) }
    }

    /// Renames all files.
    ///
    /// - Throws: The error of the first file that cannot be renamed; the files before it were renamed.
    package mutating func commit() throws(FileError) {
        while let next = staged.first {
            guard rename(next.temporary, next.file.path) == 0 else { throw FileError("rename", next.file.path) }
            staged.removeFirst()
            made = []
        }
    }

    private mutating func makeFolder(_ path: String) throws(FileError) {
        guard access(path + "/.", F_OK) != 0 else { return }
        let parent = AtomicFile(path).folder
        if parent != path { try makeFolder(parent) }
        guard mkdir(path, 0o777) == 0 else {
            let failure = FileError("mkdir", path)
            // Another process may have created it.
            guard access(path + "/.", F_OK) == 0 else { throw failure }
            return
        }
        made.append(path)
    }
}
