// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
import Dispatch

/// Tells when a file was written, by this process or another, without polling.
package final class FileWatch: @unchecked Sendable {
    /// Made and cancelled once; Dispatch itself is safe from any thread.
    private let source: any DispatchSourceFileSystemObject

    /// A watch on one file, which is made where it is missing; its folder must exist.
    ///
    /// - Parameter onChange: Called after each change, on a thread of Dispatch; changes that come together are one.
    package init(_ path: String, onChange: @escaping @Sendable () -> Void) throws(FileFailure) {
        let file = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileFailure("open", path) }
        source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: file, eventMask: [.write, .extend, .attrib], queue: .global())
        source.setEventHandler { onChange() }
        source.setCancelHandler { close(file) }
        source.resume()
    }

    deinit { source.cancel() }
}
#endif
