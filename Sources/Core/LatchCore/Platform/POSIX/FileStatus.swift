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

    /// Reads the attributes; nil if nothing exists at the path, or this user may not see it.
    ///
    /// - Parameter followsLink: Whether a symbolic link at the end of the path is followed, as when the file is opened.
    ///   State folders of systemd and keys of certbot are such links.
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

    /// The number of bytes; nil if an `Int` cannot hold it.
    package var size: Int? { Int(exactly: entry.st_size) }

    /// The time of the last change in nanoseconds since 1970.
    ///
    /// Reproducible archives and images give all files the same time, in 1970, 1980 or (npm) 1985. For such a file,
    /// this is the time at which it was placed here. So two versions with the same size differ.
    package var modified: Int64 {
        let time = entry.modification.tv_sec < Self.firstTrueTime ? entry.statusChange : entry.modification
        // Valid until 2262.
        let seconds = min(Int64(time.tv_sec), Int64.max / 1_000_000_000 - 1)
        return seconds &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// 1986-01-01 in seconds since 1970.
    private static let firstTrueTime = 504_921_600

    /// The IDs of its user and group.
    var owner: (user: uid_t, group: gid_t) { (entry.st_uid, entry.st_gid) }

    package var isFolder: Bool { entry.st_mode & S_IFMT == S_IFDIR }
    package var isFile: Bool { entry.st_mode & S_IFMT == S_IFREG }
    /// Whether it is a symbolic link; never true if the link was followed.
    package var isLink: Bool { entry.st_mode & S_IFMT == S_IFLNK }

    /// The number of the file in its file system; a file that replaces it has another one.
    package var inode: UInt64 { UInt64(entry.st_ino) }

    /// The permissions, such as `0o600`.
    package var permissions: UInt { UInt(entry.st_mode & 0o7777) }

    /// Whether users other than the owner may read or write it.
    package var isOpenToOthers: Bool { permissions & 0o066 != 0 }
    /// Whether users other than the owner may read it.
    package var isReadableByOthers: Bool { permissions & 0o044 != 0 }
}
