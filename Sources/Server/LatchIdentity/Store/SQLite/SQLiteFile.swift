// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import PortableFoundation

/// The checks of a store's file before SQLite opens it.
enum SQLiteFile {
    /// The header of a database file (https://sqlite.org/fileformat2.html#the_database_header).
    struct Header {
        /// The version of the schema, at byte 60.
        let userVersion: Int
        /// The application id, at byte 68.
        let applicationID: Int
    }

    /// Creates the file with permissions for its owner alone if there is none; otherwise checks that it is a store, and
    /// takes the permissions of other users away, also from its logs.
    ///
    /// A rejected file stays as it is, byte for byte.
    static func prepare(_ path: String, knownSchema: Int, applicationID: Int) throws(IdentityError) {
        let folder = folder(of: path)
        try requireFolder(folder)
        // Not through a link: the logs are beside the file that it leads to.
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

    /// Holds the lock of an open store until it is released, or the process ends in whatever way.
    ///
    /// - Returns: Nil where the file of the lock belongs to another user or is none, the file system has no locks, or somebody keeps
    ///   it for longer than a look takes.
    static func hold(_ path: String) -> FileLock.Holder? {
        let lock = FileLock(lockPath(of: path), isShared: true)
        do throws(FileError) {
            // What root's command creates has to serve the server's user later.
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
            // The lock only tells an operator's command what it could not know; a server does without it.
            return nil
        }
    }

    /// Returns whether a process has the store open that is at a path, or was there until its file was removed or moved.
    static func isOpen(_ path: String) -> Bool {
        let path = lockPath(of: path)
        guard FileStatus(of: path) != nil else { return false }
        do throws(FileError) {
            return try FileLock(path).tryAcquire() == nil
        } catch {
            // As for `hold`.
            return false
        }
    }

    /// Returns the path of the lock of a store, a hidden file: who removes a store by `rm latch.sqlite*` leaves it, as they may leave
    /// the server running.
    private static func lockPath(of path: String) -> String {
        let folder = folder(of: path)
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        return "\(folder)/.\(name).lock"
    }

    /// Takes the permissions of other users away: the store holds signing keys, and its logs hold parts of it.
    private static func makePrivate(_ path: String) throws(IdentityError) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            do {
                try AtomicFile(path + suffix).makePrivate()
            } catch {
                throw .publicStore(path + suffix)
            }
        }
    }

    /// Requires the folder, which is never created: an empty store at a mistyped path would look like the loss of all
    /// accounts.
    private static func requireFolder(_ folder: String) throws(IdentityError) {
        guard let status = FileStatus(of: folder), status.isFolder else {
            throw .storeUnavailable("its folder \(folder) does not exist")
        }
        try requireWritable(folder, status)
    }

    /// Requires write permission by the file's mode, also for root, which could ignore it.
    private static func requireWritable(_ path: String, _ status: FileStatus) throws(IdentityError) {
        guard status.permissions & 0o222 != 0, FileManager.default.isWritableFile(atPath: path) else {
            throw .readOnlyStore(path)
        }
    }

    /// Creates an empty file, unless another node that starts concurrently has created it meanwhile.
    private static func create(_ path: String, in folder: String) throws(IdentityError) {
        do {
            // SQLite gives the log files the same permissions.
            _ = try AtomicFile(path).create()
        } catch {
            throw .readOnlyStore(folder)
        }
    }

    /// Returns the header of a file; nil for an empty one, which is a new store.
    ///
    /// The migration checks again, with the content of the log.
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

    /// Returns the file's inode, which detects that a file was replaced; nil if there is none.
    static func inode(of path: String) -> UInt64? { FileStatus(of: path)?.inode }

    /// Returns the part before the last slash; the working directory if there is none.
    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
