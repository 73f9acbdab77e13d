// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A small private file that is replaced as a whole, durably: after a crash it holds the old bytes or the new ones.
package struct AtomicFile: Sendable {
    /// Where it is; relative paths follow the process's working directory.
    package let path: String

    /// The file at a path, whether it exists or not; nothing is opened.
    package init(_ path: String) { self.path = path }

    /// The bytes; nil when there is no such file, which is not the same as an empty one.
    ///
    /// A symbolic link is followed here, since reading through it reveals nothing that its reader could not open.
    package func read() throws(FileFailure) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            let failure = FileFailure("open", path)
            if failure.reason == .missing { return nil }
            throw failure
        }
        defer { close(file) }
        return try readAll(file)
    }

    /// Replaces the file, with mode 0600: write beside it, fsync, rename, fsync of the folder.
    ///
    /// Readers see the old bytes or the new ones. A symbolic link in its place is replaced and not written through, so
    /// that nobody can direct a secret elsewhere. Two writers at once both succeed and the last rename stays: who reads
    /// before writing needs ``locked(_:onFailure:)`` around both.
    package func replace(with bytes: [UInt8]) throws(FileFailure) {
        let (file, temporary) = try makeTemporary()
        do throws(FileFailure) {
            defer { close(file) }
            try write(bytes, to: file, path: temporary)
            guard fsync(file) == 0 else { throw FileFailure("fsync", temporary) }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else {
            let failure = FileFailure("rename", path)
            unlink(temporary)
            throw failure
        }
        try syncFolder()
    }

    /// Writes the file in its place, neither atomically nor durably: for what is worth nothing after a crash.
    package func overwrite(with bytes: [UInt8]) throws(FileFailure) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileFailure("open", path) }
        defer { close(file) }
        try write(bytes, to: file, path: path)
    }

    /// Moves the file out of the way, keeping what it holds.
    ///
    /// - Returns: Its new path, `<path>.<suffix>` or the first free one after it; nil when there is no such file.
    package func setAside(suffix: String) throws(FileFailure) -> String? {
        for number in 1...1_000 {
            let aside = "\(path).\(suffix)" + (number == 1 ? "" : "-\(number)")
            // link fails where the name is taken, which rename does not.
            guard link(path, aside) == 0 else {
                let failure = FileFailure("link", aside)
                if failure.number == EEXIST { continue }
                if failure.reason == .missing { return nil }
                throw failure
            }
            guard unlink(path) == 0 else { throw FileFailure("unlink", path) }
            try syncFolder()
            return aside
        }
        throw FileFailure("link", path, number: EEXIST)
    }

    /// Removes the file durably; a missing one is no error.
    package func remove() throws(FileFailure) {
        guard unlink(path) == 0 else {
            let failure = FileFailure("unlink", path)
            if failure.reason == .missing { return }
            throw failure
        }
        try syncFolder()
    }

    /// The folder that holds the file.
    package var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the folder, and those above it, with mode 0700 where they are missing.
    package func makeFolder() throws(FileFailure) {
        var made = folder.hasPrefix("/") ? "/" : ""
        for part in folder.split(separator: "/") {
            made += part
            if mkdir(made, 0o700) != 0 {
                let failure = FileFailure("mkdir", made)
                // A read-only file system reports itself even for a folder that is there; a file has nothing below it.
                guard access(made + "/.", F_OK) == 0 else { throw failure }
            }
            made += "/"
        }
    }

    /// Runs `body` while no other process, and no other call of this one, is inside it for the same file.
    ///
    /// The lock is the kernel's (flock), so it ends with its holder, however that ends. It is on `<path>.lock`, which
    /// stays: the file itself is replaced by others, and a lock on a replaced file would hold off nobody. The calling
    /// thread blocks, and a call from within `body` for the same file never returns.
    package func locked<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result, onFailure: (FileFailure) -> Failure
    ) throws(Failure) -> Result {
        let holder: FileLock.Holder
        do { holder = try FileLock(path + ".lock").held() } catch { throw onFailure(error) }
        defer { holder.release() }
        return try body()
    }
}

extension AtomicFile {
    /// A new file in the same folder, so that the rename stays within one file system.
    ///
    /// Its name cannot be guessed, and `O_EXCL` refuses one that somebody has put there.
    func makeTemporary(mode: mode_t = 0o600) throws(FileFailure) -> (file: Int32, path: String) {
        var last = FileFailure("open", path, number: EEXIST)
        for _ in 0..<16 {
            let temporary = "\(path).\(RandomSource.system.identifier()).tmp"
            let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
            if file >= 0 { return (file, temporary) }
            last = FileFailure("open", temporary)
            guard last.number == EEXIST else { throw last }
        }
        throw last
    }

    private func readAll(_ file: Int32) throws(FileFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = systemRead(file, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileFailure("read", path)
            }
            bytes.append(contentsOf: buffer.prefix(count))
        }
    }

    /// Writes all of it: one call may write less, where a signal comes or the disk fills up.
    func write(_ bytes: [UInt8], to file: Int32, path: String) throws(FileFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileFailure("write", path)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes the names in the folder durable: fsync of a file says nothing about the entry that leads to it.
    func syncFolder() throws(FileFailure) {
        let file = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard file >= 0 else { throw FileFailure("open", folder) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw FileFailure("fsync", folder) }
    }
}

/// The system's `read` and `write`, which the methods above would otherwise hide.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, buffer, count)
}
