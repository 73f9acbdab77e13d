// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A small private file that is replaced atomically and durably: after a crash it has the old or the new content.
package struct AtomicFile: Sendable {
    /// The path; a relative one follows the process's working directory.
    package let path: String

    /// Creates a value for a path, without opening the file.
    package init(_ path: String) { self.path = path }

    /// Returns the content; nil if the file does not exist.
    ///
    /// A symbolic link is followed.
    ///
    /// - Parameter limit: The maximum number of bytes to read; the rest is ignored.
    package func read(atMost limit: Int = .max) throws(FileError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            let error = FileError("open", path)
            if error.reason == .missing { return nil }
            throw error
        }
        defer { close(file) }
        return try readAll(file, atMost: limit)
    }

    /// Returns the content of a file of a foreign repository; nil if it does not exist.
    ///
    /// Unlike ``read(atMost:)`` it waits for no pipe, reads no device, and does not truncate a long file.
    ///
    /// - Throws: `FileError`, with `EOPNOTSUPP` if it is not a file, and with `EOVERFLOW` if it is longer than `limit`
    ///   bytes.
    package func readFile(upTo limit: Int = 64 << 20) throws(FileError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let error = FileError("open", path)
            if error.reason == .missing { return nil }
            throw error
        }
        defer { close(file) }
        var entry = stat()
        guard fstat(file, &entry) == 0 else { throw FileError("fstat", path) }
        guard entry.st_mode & S_IFMT == S_IFREG else { throw FileError("open", path, number: EOPNOTSUPP) }
        let bytes = try readAll(file, atMost: limit + 1)
        guard bytes.count <= limit else { throw FileError("read", path, number: EOVERFLOW) }
        return bytes
    }

    /// Replaces the file, with mode 0600: temporary file, fsync, rename, fsync of the folder.
    ///
    /// A symbolic link is replaced and not followed, so that it cannot redirect a secret. If two writers run
    /// concurrently, the last one wins. A read before a write needs ``locked(_:onFailure:)`` around both.
    package func replace(with bytes: [UInt8]) throws(FileError) {
        let (file, temporary) = try makeTemporary()
        do throws(FileError) {
            defer { close(file) }
            try keepOwner(of: file, temporary)
            try Self.write(bytes, to: file, path: temporary)
            guard synchronize(file) == 0 else { throw FileError("fsync", temporary) }
        } catch {
            unlink(temporary)
            throw error
        }
        guard systemRename(temporary, path) == 0 else {
            let error = FileError("rename", path)
            unlink(temporary)
            throw error
        }
        try syncFolder()
    }

    /// Gives the new file the owner of the replaced file, or else of the folder, if this process may.
    ///
    /// A user's file still belongs to the user after root has written it.
    private func keepOwner(of file: CInt, _ temporary: String) throws(FileError) {
        var entry = stat()
        guard geteuid() == 0 else { return }
        guard lstat(path, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else { return giveToOwnerOfFolder(file) }
        try Self.give(file, temporary, to: (entry.st_uid, entry.st_gid))
    }

    /// Gives a new file an owner, and a group if that is possible.
    ///
    /// The root of a user namespace cannot set a group that is not mapped there. It need not if the folder has set the
    /// group.
    private static func give(
        _ file: CInt, _ path: String, to owner: (user: uid_t, group: gid_t)
    ) throws(FileError) {
        var entry = stat()
        guard fstat(file, &entry) == 0 else { throw FileError("fstat", path) }
        if entry.st_uid == owner.user, entry.st_gid == owner.group { return }
        if fchown(file, owner.user, owner.group) == 0 { return }
        let error = FileError("fchown", path)
        guard error.isRefusedHere, entry.st_uid == owner.user || fchown(file, owner.user, .max) == 0 else {
            throw error
        }
    }

    /// Gives a file or folder that this process just created as root to the owner of its folder.
    ///
    /// Root may use a user's home once (sudo, a container, cron). Without this, files that the user's programs cannot
    /// open would stay there. Without the capability (CAP_CHOWN) they still belong to root.
    func giveToOwnerOfFolder(_ file: CInt) {
        var entry = stat()
        guard geteuid() == 0, stat(folder, &entry) == 0, entry.st_uid != 0 else { return }
        _ = fchown(file, entry.st_uid, entry.st_gid)
    }

    /// Creates an empty file with mode 0600, which it has from the beginning, regardless of the process's umask.
    ///
    /// - Parameter other: The owner of the new file, if this process may choose it, as root may; nil for the folder's.
    /// - Returns: False if the file already exists; it is not changed.
    package func create(ownedLike other: FileStatus? = nil) throws(FileError) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            guard errno == EEXIST else { throw FileError("open", path) }
            return false
        }
        defer { close(file) }
        // A umask can only have removed permissions.
        try Self.setPermissions(0o600, of: file, path)
        if geteuid() == 0, let owner = other?.owner {
            try Self.give(file, path, to: owner)
        } else {
            giveToOwnerOfFolder(file)
        }
        return true
    }

    /// Removes the permissions of other users, if the file exists and grants any.
    package func makePrivate() throws(FileError) {
        var entry = stat()
        guard lstat(path, &entry) == 0 else {
            guard errno == ENOENT else { throw FileError("stat", path) }
            return
        }
        guard entry.st_mode & S_IFMT == S_IFREG, entry.st_mode & 0o077 != 0 else { return }
        // By the path: closing a descriptor of the file would release SQLite's locks on it in this process. If the path
        // has become a link, it is not followed, since root may do this in another user's folder.
        guard fchmodat(AT_FDCWD, path, entry.st_mode & 0o700, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw FileError("chmod", path)
        }
    }

    /// Writes the file in place, neither atomically nor durably, for content that need not survive a crash.
    ///
    /// It is truncated last, so that a reader finds an existing file with content at any time.
    package func overwrite(with bytes: [UInt8]) throws(FileError) {
        let file = try openOrCreate(O_WRONLY)
        defer { close(file) }
        try Self.write(bytes, to: file, path: path)
        guard ftruncate(file, off_t(bytes.count)) == 0 else { throw FileError("ftruncate", path) }
    }

    /// Renames the file to `<path>.<suffix>`, or to the first free name after it.
    ///
    /// - Returns: The new path; nil if the file does not exist.
    package func setAside(suffix: String) throws(FileError) -> String? {
        for number in 1...1_000 {
            let aside = "\(path).\(suffix)" + (number == 1 ? "" : "-\(number)")
            do throws(FileError) { try Self.rename(path, toFree: aside) } catch {
                if error.isExisting { continue }
                if error.reason == .missing { return nil }
                throw error
            }
            try syncFolder()
            return aside
        }
        throw FileError("link", path, number: EEXIST)
    }

    /// Renames a file, unless the name is taken.
    ///
    /// - Throws: `FileError`, with `EEXIST` if the name is taken.
    static func rename(_ old: String, toFree new: String) throws(FileError) {
        // Unlike rename, link fails if the name is taken.
        if link(old, new) == 0 {
            guard unlink(old) == 0 else { throw FileError("unlink", old) }
            return
        }
        let error = FileError("link", new)
        // Many file systems have no hard links: FAT, SMB, Android's, shared folders of virtual machines.
        guard error.isRefusedHere || error.number == EMLINK else { throw error }
        var entry = stat()
        guard lstat(new, &entry) != 0, errno == ENOENT else { throw FileError("link", new, number: EEXIST) }
        guard systemRename(old, new) == 0 else { throw FileError("rename", new) }
    }

    /// Replaces this file by a complete temporary file, durably.
    ///
    /// A file that is a mount point, as in a container, cannot be replaced. It gets the content instead, not
    /// atomically.
    func take(_ temporary: String, _ file: Int32) throws(FileError) {
        guard synchronize(file) == 0 else { throw FileError("fsync", temporary) }
        if systemRename(temporary, path) == 0 { return try syncFolder() }
        let error = FileError("rename", path)
        guard error.number == EBUSY else { throw error }
        guard lseek(file, 0, SEEK_SET) == 0 else { throw FileError("lseek", temporary) }
        let target = open(path, O_WRONLY | O_CLOEXEC)
        guard target >= 0 else { throw FileError("open", path) }
        defer { close(target) }
        var count = 0
        while true {
            let piece = try Self.read(file, temporary, atMost: 256 << 10)
            if piece.isEmpty { break }
            try Self.write(piece, to: target, path: path)
            count += piece.count
        }
        guard ftruncate(target, off_t(count)) == 0 else { throw FileError("ftruncate", path) }
        guard synchronize(target) == 0 else { throw FileError("fsync", path) }
        guard unlink(temporary) == 0 else { throw FileError("unlink", temporary) }
    }

    /// Removes the file durably; a missing one is not an error.
    package func remove() throws(FileError) {
        guard unlink(path) == 0 else {
            let error = FileError("unlink", path)
            if error.reason == .missing { return }
            throw error
        }
        try syncFolder()
    }

    /// The folder that holds the file.
    package var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates the missing folders of the path, with mode 0700.
    package func makeFolder() throws(FileError) {
        var made = folder.utf8.first == UInt8(ascii: "/") ? "/" : ""
        for part in folder.unicodeScalars.split(separator: "/") {
            made += String(part)
            if mkdir(made, 0o700) == 0 {
                Self.completeFolder(made)
            } else {
                let error = FileError("mkdir", made)
                // A read-only file system reports EROFS even for an existing folder.
                guard access(made + "/.", F_OK) == 0 else { throw error }
            }
            made += "/"
        }
    }

    /// Gives a new folder its owner, and the owner's permissions that a umask may have removed.
    private static func completeFolder(_ path: String) {
        var entry = stat()
        // The set-group-ID bit, by which files get the folder's group, is kept.
        if lstat(path, &entry) == 0, entry.st_mode & 0o700 != 0o700 {
            _ = fchmodat(AT_FDCWD, path, entry.st_mode & 0o7000 | 0o700, AT_SYMLINK_NOFOLLOW)
        }
        guard geteuid() == 0 else { return }
        // If a link has taken its place, it is not opened, so that no other file gets another owner.
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return }
        AtomicFile(path).giveToOwnerOfFolder(folder)
        close(folder)
    }

    /// Runs `body` while holding the file's lock, which excludes other processes and other calls of this one.
    ///
    /// The lock is on `<path>.lock`, which is never removed, since the file itself is replaced. The calling thread
    /// blocks for at most half a minute; a nested call for the same file also does.
    package func locked<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result, onFailure: (FileError) -> Failure
    ) throws(Failure) -> Result {
        let holder: FileLock.Holder
        do { holder = try FileLock(path + ".lock").acquireBlocking() } catch { throw onFailure(error) }
        defer { holder.release() }
        return try body()
    }
}

