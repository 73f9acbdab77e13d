// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc
import Synchronization

/// The kernel's one queue of file events of this process (inotify), and who wants to know of which.
///
/// It lives as long as a watch does, and the next watch after that makes another.
final class WatchHub: Sendable {
    private struct Watch {
        let folder: Int32
        let name: [UInt8]
        let onChange: @Sendable () -> Void
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var next = 0
        /// How many watches are on each folder, by the kernel's number of it.
        var folders: [Int32: Int] = [:]
    }

    /// The hub of the process, while there is one; not kept alive by this.
    private struct Living { weak var hub: WatchHub? }

    private static let living = Mutex(Living())

    /// The kernel's queue, closed with the hub.
    private let queue: Int32
    // Made and cancelled once; Dispatch itself is safe from any thread.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    private let state = Mutex(State())

    /// The hub of this process.
    static func current(for path: String) throws(FileFailure) -> WatchHub {
        try living.withLock { living throws(FileFailure) in
            if let hub = living.hub { return hub }
            let queue = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            guard queue >= 0 else { throw FileFailure("inotify_init1", path) }
            let hub = WatchHub(queue)
            living.hub = hub
            return hub
        }
    }

    private init(_ queue: Int32) {
        self.queue = queue
        // A serial queue: one reader at a time, and each watch hears of its changes in order.
        let source = DispatchSource.makeReadSource(fileDescriptor: queue, queue: DispatchQueue(label: "latch.watch"))
        self.source = source
        source.setEventHandler { [weak self] in self?.deliver() }
        source.setCancelHandler { close(queue) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Begins to watch; the kernel gives the same number for the same folder each time.
    func add(_ path: String, _ onChange: @escaping @Sendable () -> Void) throws(FileFailure) -> Int {
        let name = Array((path.split(separator: "/").last ?? "").utf8)
        let events = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
        return try state.withLock { state throws(FileFailure) in
            let folder = inotify_add_watch(queue, AtomicFile(path).folder, events)
            guard folder >= 0 else { throw FileFailure("inotify_add_watch", path) }
            state.folders[folder, default: 0] += 1
            state.next += 1
            state.watches[state.next] = Watch(folder: folder, name: name, onChange: onChange)
            return state.next
        }
    }

    /// Ends a watch, and with the last one of a folder the kernel's.
    func remove(_ id: Int) {
        state.withLock { state in
            guard let watch = state.watches.removeValue(forKey: id), let count = state.folders[watch.folder] else {
                return
            }
            state.folders[watch.folder] = count > 1 ? count - 1 : nil
            if count == 1 { inotify_rm_watch(queue, watch.folder) }
        }
    }

    /// Empties the queue of events, and calls everybody whom one of them concerns.
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

    /// What happened to a file.
    private struct Event: Hashable {
        let folder: Int32
        let name: [UInt8]
        /// The queue was full, so something was missed: it may have been about any file.
        let isOverflow: Bool
    }

    /// The next events; nil where there are none.
    private func read() -> [Event]? {
        let size = 16_384
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        defer { buffer.deallocate() }
        let count = Glibc.read(queue, buffer.baseAddress, size)
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
