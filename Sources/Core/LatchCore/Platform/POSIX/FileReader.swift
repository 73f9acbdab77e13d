// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A file that is read from its beginning to its end, piece by piece, without keeping a task's thread.
package actor FileReader {
    private let queue = FileQueue()
    private let path: String
    private let file: Int32
    /// How many bytes the file had when it was opened.
    package nonisolated let size: Int

    /// The file's own queue.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Opens a file that has a size: no folder, no device, no pipe.
    ///
    /// The call itself is made here and now, on the caller's thread.
    package init(_ path: String) throws(FileFailure) {
        // A pipe without a writer would keep the caller waiting here, unless it is asked not to.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileFailure("open", path) }
        var entry = stat()
        let isKnown = fstat(file, &entry) == 0
        guard isKnown, entry.st_mode & S_IFMT == S_IFREG else {
            let number = isKnown ? EINVAL : errno
            close(file)
            throw FileFailure("fstat", path, number: number)
        }
        self.path = path
        self.file = file
        size = Int(entry.st_size)
    }

    deinit { close(file) }

    /// The next bytes, at most `limit`; none at the end.
    package func next(upTo limit: Int) throws(FileFailure) -> [UInt8] {
        var failure: FileFailure?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            repeat { count = read(file, buffer.baseAddress, limit) } while count < 0 && errno == EINTR
            guard count < 0 else { return }
            failure = FileFailure("read", path)
            count = 0
        }
        if let failure { throw failure }
        return bytes
    }
}