extension AtomicFile {
    /// Opens the file, which is created with mode 0600 if it is missing; a link is not followed.
    func openOrCreate(_ access: Int32) throws(FileError) -> Int32 {
        for _ in 0..<100 {
            let file = open(path, access | O_CLOEXEC | O_NOFOLLOW)
            if file >= 0 { return file }
            guard errno == ENOENT else { throw FileError("open", path) }
            let new = open(path, access | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if new >= 0 {
                // As for a new folder: a umask may have removed permissions.
                _ = fchmod(new, 0o600)
                giveToOwnerOfFolder(new)
                return new
            }
            guard errno == EEXIST else { throw FileError("open", path) }
        }
        throw FileError("open", path, number: EEXIST)
    }

    /// The path, with its name shortened so that a suffix fits: names have at most 255 bytes, and 143 on eCryptfs.
    var beginning: String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let start = slash.map { path.utf8.index(after: $0) } ?? path.startIndex
        guard var end = path.utf8.index(start, offsetBy: 100, limitedBy: path.endIndex), end < path.endIndex else {
            return path
        }
        // Not within a character.
        while path.utf8[end] & 0xC0 == 0x80 { end = path.utf8.index(before: end) }
        return String(path[..<end])
    }

    /// Creates a temporary file in the same folder, so that the rename stays within one file system.
    ///
    /// Its name cannot be guessed, and `O_EXCL` rejects an existing file.
    func makeTemporary(mode: mode_t = 0o600) throws(FileError) -> (file: Int32, path: String) {
        var last = FileError("open", path, number: EEXIST)
        for _ in 0..<16 {
            let temporary = "\(beginning).\(RandomSource.system.identifier()).tmp"
            let file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
            if file >= 0 {
                // A private file is private regardless of the umask; for other files the umask applies.
                if mode == 0o600 { _ = fchmod(file, mode) }
                return (file, temporary)
            }
            last = FileError("open", temporary)
            guard last.number == EEXIST else { throw last }
        }
        throw last
    }

