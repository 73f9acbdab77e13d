// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A new private file that is written under a temporary name, and appears complete or not at all.
///
/// Releasing it before ``publish()`` removes the temporary file. A killed process leaves the file. The next process for
/// the same path removes it, because the lock next to it is free. Calls block.
package final class NewFile {
    /// The path until the file is published, where another library may write it instead of ``write(_:)``.
    package let temporaryPath: String
    private let target: AtomicFile
    private let file: Int32
    /// The lock on a separate file: where flock and fcntl exclude each other, SQLite could not lock a locked file.
    private let lock: FileLock
    private let holder: FileLock.Holder
    private var isPublished = false

    /// The end of the name of a temporary file's lock.
    private static let lockSuffix = ".tmp.lock"

    /// Creates the temporary file, with mode 0600.
    ///
    /// - Throws: `FileError`, also if there is a file at the path.
    package init(_ path: String) throws(FileError) {
        target = AtomicFile(path)
        var entry = stat()
        guard lstat(path, &entry) != 0 else { throw FileError("open", path, number: EEXIST) }
        // The names of the temporary files are shorter.
        if errno == ENAMETOOLONG { throw FileError("open", path) }
        try Self.removeAbandoned(of: target)
        let name = "\(target.beginning).\(RandomSource.system.identifier())"
        temporaryPath = name + ".tmp"
        lock = FileLock(name + Self.lockSuffix)
        guard let holder = try lock.tryAcquire() else { throw FileError("flock", lock.path, number: EWOULDBLOCK) }
        self.holder = holder
        file = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            let error = FileError("open", temporaryPath)
            unlink(lock.path)
            throw error
        }
        // A umask may have removed permissions.
        _ = fchmod(file, 0o600)
        target.giveToOwnerOfFolder(file)
    }

    deinit {
        close(file)
        if !isPublished { unlink(temporaryPath) }
        // After the file: a file without a lock is not removed.
        unlink(lock.path)
        holder.release()
    }

    /// Removes the temporary files for a path whose writers were killed.
    private static func removeAbandoned(of target: AtomicFile) throws(FileError) {
        let beginning = target.beginning
        let slash = beginning.utf8.lastIndex(of: UInt8(ascii: "/"))
        let start = slash.map { String(beginning[$0...].unicodeScalars.dropFirst()) } ?? beginning
        let prefix = start + "."
        for name in names(in: target.folder) where name.utf8.starts(with: prefix.utf8) {
            let id = name.utf8.dropFirst(prefix.utf8.count)
            guard id.count == 32 + lockSuffix.utf8.count,
                id.suffix(lockSuffix.utf8.count).elementsEqual(lockSuffix.utf8),
                id.dropLast(lockSuffix.utf8.count).allSatisfy({ isHexDigit($0) })
            else { continue }
            let path = target.folder + "/" + name
            guard let holder = try FileLock(path).tryAcquire() else { continue }
            defer { holder.release() }
            unlink(String(Substring(path.utf8.dropLast(".lock".utf8.count))))
            unlink(path)
        }
    }

    /// Returns the names of the entries of a folder; empty for a folder that can be written to but not listed.
    private static func names(in folder: String) -> [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try AtomicFile.write(bytes, to: file, path: target.path)
    }

    /// Gives the file its name, durably, unless another file has taken the name.
    package func publish() throws(FileError) {
        guard synchronize(file) == 0 else { throw FileError("fsync", target.path) }
        try AtomicFile.rename(temporaryPath, toFree: target.path)
        isPublished = true
        try target.syncFolder()
    }
}

/// A file that is read from its beginning to its end; calls block.
package final class SequentialFile {
    private let path: String
    private let file: Int32

    /// Opens a file.
    package init(_ path: String) throws(FileError) {
        self.path = path
        file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileError("open", path) }
    }

    deinit { close(file) }

    /// Reads the next bytes; fewer than the count only at the end.
    package func read(_ count: Int) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = systemRead(file, buffer.baseAddress?.advanced(by: filled), count - filled)
                if read == 0 { return }
                if read < 0 {
                    if errno == EINTR { continue }
                    failure = FileError("read", path)
                    return
                }
                filled += read
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

extension FileError {
    /// Whether the name of a new file is taken.
    package var isExisting: Bool { number == EEXIST }
}

/// The system's `read`, which the method above shadows.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}
