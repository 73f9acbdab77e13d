// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

struct ServedFile: Sendable {
    /// The path without links.
    let path: String
    /// The number of bytes.
    let size: Int
    /// The time of the last change in nanoseconds since 1970.
    let modified: Int64

    fileprivate init(path: String) throws(FileError) {
        let reader = try FileReader(path)
        (self.path, size, modified) = (path, reader.size, reader.modified)
    }

    /// Reads bytes of the file, which is open only during the call: a client that reads slowly must not hold a
    /// descriptor.
    ///
    /// - Throws: `FileError`, or `HTTPError.fileChanged` if the file has changed since it was found.
    func bytes(at offset: Int, count: Int) async throws -> [UInt8] {
        let reader = try FileReader(path)
        guard reader.size == size, reader.modified == modified else { throw HTTPError.fileChanged }
        let bytes = try await reader.bytes(at: offset, count: count)
        guard bytes.count == count else { throw HTTPError.fileChanged }
        return bytes
    }
}

/// The target of a path within a served folder.
enum ServedPath {
    case file(ServedFile)
    case folder
    /// No file of the folder, or a file that this process may not read.
    case missing
    /// A file that cannot be opened now, for example without free descriptors.
    case unavailable
}

/// A folder whose files are served.
struct ServedFolder: Sendable {
    let path: String

    /// Opens the target of a path within the folder, on the caller's thread.
    ///
    /// Links are followed as long as they stay within the folder, like those of a mounted ConfigMap.
    func open(_ relative: String) -> ServedPath {
        guard let root = Self.resolved(path), let target = Self.resolved(path + "/" + relative),
            target == root || target.utf8.starts(with: (root == "/" ? "/" : root + "/").utf8)
        else { return .missing }
        if FileStatus(of: target)?.isFolder == true { return .folder }
        do throws(FileError) { return .file(try ServedFile(path: target)) } catch {
            let isMissing = error.reason == .missing || error.reason == .denied || error.number == EINVAL
            return isMissing ? .missing : .unavailable
        }
    }

    /// Returns the absolute path without links; nil if nothing exists at the path.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }
}
