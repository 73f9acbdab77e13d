// SPDX-License-Identifier: Apache-2.0

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A file that is read in chunks, without blocking the cooperative threads.
package actor FileReader {
    private let queue = FileExecutor()
    private let path: String
    private let file: Int32
    /// The number of bytes of the file when it was opened.
    package nonisolated let size: Int
    /// The time of the last change before it was opened, in nanoseconds since 1970.
    package nonisolated let modified: Int64

    /// The file's separate executor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Opens a regular file, on the caller's thread.
    ///
    /// - Throws: `FileError`, also for folders, devices and pipes, which have no size.
    package init(_ path: String) throws(FileError) {
        // Without O_NONBLOCK a pipe without a writer would block here.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileError("open", path) }
        do throws(FileError) {
            let status = try FileStatus(ofOpen: file, path)
            guard status.isFile else { throw FileError("fstat", path, number: EINVAL) }
            // An Int of 32 bits does not hold the size of every file.
            guard let size = status.size else { throw FileError("fstat", path, number: EFBIG) }
            (self.path, self.file, self.size, modified) = (path, file, size, status.modified)
        } catch {
            close(file)
            throw error
        }
    }

    deinit { close(file) }

    /// Reads the next bytes, at most `limit`; none at the end.
    package func next(upTo limit: Int) throws(FileError) -> [UInt8] {
        try AtomicFile.read(file, path, atMost: limit)
    }

    /// Reads `count` bytes from `offset` on; fewer at the end of the file.
    package func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        guard lseek(file, off_t(offset), SEEK_SET) >= 0 else { throw FileError("lseek", path) }
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = try next(upTo: count - bytes.count)
            if piece.isEmpty { break }
            bytes = bytes.isEmpty ? piece : bytes + piece
        }
        return bytes
    }
}

/// A file that is written in chunks under a temporary name and appears complete or not at all.
///
/// It has the permissions of an earlier file. A device or a pipe is written in place. So is, at the end, a file that is
/// a mount point.
///
/// Releasing the writer before ``commit()`` removes the temporary file. Calls do not block the cooperative threads.
package actor FileWriter {
    private let queue = FileExecutor()
    private let target: AtomicFile
    private let file: Int32
    /// The temporary path; nil after the commit, and if the target is written in place.
    private var temporary: String?

    /// The file's separate executor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Creates the temporary file.
    ///
    /// - Parameter mode: The permissions of a new file, to which the process's umask applies.
    package init(replacing path: String, mode: UInt16 = 0o666) throws(FileError) {
        target = AtomicFile(path)
        if let file = try target.openInPlace() {
            (self.file, temporary) = (file, nil)
            return
        }
        // From the first byte, users who cannot read the replaced file must not be able to read this one.
        let isReplacing = FileStatus(of: path, followsLink: false)?.isFile == true
        (file, temporary) = try target.makeTemporary(mode: isReplacing ? 0o600 : mode_t(mode))
        if let temporary { try target.keepPermissions(of: file, temporary) }
    }

    deinit {
        close(file)
        if let temporary { unlink(temporary) }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try AtomicFile.write(bytes, to: file, path: temporary ?? target.path)
    }

    /// Moves the file to its final path, durably, replacing an earlier one.
    package func commit() throws(FileError) {
        guard let temporary else { return }
        try target.take(temporary, file)
        self.temporary = nil
    }
}

/// The executor of one open file, on a thread that may block.
///
/// The cooperative pool has one thread per processor, which a slow disk or an unresponsive network file system would
/// block.
final class FileExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "latch.file")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
