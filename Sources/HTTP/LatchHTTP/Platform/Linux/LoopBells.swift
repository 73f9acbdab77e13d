// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurlShim
import Glibc

/// The file descriptors of a loop: its epoll, the bell that interrupts whoever drives, the bell that calls the thread.
struct LoopBells: Sendable {
    /// What the driver waits on: libcurl's sockets and the driver's bell.
    let epoll: CInt
    /// An eventfd that does not block, watched by `epoll`.
    let driverBell: CInt
    /// An eventfd that blocks: the thread sleeps in reading it.
    private let threadBell: CInt

    /// - Throws: `HTTPError.offline` when the process has no file descriptors left.
    init() throws(HTTPError) {
        epoll = latch_epoll_create()
        driverBell = latch_bell_create(0)
        threadBell = latch_bell_create(1)
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: driverBell))
        guard epoll >= 0, driverBell >= 0, threadBell >= 0,
            epoll_ctl(epoll, EPOLL_CTL_ADD, driverBell, &event) == 0
        else {
            close()
            throw .offline("This process cannot open more sockets.")
        }
    }

    /// Gives the descriptors back; a bell must not be rung afterwards, since its number may be another file's.
    func close() {
        for descriptor in [epoll, driverBell, threadBell] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Interrupts the driver's wait; rung before it waits, it is heard as soon as it does.
    func ringDriver() { ring(driverBell) }

    /// Wakes the loop's thread to drive, or to end.
    func ringThread() { ring(threadBell) }

    /// Takes back all rings so far, which `epoll` would otherwise report for ever.
    func silence() { _ = drain(driverBell) }

    /// Blocks until `ringThread`.
    func waitForThreadBell() {
        while !drain(threadBell), errno == EINTR {}
    }

    private func ring(_ bell: CInt) {
        var one: UInt64 = 1
        _ = write(bell, &one, 8)
    }

    /// Whether there was a ring; where a bell blocks, waits for one.
    private func drain(_ bell: CInt) -> Bool {
        var count: UInt64 = 0
        return read(bell, &count, 8) == 8
    }
}

/// Nanoseconds of a clock that no one sets.
func monotonicNow() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Starts a detached thread; returns false when the system refuses it.
///
/// It takes no signals, which are for the program's own threads. `context` is handed to `body` as it is, so whoever
/// retains something for it releases it where this returns false.
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

/// What a new thread finds at the one pointer that it is given.
private struct ThreadJob {
    let context: UnsafeMutableRawPointer
    let body: @convention(c) (UnsafeMutableRawPointer) -> Void
}
#endif
