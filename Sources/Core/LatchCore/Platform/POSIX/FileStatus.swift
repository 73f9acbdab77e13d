// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The attributes of a file or folder (POSIX `stat`).
package struct FileStatus: Sendable {
    private let entry: stat

    /// Reads the attributes; nil if there is nothing at the path, or this user may not see it.
    ///
    /// - Parameter followsLink: Whether a symbolic link at the end of the path stands for what it leads to, as it does for whoever opens
    ///   it. systemd's folders of state and certbot's keys are such links.
    package init?(of path: String, followsLink: Bool = true) {
        var entry = stat()
        guard (followsLink ? stat(path, &entry) : lstat(path, &entry)) == 0 else { return nil }
        self.entry = entry
    }

    /// Reads the attributes of an open file.
    init(ofOpen file: Int32, _ path: String) throws(FileError) {
        var entry = stat()
        guard fstat(file, &entry) == 0 else { throw FileError("fstat", path) }
        self.entry = entry
    }

    /// The number of bytes; nil where an `Int` does not hold it.
    package var size: Int? { Int(exactly: entry.st_size) }

    /// The time of the last change in nanoseconds since 1970.
    ///
    /// Reproducible archives and images give all files one time, in 1970, 1980 or (npm) 1985. Such a file has the time at which it was placed
    /// here, so that two versions of one size differ.
    package var modified: Int64 {
        let time = entry.modification.tv_sec < Self.firstTrueTime ? entry.statusChange : entry.modification
        // Until 2262.
        let seconds = min(Int64(time.tv_sec), Int64.max / 1_000_000_000 - 1)
        return seconds &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// 1986-01-01 in seconds since 1970.
    private static let firstTrueTime = 504_921_600

    /// The ids of its user and of its group.
    var owner: (user: uid_t, group: gid_t) { (entry.st_uid, entry.st_gid) }

    package var isFolder: Bool { entry.st_mode & S_IFMT == S_IFDIR }
    package var isFile: Bool { entry.st_mode & S_IFMT == S_IFREG }
    /// Whether it is a symbolic link, which is never so where the link is followed.
    package var isLink: Bool { entry.st_mode & S_IFMT == S_IFLNK }

    /// The number of the file in its file system, which another file in its place does not have.
    package var inode: UInt64 { UInt64(entry.st_ino) }

    /// The permissions, such as `0o600`.
    package var permissions: UInt { UInt(entry.st_mode & 0o7777) }

    /// Whether others than the owner may read or write it.
    package var isOpenToOthers: Bool { permissions & 0o066 != 0 }
    /// Whether others than the owner may read it.
    package var isReadableByOthers: Bool { permissions & 0o044 != 0 }
}
