// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A file that is written piece by piece beside the place where it appears as a whole, or not at all.
///
/// Letting the writer go before ``commit()`` removes what was written. Calls run on a queue of their own and keep no
/// task's thread.
package actor FileWriter {
    private let queue = FileQueue()
    private let target: AtomicFile
    private let file: Int32
    /// Where the bytes are until they are complete; nil afterwards.
    private var temporary: String?

    /// The file's own queue.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Begins a file that will stand at `path`.
    ///
    /// - Parameter mode: The permissions, from which the process's umask takes its part.
    package init(replacing path: String, mode: UInt16 = 0o666) throws(FileFailure) {
        target = AtomicFile(path)
        let (file, temporary) = try target.makeTemporary(mode: mode_t(mode))
        self.file = file
        self.temporary = temporary
    }

    deinit {
        close(file)
        if let temporary { unlink(temporary) }
    }

    /// Adds bytes to what was written.
    package func write(_ bytes: [UInt8]) throws(FileFailure) {
        try target.write(bytes, to: file, path: temporary ?? target.path)
    }

    /// Puts the file in its place, durably; what stood there before is replaced.
    package func commit() throws(FileFailure) {
        guard let temporary else { return }
        guard fsync(file) == 0 else { throw FileFailure("fsync", temporary) }
        guard rename(temporary, target.path) == 0 else { throw FileFailure("rename", target.path) }
        self.temporary = nil
        try target.syncFolder()
    }
}
