// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurlShim
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
    /// - Throws: `HTTPError.offline` if the process has no file descriptors left.
    init() throws(HTTPError) {
        epoll = latch_epoll_create()
        driverEvent = latch_eventfd_create(0)
        threadEvent = latch_eventfd_create(1)
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: driverEvent))
        guard epoll >= 0, driverEvent >= 0, threadEvent >= 0,
            epoll_ctl(epoll, EPOLL_CTL_ADD, driverEvent, &event) == 0
        else {
            close()
            throw .offline("This process cannot open more sockets.")
        }
    }

    /// Closes the descriptors; no event may be signalled afterwards, since the numbers may be reused.
    func close() {
        for descriptor in [epoll, driverEvent, threadEvent] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Interrupts the driver's wait; a signal before the wait ends it at once.
    func wakeDriver() { signal(driverEvent) }

    /// Wakes the loop's thread to drive, or to end.
    func wakeThread() { signal(threadEvent) }

    /// Resets the driver's event, which `epoll` would otherwise report again.
    func clearDriverEvent() { _ = drain(driverEvent) }

    /// Blocks until `wakeThread` is called.
    func waitForThreadEvent() {
        while !drain(threadEvent), errno == EINTR {}
    }

    private func signal(_ event: CInt) {
        var one: UInt64 = 1
        _ = write(event, &one, 8)
    }

    /// Resets an event and returns whether it was signalled; waits for a signal if the event blocks.
    private func drain(_ event: CInt) -> Bool {
        var count: UInt64 = 0
        return read(event, &count, 8) == 8
    }
}

/// Returns the nanoseconds of the monotonic clock.
func monotonicNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Starts a detached thread; returns false if the system refuses it.
///
/// The thread blocks all signals, which are for the program's own threads. `context` is passed to `body` unchanged; the
/// caller that retains something for it must release it if this returns false.
func startThread(
    _ context: UnsafeMutableRawPointer, _ body: @escaping @convention(c) (UnsafeMutableRawPointer) -> Void
) -> Bool {
    let job = UnsafeMutablePointer<ThreadJob>.allocate(capacity: 1)
    job.initialize(to: ThreadJob(context: context, body: body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { pointer in
            guard let pointer else { return nil }
            let job = pointer.assumingMemoryBound(to: ThreadJob.self).move()
            pointer.deallocate()
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            job.body(job.context)
            return nil
        }, job)
    guard code == 0 else {
        job.deallocate()
        return false
    }
    pthread_detach(thread)
    return true
}

/// The arguments of a new thread, which takes a single pointer.
private struct ThreadJob {
    let context: UnsafeMutableRawPointer
    let body: @convention(c) (UnsafeMutableRawPointer) -> Void
}
#endif
