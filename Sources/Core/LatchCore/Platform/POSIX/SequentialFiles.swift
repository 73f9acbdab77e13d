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
/// Releasing it before ``publish()`` removes the temporary file. Calls block.
package final class NewFile {
    /// The path until the file is published, where another library may write it instead of ``write(_:)``.
    package let temporaryPath: String
    private let target: AtomicFile
    private let file: Int32
    private var isPublished = false

    /// Creates the temporary file, with mode 0600.
    ///
    /// - Throws: `FileError`, also if there is a file at the path.
    package init(_ path: String) throws(FileError) {
        target = AtomicFile(path)
        var entry = stat()
        guard lstat(path, &entry) != 0 else { throw FileError("open", path, number: EEXIST) }
        (file, temporaryPath) = try target.makeTemporary()
    }

    deinit {
        close(file)
        if !isPublished { unlink(temporaryPath) }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try target.write(bytes, to: file, path: target.path)
    }

    /// Gives the file its name, durably, unless another file has got it meanwhile.
    package func publish() throws(FileError) {
        guard synchronize(file) == 0 else { throw FileError("fsync", target.path) }
        // Unlike rename, link fails where the name is taken.
        guard link(temporaryPath, target.path) == 0 else { throw FileError("link", target.path) }
        unlink(temporaryPath)
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

    /// Reads the next bytes, less than the count only at the end.
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
