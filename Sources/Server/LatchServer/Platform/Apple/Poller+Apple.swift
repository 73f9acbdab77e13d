// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import Darwin

/// The sockets that a loop waits for, and a wake-up that other threads trigger: a kqueue (kqueue(2)).
///
/// Connections are watched with `EV_CLEAR`: a change is reported once, and again after the next change. The listener is
/// reported as long as a connection waits. `wakeUp()` may be called on any thread, all other methods only on the loop's
/// thread.
struct Poller {
    /// The kqueue, which child processes do not inherit.
    private let queue: Int32

    /// A poller that watches only its wake-up; nil if the system has no descriptors left.
    init?() {
        queue = kqueue()
        guard queue >= 0 else { return nil }
        guard apply([Self.change(0, EVFILT_USER, EV_ADD | EV_CLEAR, PollerEvent.wakeupToken)]) else {
            close()
            return nil
        }
    }

    /// Closes the descriptor; the poller must not be used after this.
    func close() { _ = Darwin.close(queue) }

    /// Watches a connection, whose events are reported with `token`; returns false if the system refuses.
    func watch(_ descriptor: Int32, token: UInt64) -> Bool {
        // In this order: libkqueue reports no end of the peer if a second filter is added after that for reading.
        apply([EVFILT_WRITE, EVFILT_READ].map { Self.change(descriptor, $0, EV_ADD | EV_CLEAR, token) })
    }

    /// Watches a listener; all loops wake up for a connection, and one of them accepts it.
    func watchListener(_ descriptor: Int32) -> Bool {
        apply([Self.change(descriptor, EVFILT_READ, EV_ADD, PollerEvent.listenerToken)])
    }

    /// Stops watching a listener, if it is watched.
    func unwatchListener(_ descriptor: Int32) {
        _ = apply([Self.change(descriptor, EVFILT_READ, EV_DELETE, PollerEvent.listenerToken)])
    }

    /// Stops watching a connection, before its descriptor is closed.
    func unwatch(_ descriptor: Int32) {
        for filter in [EVFILT_READ, EVFILT_WRITE] { _ = apply([Self.change(descriptor, filter, EV_DELETE, 0)]) }
    }

    private func apply(_ changes: [kevent]) -> Bool {
        kevent(queue, changes, Int32(changes.count), nil, 0, nil) >= 0
    }

    private static func change(_ identifier: Int32, _ filter: Int32, _ flags: Int32, _ token: UInt64) -> kevent {
        kevent(
            ident: UInt(identifier), filter: Int16(filter), flags: UInt16(flags), fflags: 0, data: 0,
            udata: UnsafeMutableRawPointer(bitPattern: UInt(truncatingIfNeeded: token)))
    }

    /// Waits for events.
    ///
    /// - Parameter milliseconds: The maximum time to wait; -1 waits without limit.
    /// - Returns: The number of events at the front of `events`; 0 after the time has passed or a signal has
    ///   interrupted.
    func wait(into events: inout Events, milliseconds: Int32) -> Int {
        let room = Int32(events.storage.count)
        guard milliseconds >= 0 else { return Int(max(0, kevent(queue, nil, 0, &events.storage, room, nil))) }
        var limit = timespec(tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
        return Int(max(0, kevent(queue, nil, 0, &events.storage, room, &limit)))
    }

    /// Ends the current or the next wait of the loop's thread.
    func wakeUp() {
        var trigger = Self.change(0, EVFILT_USER, 0, PollerEvent.wakeupToken)
        trigger.fflags = UInt32(NOTE_TRIGGER)
        _ = apply([trigger])
    }

    /// Does nothing: `EV_CLEAR` has reset the wake-up when its event was reported.
    func acknowledgeWakeup() {}
}

extension Poller {
    /// The memory for the events of one wait.
    struct Events {
        fileprivate var storage: [kevent] = Array(repeating: kevent(), count: 256)

        /// Returns an event of the last wait.
        subscript(index: Int) -> PollerEvent {
            let event = storage[index]
            return PollerEvent(
                token: UInt64(truncatingIfNeeded: Int(bitPattern: event.udata)), change: SocketChange(event))
        }
    }
}

extension SocketChange {
    /// A read returns bytes or the end.
    static var readable: Self { Self(bits: 1) }
    /// The socket accepts bytes again.
    static var writable: Self { Self(bits: 2) }
    /// The peer sends no more data.
    static var ended: Self { Self(bits: 4) }
    /// The connection has ended in both directions.
    static var broken: Self { Self(bits: 8) }

    /// The changes that an event of one of the two filters of a socket reports.
    ///
    /// The end of writing does not concern the peer: the server ends it while it lingers. An error of the socket, such
    /// as a reset, is reported with the end and in `fflags`.
    fileprivate init(_ event: kevent) {
        let isAtEnd = event.flags & UInt16(EV_EOF) != 0
        let broken = isAtEnd && event.fflags != 0 ? Self.broken.bits : 0
        guard event.filter == Int16(EVFILT_READ) else {
            bits = Self.writable.bits | broken
            return
        }
        bits = Self.readable.bits | (isAtEnd ? Self.ended.bits : 0) | broken
    }
}

#endif
