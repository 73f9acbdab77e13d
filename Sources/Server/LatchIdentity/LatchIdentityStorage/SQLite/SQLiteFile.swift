// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import LatchCore
import LatchFoundation

/// The checks of a store's file before SQLite opens it.
package enum SQLiteFile {
    /// The header of a database file (https://sqlite.org/fileformat2.html#the_database_header).
    struct Header {
        /// The version of the schema, at byte 60.
        let userVersion: Int
        /// The application ID, at byte 68.
        let applicationID: Int
    }

    /// Creates a missing file with permissions only for its owner; otherwise checks that the file is a store.
    ///
    /// It removes the permissions of other users, also from the logs. A rejected file stays unchanged, byte for byte.
    package static func prepare(_ path: String, knownSchema: Int, applicationID: Int) throws(IdentityError) {
        let folder = folder(of: path)
        try requireFolder(folder)
        // Does not follow a link, since the logs are beside the target of the link.
        guard let status = FileStatus(of: path, followsLink: false) else { return try create(path, in: folder) }
        guard status.isFile else { throw .storeUnavailable("\(path) is not a file") }
        try requireWritable(path, status)
        guard let header = try header(path) else { return try makePrivate(path) }
        guard header.applicationID == applicationID else { throw .notADatabase(path) }
        guard header.userVersion <= knownSchema else {
            throw .newerSchema(found: header.userVersion, known: knownSchema)
        }
        try makePrivate(path)
    }

    /// Holds the lock of an open store until it is released or the process ends.
    ///
    /// - Returns: Nil if the lock's file is not a regular file or belongs to another user, or if the file system has no
    ///   locks. Also nil if another process holds the lock for longer than a check takes.
    package static func hold(_ path: String) -> FileLock.Holder? {
        let lock = FileLock(lockPath(of: path), isShared: true)
        do throws(FileError) {
            // A file that root's command creates must later work for the server's user.
            if try !AtomicFile(lock.path).create(ownedLike: FileStatus(of: path)) {
                guard FileStatus(of: lock.path, followsLink: false)?.isFile == true else { return nil }
                try AtomicFile(lock.path).makePrivate()
            }
            for _ in 0..<40 {
                if let holder = try lock.tryAcquire() { return holder }
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(5))
            }
            return nil
        } catch {
            // The lock only informs an operator's command; a server works without it.
            return nil
        }
    }

    /// Returns whether a process has opened the store at a path, even if its file was removed or moved since.
    package static func isOpen(_ path: String) -> Bool {
        let path = lockPath(of: path)
        guard FileStatus(of: path) != nil else { return false }
        do throws(FileError) {
            return try FileLock(path).tryAcquire() == nil
        } catch {
            // As in `hold`, a lock that cannot be used is ignored.
            return false
        }
    }

    /// Returns the path of a store's lock, a hidden file.
    ///
    /// `rm latch.sqlite*` removes the store but not the lock, since the server may still be running.
    private static func lockPath(of path: String) -> String {
        let folder = folder(of: path)
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        return "\(folder)/.\(name).lock"
    }

    /// Removes the permissions of other users: the store holds signing keys, and its logs hold parts of it.
    private static func makePrivate(_ path: String) throws(IdentityError) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            do {
                try AtomicFile(path + suffix).makePrivate()
            } catch {
                throw .publicStore(path + suffix)
            }
        }
    }

    /// Requires the folder, which is never created.
    ///
    /// An empty store at a mistyped path would look like the loss of all accounts.
    private static func requireFolder(_ folder: String) throws(IdentityError) {
        guard let status = FileStatus(of: folder), status.isFolder else {
            throw .storeUnavailable("its folder \(folder) does not exist")
        }
        try requireWritable(folder, status)
    }

    /// Requires write permission by the file's mode, also for root, which could ignore the mode.
    private static func requireWritable(_ path: String, _ status: FileStatus) throws(IdentityError) {
        guard status.permissions & 0o222 != 0, FileManager.default.isWritableFile(atPath: path) else {
            throw .readOnlyStore(path)
        }
    }

    /// Creates an empty file, unless another node that starts concurrently has created it.
    private static func create(_ path: String, in folder: String) throws(IdentityError) {
        do {
            // SQLite gives the log files the same permissions.
            _ = try AtomicFile(path).create()
        } catch {
            throw .readOnlyStore(folder)
        }
    }

    /// Returns the header of a file; nil for an empty file, which is a new store.
    ///
    /// The migration checks again, including the content of the log.
    private static func header(_ path: String) throws(IdentityError) -> Header? {
        let bytes: [UInt8]
        do { bytes = try AtomicFile(path).read(atMost: 100) ?? [] } catch {
            throw .storeUnavailable("\(path) cannot be read")
        }
        guard !bytes.isEmpty else { return nil }
        guard bytes.count == 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else { throw .notADatabase(path) }
        let number = { (offset: Int) in bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        return Header(userVersion: number(60), applicationID: number(68))
    }

    /// Returns the file's inode, which reveals that a file was replaced; nil without a file.
    static func inode(of path: String) -> UInt64? { FileStatus(of: path)?.inode }

    /// Returns the part before the last slash, or the working directory.
    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
