// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CEpoll
import Glibc
import LatchCore
import Synchronization

/// A thread that waits for sockets and runs the tasks of their requests.
///
/// It is the task executor of the handlers, so a handler that need not wait is asked and answered without leaving
/// the thread. Everything but `enqueue`, `submit` and `drain` belongs to the thread: that is why it may be
/// `@unchecked Sendable`.
final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// What other threads leave for the loop, behind one lock.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var commands: [@Sendable () -> Void] = []
        var isWakeupDue = false
        var isClosed = false
    }

    /// What the loop's connections are served by; never changed.
    let terms: Terms
    /// Level-triggered for the listener and the wake-up, edge-triggered for connections.
    private let epoll: Int32
    /// An eventfd that ends a wait when the inbox has something.
    private let wakeup: Int32
    /// The only state that other threads touch, with `thread`.
    private let inbox = Mutex(Inbox())
    /// The loop's thread, for `isCurrent`; 0 before it runs.
    private let thread = Atomic<UInt>(0)

    // Of the thread alone, from here on.
    /// Jobs of handlers' tasks that are ready; those that become ready meanwhile wait for the next turn.
    private var jobs: [UnownedJob] = []
    /// Connections that gave up their turn and can go on without waiting; some may have closed.
    private var resumable: [Connection] = []
    /// When deadlines are looked at again.
    private var nextTick: UInt64 = 0
    /// The monotonic time in nanoseconds of this turn; read once a turn, since a turn is short.
    private(set) var now: UInt64 = 0
    /// The loop's own; no connection ever moves to another loop.
    var connections = ConnectionTable()
    /// Set once the server stops, and never taken back.
    var draining: Draining?
    /// Whether the listener is not watched because the process has no descriptor left.
    var isAcceptingPaused = false
    /// Handlers' tasks that have not ended; the thread outlives them, since they come back to it.
    var runningTasks = 0
    /// How many bytes the contents have that arrive or are being answered.
    var heldContent = 0
    /// Shared by the loop's connections: most clients of a server send the same names.
    var names = FieldNameCache()
    /// For the `Date` of each response.
    var dateClock = DateClock()
    /// Where all connections read into, one after the other; what is kept is copied out.
    let scratch = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 65536)

    /// A loop that does not run yet; nil when the system gives no descriptors.
    init?(_ terms: Terms) {
        self.terms = terms
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeup = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard epoll >= 0, wakeup >= 0, watch(wakeup, Self.wakeupToken, EPOLLIN.rawValue), watchListener() else {
            return nil
        }
    }

    deinit {
        close(epoll)
        close(wakeup)
        scratch.deallocate()
    }

    /// Beyond all tokens of the table.
    static let wakeupToken = UInt64.max
    /// Beyond all tokens of the table.
    static let listenerToken = UInt64.max - 1

    /// Nanoseconds that no change of the date moves; where no test has brought its own, deadlines are made of nothing
    /// else.
    @Sendable static func monotonicNow() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Whether the caller is on the loop's thread.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs the loop on a thread of its own, which keeps it alive until it has drained.
    func start() -> Bool {
        let retained = Unmanaged.passRetained(self)
        var id = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            guard let argument else { return nil }
            let loop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
            loop.run()
            return nil
        }
        guard pthread_create(&id, nil, body, retained.toOpaque()) == 0 else {
            retained.release()
            return false
        }
        pthread_detach(id)
        return true
    }

    /// Takes a job from any thread; on the loop's own it costs neither lock nor system call.
    ///
    /// Another thread holds the loop meanwhile. It was the job's task that kept it alive, and once the job is in the inbox,
    /// that task, the connections and the server may all end before this thread has rung.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent { return jobs.append(job) }
        let held = Unmanaged.passRetained(self)
        defer { held.release() }
        let isTaken = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.jobs.append(job) }
            return !inbox.isClosed
        }
        // Who outlives the server (a task of a handler that ignored its cancellation) still gets to its end.
        if isTaken { wake() } else { globalConcurrentExecutor.enqueue(job) }
    }

    /// Runs `command` on the loop's thread, soon; never once the loop has ended.
    func submit(_ command: @escaping @Sendable () -> Void) {
        inbox.withLock { $0.commands.append(command) }
        wake()
    }

    /// Wakes the loop once for any number of entries: only the first after a wake-up writes.
    private func wake() {
        let isDue = inbox.withLock { inbox in
            defer { inbox.isWakeupDue = true }
            return !inbox.isWakeupDue
        }
        guard isDue else { return }
        var one: UInt64 = 1
        _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
    }
}

