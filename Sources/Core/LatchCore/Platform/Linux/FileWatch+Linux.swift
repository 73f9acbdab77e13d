// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import Synchronization

/// An observer of a file that is written or replaced, by this process or another, without polling.
///
/// All observers of a process share one inotify instance, since each user has only a few (128 by default).
package final class FileWatch: Sendable {
    private let queue: InotifyQueue
    private let id: Int

    /// Starts to observe a file, which need not exist; its folder must exist.
    ///
    /// - Parameter onChange: Runs after each change, on a thread of Dispatch; changes in quick succession count as one.
    package init(_ path: String, onChange: @escaping @Sendable () -> Void) throws(FileError) {
        queue = try InotifyQueue.current(for: path)
        id = try queue.add(path, onChange)
    }

    deinit { queue.remove(id) }
}
/// The process's queue of file events (inotify) with its observers.
///
/// It exists as long as it has observers.
private final class InotifyQueue: Sendable {
    private struct Watch {
        let folder: Int32
        let name: [UInt8]
        let onChange: @Sendable () -> Void
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var next = 0
        /// The number of watches of each folder, by its watch descriptor.
        var folders: [Int32: Int] = [:]
    }

    /// A weak reference to the queue of the process.
    private struct WeakQueue { weak var queue: InotifyQueue? }

    private static let processQueue = Mutex(WeakQueue())

    /// The descriptor, closed with this object.
    private let descriptor: Int32
    // Immutable and thread-safe; Dispatch does not declare it as Sendable.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    private let state = Mutex(State())

    /// Returns the queue of the process and creates it if necessary.
    static func current(for path: String) throws(FileError) -> InotifyQueue {
        try processQueue.withLock { reference throws(FileError) in
            if let queue = reference.queue { return queue }
            let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            guard descriptor >= 0 else { throw FileError("inotify_init1", path) }
            let queue = InotifyQueue(descriptor)
            reference.queue = queue
            return queue
        }
    }

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // The queue is serial: there is one reader at a time, and observers see changes in order.
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "latch.watch"))
        self.source = source
        source.setEventHandler { [weak self] in self?.deliver() }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Adds an observer; the kernel returns the same watch descriptor for the same folder each time.
    func add(_ path: String, _ onChange: @escaping @Sendable () -> Void) throws(FileError) -> Int {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
        let events = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
        return try state.withLock { state throws(FileError) in
            let folder = inotify_add_watch(descriptor, AtomicFile(path).folder, events)
            guard folder >= 0 else { throw FileError("inotify_add_watch", path) }
            state.folders[folder, default: 0] += 1
            state.next += 1
            state.watches[state.next] = Watch(folder: folder, name: name, onChange: onChange)
            return state.next
        }
    }

    /// Removes an observer; the last observer of a folder also removes the kernel's watch.
    func remove(_ id: Int) {
        state.withLock { state in
            guard let watch = state.watches.removeValue(forKey: id), let count = state.folders[watch.folder] else {
                return
            }
            state.folders[watch.folder] = count > 1 ? count - 1 : nil
            if count == 1 { inotify_rm_watch(descriptor, watch.folder) }
        }
    }

    /// Reads all events and calls the affected observers.
    private func deliver() {
        var changed: Set<Event> = []
        while let events = read(), !events.isEmpty { changed.formUnion(events) }
        let missed = changed.contains { $0.isOverflow }
        let concerned = state.withLock { state in
            state.watches.values.filter { watch in
                missed || changed.contains { $0.folder == watch.folder && $0.name == watch.name }
            }
        }
        for watch in concerned { watch.onChange() }
    }

    /// A change of a file.
    private struct Event: Hashable {
        let folder: Int32
        let name: [UInt8]
        /// Whether the kernel dropped events, which may have concerned any file.
        let isOverflow: Bool
    }

    /// Reads the next events; nil if there are none.
    private func read() -> [Event]? {
        let size = 16_384
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        defer { buffer.deallocate() }
        let count = Glibc.read(descriptor, buffer.baseAddress, size)
        guard count > 0 else { return nil }
        var events: [Event] = []
        var offset = 0
        let header = MemoryLayout<inotify_event>.size
        while offset + header <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(offset + header + Int(event.len), count)
            let name = Array(buffer[(offset + header)..<end].prefix { $0 != 0 })
            events.append(Event(folder: event.wd, name: name, isOverflow: event.mask & UInt32(IN_Q_OVERFLOW) != 0))
            offset = end
        }
        return events
    }
}
#endif
