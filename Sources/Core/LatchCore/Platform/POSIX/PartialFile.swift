// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The beginning of a file that several calls write, possibly in several processes: `<path>.part`.
///
/// A note next to it, `<path>.part.note`, describes the bytes. It is written after them, so that it never counts bytes
/// that a power failure may destroy. Calls do not block the cooperative threads.
package actor PartialFile {
    private let queue = FileExecutor()
    private let target: AtomicFile
    private let part: AtomicFile
    private let note: AtomicFile
    private let file: Int32
    /// The number of bytes in the part.
    package nonisolated let size: Int

    /// The file's separate executor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Opens the part of a file, or creates it empty, and locks it until the end of this value.
    ///
    /// - Throws: `FileError`: `EWOULDBLOCK` while another process or value holds the part, and `EOPNOTSUPP` for a
    ///   device, a pipe or a folder.
    package init(of path: String) throws(FileError) {
        guard FileStatus(of: path)?.isFile ?? true else { throw FileError("open", path, number: EOPNOTSUPP) }
        target = AtomicFile(path)
        part = AtomicFile(path + ".part")
        note = AtomicFile(path + ".part.note")
        (file, size) = try Self.open(part, for: target)
    }

    deinit {
        // Also for copies of the descriptor in a forked process, which has not called 'exec' yet.
        _ = flock(file, LOCK_UN)
        close(file)
    }

    private static func open(_ part: AtomicFile, for target: AtomicFile) throws(FileError) -> (Int32, size: Int) {
        for _ in 0..<100 {
            // From the first byte, users who cannot read the replaced file must not be able to read this one.
            let isReplacing = FileStatus(of: target.path, followsLink: false)?.isFile == true
            let file = sysOpen(
                part.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, isReplacing ? 0o600 : 0o666)
            guard file >= 0 else { throw FileError("open", part.path) }
            do throws(FileError) {
                guard flock(file, LOCK_EX | LOCK_NB) == 0 else { throw FileError("flock", part.path) }
                let status = try FileStatus(ofOpen: file, part.path)
                guard status.isFile, let size = status.size else { throw FileError("open", part.path, number: EINVAL) }
                // Another process may have completed it between the two calls.
                if FileStatus(of: part.path, followsLink: false)?.inode == status.inode {
                    if size == 0 {
                        part.giveToOwnerOfFolder(file)
                        try target.keepPermissions(of: file, part.path)
                    }
                    return (file, size)
                }
            } catch {
                close(file)
                throw error
            }
            close(file)
        }
        throw FileError("open", part.path, number: ESTALE)
    }

    /// Returns the note; nil if there is none.
    package func readNote() throws(FileError) -> [UInt8]? { try note.readFile(upTo: 64 << 10) }

    /// Removes the bytes after the first `count`, so that the next ones follow them; with 0, the note is also removed.
    package func begin(at count: Int) throws(FileError) {
        if count == 0 { try note.remove() }
        guard ftruncate(file, off_t(count)) == 0 else { throw FileError("ftruncate", part.path) }
        guard lseek(file, off_t(count), SEEK_SET) >= 0 else { throw FileError("lseek", part.path) }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try AtomicFile.write(bytes, to: file, path: part.path)
    }

    /// Makes the bytes durable, and then their note.
    package func keep(_ text: [UInt8]) throws(FileError) {
        guard synchronize(file) == 0 else { throw FileError("fsync", part.path) }
        try note.replace(with: text)
    }

    /// Moves the part to the final path, durably, with the permissions of an earlier file, and removes the note.
    package func commit() throws(FileError) {
        try target.keepPermissions(of: file, part.path)
        try target.take(part.path, file)
        try note.remove()
    }

    /// Removes the part and the note.
    package func discard() throws(FileError) {
        try note.remove()
        try part.remove()
    }
}

/// The system's `open`, which the method above shadows; the umask applies to the permissions.
private func sysOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