    /// Opens a device, a pipe or a socket at the path, which is written in place.
    ///
    /// If a file were renamed over `/dev/null`, it would replace the device.
    ///
    /// - Returns: nil if a file may be put at the path.
    /// - Throws: `FileError`, with `ENXIO` for a pipe without a reader.
    func openInPlace() throws(FileError) -> Int32? {
        var entry = stat()
        guard stat(path, &entry) == 0 else {
            // The name of the temporary file is shorter.
            if errno == ENAMETOOLONG { throw FileError("open", path) }
            return nil
        }
        guard ![S_IFREG, S_IFDIR].contains(entry.st_mode & S_IFMT) else { return nil }
        let file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { throw FileError("open", path) }
        _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
        return file
    }

    /// Gives the new file the permissions of the replaced file, and its owner, if this process may.
    func keepPermissions(of file: Int32, _ temporary: String) throws(FileError) {
        var entry = stat()
        guard lstat(path, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG else { return }
        try keepOwner(of: file, temporary)
        var new = stat()
        guard fstat(file, &new) == 0 else { throw FileError("fstat", temporary) }
        // If the group cannot be set, the group's permissions would apply to another group.
        let keepsGroup = new.st_gid == entry.st_gid || fchown(file, .max, entry.st_gid) == 0
        try Self.setPermissions(entry.st_mode & (keepsGroup ? 0o777 : 0o707), of: file, temporary)
    }

    /// Sets the permissions of a new file; a file system without permissions may keep its mode if that allows no more.
    private static func setPermissions(_ wanted: mode_t, of file: CInt, _ path: String) throws(FileError) {
        var entry = stat()
        guard fstat(file, &entry) == 0 else { throw FileError("fstat", path) }
        let given = entry.st_mode & 0o777
        if wanted == given || fchmod(file, wanted) == 0 { return }
        let error = FileError("fchmod", path)
        guard error.isRefusedHere, given & ~wanted == 0 else { throw error }
    }

    private func readAll(_ file: Int32, atMost limit: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let piece = try Self.read(file, path, atMost: min(16_384, limit - bytes.count))
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        return bytes
    }

    /// Reads the next bytes; none at the end.
    static func read(_ file: Int32, _ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            repeat { count = systemRead(file, buffer.baseAddress, limit) } while count < 0 && errno == EINTR
            guard count < 0 else { return }
            failure = FileError("read", path)
            count = 0
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all bytes, if necessary by several calls.
    ///
    /// - Parameter path: The path for errors.
    package static func write(_ bytes: [UInt8], to file: Int32, path: String) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError("write", path)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Syncs the folder, since fsync of a file does not include its directory entry.
    func syncFolder() throws(FileError) {
        let file = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard file >= 0 else { throw FileError("open", folder) }
        defer { close(file) }
        // File systems of other machines (CIFS, FUSE) report in this way that they cannot sync a folder. It cannot be
        // helped.
        guard synchronize(file) == 0 || errno == EINVAL else { throw FileError("fsync", folder) }
    }
}

/// The system's `read`, `rename` and `write`, which the methods above shadow.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}

private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, buffer, count)
}