extension EventLoop {
    /// Waits for what happens on a socket, reported with `token`.
    func watch(_ descriptor: Int32, _ token: UInt64, _ events: UInt32) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(u64: token))
        return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    /// Takes in connections from now on; of several loops the kernel wakes one for each.
    func watchListener() -> Bool {
        watch(terms.listener.descriptor, Self.listenerToken, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue)
    }

    /// Reports nothing of a descriptor any more; one that is not watched is no error.
    func unwatch(_ descriptor: Int32) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Lets other connections have their turn before this one goes on.
    func resumeLater(_ connection: Connection) { resumable.append(connection) }

    /// Turns until the loop has drained: events, then jobs, then who gave up a turn, then deadlines.
    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        prepareThread()
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        now = terms.uptime()
        while !hasEnded() {
            let count = epoll_wait(epoll, &events, Int32(events.count), timeout)
            now = terms.uptime()
            for event in events.prefix(Int(max(0, count))) { dispatch(event) }
            runJobs()
            for connection in takeResumable() { connection.advance() }
            if now >= nextTick {
                nextTick = now &+ terms.tick
                lookAtDeadlines()
            }
            completeDrainIfEmpty()
        }
        // The system gives a thread's id to another one as soon as this one has gone.
        thread.store(0, ordering: .relaxed)
    }

    /// No signal of the process is taken on this thread, and none is raised by writing to a closed socket.
    private func prepareThread() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        pthread_setname_np(pthread_self(), "latch-server")
    }

    /// Milliseconds, as epoll wants them: none while there is work, for ever while nothing can fall due.
    private var timeout: Int32 {
        guard jobs.isEmpty, resumable.isEmpty else { return 0 }
        guard !connections.isEmpty || draining != nil || isAcceptingPaused else { return -1 }
        return nextTick <= now ? 0 : Int32(clamping: (nextTick - now) / 1_000_000 + 1)
    }

    /// A token of a connection that has closed in this very turn finds nobody.
    private func dispatch(_ event: epoll_event) {
        switch event.data.u64 {
        case Self.wakeupToken: takeInbox()
        // Reported before the drain that began in this very turn, the listener may be closed by now, and its number another's.
        case Self.listenerToken where draining == nil: acceptConnections()
        case Self.listenerToken: break
        case let token: connections[token]?.handle(event.events)
        }
    }

    /// Takes everything at once, and lets the next entry wake the loop again.
    private func takeInbox() {
        var count: UInt64 = 0
        _ = read(wakeup, &count, MemoryLayout<UInt64>.size)
        let (jobs, commands) = inbox.withLock { inbox in
            defer { (inbox.jobs, inbox.commands, inbox.isWakeupDue) = ([], [], false) }
            return (inbox.jobs, inbox.commands)
        }
        self.jobs.append(contentsOf: jobs)
        commands.forEach { $0() }
    }

    /// Runs a batch, so that a task that always has more to do cannot keep the sockets waiting.
    private func runJobs() {
        guard !jobs.isEmpty else { return }
        let batch = jobs
        jobs = []
        for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Those of the turn before; who gives up its turn again waits for the next.
    private func takeResumable() -> [Connection] {
        defer { resumable = [] }
        return resumable
    }

    /// Whether the loop has drained and no task needs it any more; then nothing is taken in any longer.
    private func hasEnded() -> Bool {
        guard let draining, draining.isComplete, runningTasks == 0, jobs.isEmpty else { return false }
        return inbox.withLock { inbox in
            inbox.isClosed = inbox.jobs.isEmpty && inbox.commands.isEmpty
            return inbox.isClosed
        }
    }
}

#endif
