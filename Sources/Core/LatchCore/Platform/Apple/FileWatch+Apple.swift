// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
import Dispatch

/// An observer of writes to a file, by this process or another, without polling.
package final class FileWatch: @unchecked Sendable {
    /// The source, immutable and thread-safe; Dispatch does not declare it as Sendable.
    private let source: any DispatchSourceFileSystemObject

    /// Starts to observe a file, which is created if it is missing; its folder must exist.
    ///
    /// - Parameter onChange: Runs after each change, on a thread of Dispatch; changes in quick succession count as one.
    package init(_ path: String, onChange: @escaping @Sendable () -> Void) throws(FileError) {
        let file = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError("open", path) }
        source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: file, eventMask: [.write, .extend, .attrib], queue: .global())
        source.setEventHandler { onChange() }
        source.setCancelHandler { close(file) }
        source.resume()
    }

    deinit { source.cancel() }
}
#endif
