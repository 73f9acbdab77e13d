// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurlShim
import Glibc

/// The file descriptors of a loop: its epoll, the bell that interrupts whoever drives, the bell that calls the thread.
struct LoopBells: Sendable {
    let epoll: CInt
    let driverBell: CInt
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

    func close() {
        for descriptor in [epoll, driverBell, threadBell] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    func ringDriver() { ring(driverBell) }

    func ringThread() { ring(threadBell) }

    func silence() { _ = drain(driverBell) }

    /// Blocks until `ringThread`.
    func waitForThreadBell() {
        while !drain(threadBell), errno == EINTR {}
    }

    private func ring(_ bell: CInt) {
        var one: UInt64 = 1
        _ = write(bell, &one, 8)
    }

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

/// Starts a detached thread that takes no signals; returns false when the system refuses it.
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

private struct ThreadJob {
    let context: UnsafeMutableRawPointer
    let body: @convention(c) (UnsafeMutableRawPointer) -> Void
}
#endif
