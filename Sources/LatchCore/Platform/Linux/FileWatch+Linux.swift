// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc

/// Tells when a file of a folder was written or put in its place, by this process or another, without polling.
package final class FileWatch: @unchecked Sendable {
    /// Made and cancelled once; Dispatch itself is safe from any thread.
    private let source: any DispatchSourceRead

    /// A watch on one file, which need not exist; its folder must.
    ///
    /// - Parameter onChange: Called after each change, on a thread of Dispatch; changes that come together are one.
    package init(_ path: String, onChange: @escaping @Sendable () -> Void) throws(FileFailure) {
        let name = String(path.split(separator: "/").last ?? "")
        let queue = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard queue >= 0 else { throw FileFailure("inotify_init1", path) }
        let events = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
        guard inotify_add_watch(queue, AtomicFile(path).folder, events) >= 0 else {
            let failure = FileFailure("inotify_add_watch", path)
            close(queue)
            throw failure
        }
        source = DispatchSource.makeReadSource(fileDescriptor: queue, queue: .global())
        source.setEventHandler { if Self.hasChanged(name, by: queue) { onChange() } }
        source.setCancelHandler { close(queue) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Empties the queue of events, and says whether one of them was about the file.
    private static func hasChanged(_ name: String, by queue: Int32) -> Bool {
        var hasChanged = false
        let size = 16_384
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = read(queue, buffer.baseAddress, size)
            guard count > 0 else { return hasChanged }
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= count {
                let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let end = min(offset + header + Int(event.len), count)
                let text = buffer[(offset + header)..<end].prefix { $0 != 0 }
                // An overflow of the queue names no file: something was missed.
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || text.elementsEqual(name.utf8) { hasChanged = true }
                offset = end
            }
        }
    }
}
#endif
