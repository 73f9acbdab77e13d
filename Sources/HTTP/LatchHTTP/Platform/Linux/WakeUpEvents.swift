// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurlShim
import Glibc

/// The file descriptors of a loop: an epoll instance, and two wake-up events for the driver and for the thread.
struct WakeUpEvents: Sendable {
    /// The epoll instance that the driver waits on: libcurl's sockets and the driver's event.
    let epoll: CInt
    /// A non-blocking eventfd, watched by `epoll`.
    let driverEvent: CInt
    /// A blocking eventfd, which the thread sleeps on.
    private let threadEvent: CInt

    /// Creates the descriptors.
    ///
    /// - Throws: `HTTPError.tooManyOpenFiles` if the process has no file descriptors left.
    init() throws(HTTPError) {
        errno = 0
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        driverEvent = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        threadEvent = eventfd(0, CInt(EFD_CLOEXEC))
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: driverEvent))
        guard epoll >= 0, driverEvent >= 0, threadEvent >= 0,
            epoll_ctl(epoll, EPOLL_CTL_ADD, driverEvent, &event) == 0
        else {
            let isLimited = DescriptorLimit.isReached(errno)
            close()
            throw isLimited ? .tooManyOpenFiles : .offline("This process cannot wait for sockets.")
        }
    }

    /// Closes the descriptors; no event may be signaled after this, since the numbers may be reused.
    func close() {
        for descriptor in [epoll, driverEvent, threadEvent] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Interrupts the driver's wait; a signal before the wait ends it immediately.
    func wakeDriver() { eventfd_write(driverEvent, 1) }

    /// Wakes the loop's thread to drive, or to end.
    func wakeThread() { eventfd_write(threadEvent, 1) }

    /// Resets the driver's event, which `epoll` would otherwise report again.
    func clearDriverEvent() { _ = drain(driverEvent) }

    /// Blocks until `wakeThread` is called.
    func waitForThreadEvent() {
        while !drain(threadEvent), errno == EINTR {}
    }

    /// Waits for `wakeThread`, and returns whether it was called in time.
    func waitForThreadEvent(milliseconds: CInt) -> Bool {
        var event = pollfd(fd: threadEvent, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, milliseconds) > 0 else { return false }
        return drain(threadEvent)
    }

    /// The event that ended a wait of the loop's thread.
    enum Reason { case thread, socket }

    /// Waits for `wakeThread`, or for an event of `epoll`, which is not consumed.
    func waitForThreadOrSocketEvent() -> Reason {
        var descriptors = [threadEvent, epoll].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&descriptors, 2, -1) < 0, errno == EINTR {}
        return descriptors[0].revents != 0 ? .thread : .socket
    }

    /// Resets an event and returns whether it was signaled; waits for a signal if the event blocks.
    private func drain(_ event: CInt) -> Bool {
        var count: eventfd_t = 0
        return eventfd_read(event, &count) == 0
    }
}

/// Returns the nanoseconds of the monotonic clock.
func monotonicNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
#endif
