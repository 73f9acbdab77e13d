// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchEpoll
import Glibc

/// The sockets that a loop waits for, and a wake-up that other threads trigger: an epoll instance and an eventfd.
///
/// Connections are edge-triggered: a change is reported once, and again after the socket was emptied or filled. The
/// listener is level-triggered. `wakeUp()` may be called on any thread, all other methods only on the loop's thread.
struct Poller {
    /// The epoll instance.
    private let epoll: Int32
    /// An eventfd that ends a wait.
    private let wakeup: Int32

    /// A poller that watches only its wake-up; nil if the system has no descriptors left.
    init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeup = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard epoll >= 0, wakeup >= 0, add(wakeup, PollerEvent.wakeupToken, EPOLLIN.rawValue) else {
            close()
            return nil
        }
    }

    /// Closes the descriptors; the poller must not be used after this.
    func close() {
        if epoll >= 0 { Glibc.close(epoll) }
        if wakeup >= 0 { Glibc.close(wakeup) }
    }

    /// Watches a connection, whose events are reported with `token`; returns false if the system refuses.
    func watch(_ descriptor: Int32, token: UInt64) -> Bool {
        add(descriptor, token, EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue)
    }

    /// Watches a listener; the kernel wakes one of the loops for each connection.
    func watchListener(_ descriptor: Int32) -> Bool {
        add(descriptor, PollerEvent.listenerToken, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue)
    }

    /// Stops watching a listener, if it is watched.
    func unwatchListener(_ descriptor: Int32) { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }

    /// Does nothing: epoll forgets a descriptor when it is closed.
    func unwatch(_ descriptor: Int32) {}

    private func add(_ descriptor: Int32, _ token: UInt64, _ events: UInt32) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(u64: token))
        return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    /// Waits for events.
    ///
    /// - Parameter milliseconds: The maximum time to wait; -1 waits without limit.
    /// - Returns: The number of events at the front of `events`; 0 after the time has passed or a signal has
    ///   interrupted.
    func wait(into events: inout Events, milliseconds: Int32) -> Int {
        Int(max(0, epoll_wait(epoll, &events.storage, Int32(events.storage.count), milliseconds)))
    }

    /// Ends the current or the next wait of the loop's thread.
    func wakeUp() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
    }

    /// Lets the next `wakeUp()` end a wait again; called for each event of the wake-up.
    func acknowledgeWakeup() {
        var count: UInt64 = 0
        _ = read(wakeup, &count, MemoryLayout<UInt64>.size)
    }
}

extension Poller {
    /// The memory for the events of one wait.
    struct Events {
        fileprivate var storage = [epoll_event](repeating: epoll_event(), count: 256)

        /// Returns an event of the last wait.
        subscript(index: Int) -> PollerEvent {
            PollerEvent(token: storage[index].data.u64, change: SocketChange(bits: storage[index].events))
        }
    }
}

/// The bits are those of epoll_ctl(2), so that no event is converted.
extension SocketChange {
    /// A read returns bytes or the end.
    static var readable: Self { Self(bits: EPOLLIN.rawValue | ended.bits) }
    /// The socket accepts bytes again.
    static var writable: Self { Self(bits: EPOLLOUT.rawValue) }
    /// The peer sends no more data.
    static var ended: Self { Self(bits: EPOLLRDHUP.rawValue | broken.bits) }
    /// The connection has ended in both directions.
    static var broken: Self { Self(bits: EPOLLHUP.rawValue | EPOLLERR.rawValue) }
}

#endif
