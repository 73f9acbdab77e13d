// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A thread that waits for sockets and runs the tasks of their requests.
///
/// It is the task executor of the handlers. So a handler that does not suspend is called, and its response written, on
/// the same thread. Other threads call `enqueue`, `submit`, `take`, `drain`, `isCurrent` and `connectionCount`, which
/// access only the inbox and atomics. Everything else belongs to the thread, so the class may be `@unchecked Sendable`.
final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// The work that other threads pass to the loop.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var commands: [@Sendable () -> Void] = []
        /// Connections that another loop has accepted.
        var sockets: [AcceptedSocket] = []
        var takesSockets = true
        var isWakeupDue = false
        var isClosed = false
    }

    /// A connection that does not belong to a loop yet.
    struct AcceptedSocket {
        let descriptor: Int32
        let peer: PeerAddress
        let memory: MemoryBudget
    }

    /// The state of a loop that is shutting down.
    private struct Draining {
        /// The time at which open connections are closed, on the loop's clock.
        let deadline: UInt64
        /// Called once, on the loop's thread.
        let completion: @Sendable () -> Void
        /// Whether `completion` was called; the thread continues until no task needs it.
        var isComplete = false
    }

    let configuration: EngineConfiguration
    /// The descriptors that the loop waits for, and the wake-up that ends a wait when the inbox has an entry.
    private let poller: Poller
    /// The state that other threads access, together with `thread` and `openConnections`.
    private let inbox = Mutex(Inbox())
    /// The number of connections, including those that another loop has accepted for this one.
    private let openConnections = Atomic(0)
    /// The identifier of the loop's thread; 0 before it runs.
    private let thread = Atomic<UInt>(0)

    // From here on, only the loop's thread has access. For properties without exclusivity checks, one call reads or
    // changes the property and calls nothing that accesses it. The checks of a request would cost as much as its log.
    /// Jobs of handlers' tasks that are ready; jobs that become ready while they run wait for the next turn.
    private var jobs: [UnownedJob] = []
    /// Connections that yielded and can continue without waiting; some may have closed.
    private var resumable: [any ServedConnection] = []
    /// The time of the next check of deadlines.
    private var nextTick: UInt64 = 0
    /// The monotonic time of this turn in nanoseconds; read once per turn, since a turn is short.
    private(set) var now: UInt64 = 0
    /// The open connections by their tokens, which are never reused; a connection never moves to another loop.
    private var connections: [UInt64: any ServedConnection] = [:]
    private var lastToken: UInt64 = 0
    /// The state of the shutdown; nil until it begins.
    private var draining: Draining?
    /// Whether the listener is not watched because the process has no descriptor left.
    private var isAcceptingPaused = false
    /// The number of unfinished handler tasks; the thread outlives them, since they return to it.
    var runningTasks = 0
    /// The last received field lines: most clients of a server send the same names, and some the same values.
    @exclusivity(unchecked) var fieldCache = FieldCache()
    /// The value of the `Date` field.
    @exclusivity(unchecked) var dateClock = DateClock()
    /// The output memory for the connection that writes next; most connections send all of their output in one write.
    @exclusivity(unchecked) var spareOutput: [UInt8] = []
    /// The header section that is being sent over HTTP/2.
    @exclusivity(unchecked) var fieldBlock = HTTP2FieldBlock()
    /// The buffer that all connections read into, one after the other; bytes to keep are copied.
    let scratch = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 65536)

    /// A loop that does not run yet; nil if the system has no descriptors left.
    init?(_ configuration: EngineConfiguration) {
        self.configuration = configuration
        guard let poller = Poller() else {
            scratch.deallocate()
            return nil
        }
        self.poller = poller
        guard watchListeners() else { return nil }
    }

    deinit {
        poller.close()
        scratch.deallocate()
    }

    /// Whether the caller is on the loop's thread.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == LoopThread.current }

    /// Runs the loop on a separate thread, which keeps it alive until it has drained.
    func start() -> Bool { LoopThread.start(self) }

    /// Enqueues a job from any thread; on the loop's thread it needs no lock and no system call.
    ///
    /// Another thread retains the loop in the meantime. The job's task kept the loop alive. Once the job is in the
    /// inbox, that task, the connections and the server may all end before this thread has written the wake-up.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent { return jobs.append(job) }
        let retained = Unmanaged.passRetained(self)
        defer { retained.release() }
        let isAccepted = inbox.withLock { inbox in
            if !inbox.isClosed { inbox.jobs.append(job) }
            return !inbox.isClosed
        }
        // A handler that ignored its cancellation may outlive the server; its task still completes.
        if isAccepted { wake() } else { globalConcurrentExecutor.enqueue(job) }
    }

    /// Runs `command` on the loop's thread, unless the loop has ended.
    func submit(_ command: @escaping @Sendable () -> Void) {
        inbox.withLock { if !$0.isClosed { $0.commands.append(command) } }
        wake()
    }

    /// The maximum number of connections that are accepted in a turn, and that may wait for another loop.
    private static let maximumAccepted = 64

    /// The number of connections that the loop has or will have immediately.
    var connectionCount: Int { openConnections.load(ordering: .relaxed) }

    /// Takes a connection that another loop has accepted.
    ///
    /// It returns false if this loop takes no more connections, or if too many already wait for it.
    private func take(_ socket: AcceptedSocket) -> Bool {
        let isTaken = inbox.withLock { inbox in
            guard inbox.takesSockets, inbox.sockets.count < Self.maximumAccepted else { return false }
            inbox.sockets.append(socket)
            openConnections.add(1, ordering: .relaxed)
            return true
        }
        if isTaken { wake() }
        return isTaken
    }

    /// Wakes the loop once for any number of entries: only the first entry after a wake-up writes.
    private func wake() {
        let isDue = inbox.withLock { inbox in
            defer { inbox.isWakeupDue = true }
            return !inbox.isWakeupDue
        }
        if isDue { poller.wakeUp() }
    }
}

// MARK: - Turns

extension EventLoop {
    /// Schedules a connection that yields to others.
    func resumeLater(_ connection: any ServedConnection) { resumable.append(connection) }

    /// Runs until the loop has drained: events, new connections, jobs, connections that yielded, deadlines.
    ///
    /// Called once, by the loop's thread.
    func run() {
        thread.store(LoopThread.current, ordering: .relaxed)
        LoopThread.prepare()
        var events = Poller.Events()
        now = configuration.uptime()
        while !hasEnded() {
            let count = poller.wait(into: &events, milliseconds: timeout)
            now = configuration.uptime()
            var isAcceptDue = false
            for index in 0..<count { dispatch(events[index], &isAcceptDue) }
            // After the inbox: a stop that came before a connection is seen first, whatever the order of the events.
            if isAcceptDue, draining == nil { acceptConnections() }
            runJobs()
            for connection in takeResumable() { connection.advance() }
            if now >= nextTick {
                nextTick = now &+ configuration.tick
                checkDeadlines()
            }
            completeDrainIfEmpty()
        }
        // The system may give the identifier of an ended thread to a new one.
        thread.store(0, ordering: .relaxed)
    }

    /// The milliseconds to wait for events: 0 while there is work, -1 (no limit) without a deadline or key to replace.
    private var timeout: Int32 {
        guard jobs.isEmpty, resumable.isEmpty else { return 0 }
        guard !connections.isEmpty || draining != nil || isAcceptingPaused || configuration.memory.isReclaimDue else {
            // Ticket keys are also erased in time if no client connects.
            return configuration.tls == nil ? -1 : Int32(clamping: TLSContext.ticketLifetime * 1000 / 60)
        }
        return nextTick <= now ? 0 : Int32(clamping: (nextTick - now) / 1_000_000 + 1)
    }

    /// Passes an event to its receiver; if the connection closed in this turn, its token has no receiver.
    private func dispatch(_ event: PollerEvent, _ isAcceptDue: inout Bool) {
        switch event.token {
        case PollerEvent.wakeupToken: takeInbox()
        // The drain may begin in this turn; then the listener may be closed and its descriptor reused.
        case PollerEvent.listenerToken: isAcceptDue = true
        case let token: connections[token]?.handle(event.change)
        }
    }

    /// Takes all entries of the inbox, and lets the next one wake the loop again.
    private func takeInbox() {
        poller.acknowledgeWakeup()
        let (jobs, sockets, commands) = inbox.withLock { inbox in
            defer { (inbox.jobs, inbox.sockets, inbox.commands, inbox.isWakeupDue) = ([], [], [], false) }
            return (inbox.jobs, inbox.sockets, inbox.commands)
        }
        self.jobs.append(contentsOf: jobs)
        sockets.forEach(adopt)
        commands.forEach { $0() }
    }

    /// Runs the jobs of one batch, so that a task with endless work cannot block the sockets.
    private func runJobs() {
        guard !jobs.isEmpty else { return }
        let batch = jobs
        jobs = []
        for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Takes the connections that yielded; a connection that yields again waits for the next turn.
    private func takeResumable() -> [any ServedConnection] {
        defer { resumable = [] }
        return resumable
    }

    /// Closes the inbox if the loop has drained and no task needs it; returns whether it did.
    private func hasEnded() -> Bool {
        guard let draining, draining.isComplete, runningTasks == 0, jobs.isEmpty else { return false }
        return inbox.withLock { inbox in
            inbox.isClosed = inbox.jobs.isEmpty && inbox.commands.isEmpty
            return inbox.isClosed
        }
    }
}

// MARK: - Connections

extension EventLoop {
    /// Watches all listeners, or none.
    private func watchListeners() -> Bool {
        guard configuration.listeners.allSatisfy({ poller.watchListener($0.descriptor) }) else {
            unwatchListeners()
            return false
        }
        return true
    }

    private func unwatchListeners() {
        for listener in configuration.listeners { poller.unwatchListener(listener.descriptor) }
    }

    /// Accepts waiting connections of all listeners, a limited number at a time so that the open ones get their turn.
    private func acceptConnections() {
        for listener in configuration.listeners where !isAcceptingPaused {
            acceptConnections(from: listener, atMost: Self.maximumAccepted)
        }
    }

    /// Accepts waiting connections of a listener, each for the loop with the fewest connections.
    private func acceptConnections(from listener: ListeningSocket, atMost limit: Int) {
        for _ in 0..<limit {
            guard let (descriptor, peer) = listener.accept() else { return pauseWithoutDescriptor() }
            guard let memory = configuration.limiter.acquire(peer) else {
                ListeningSocket.refuse(descriptor, inPlainText: configuration.tls == nil)
                continue
            }
            let socket = AcceptedSocket(descriptor: descriptor, peer: peer, memory: memory)
            let loop = configuration.loops.leastBusy(for: self)
            guard loop === self || !loop.take(socket) else { continue }
            openConnections.add(1, ordering: .relaxed)
            adopt(socket)
        }
    }

    /// Begins to serve a connection that is already counted.
    private func adopt(_ socket: AcceptedSocket) {
        let session: TLSSession? = configuration.tls?.session(on: socket.descriptor, now: now)
        var stream = ByteStream(socket.descriptor, session: session)
        guard session != nil || configuration.tls == nil else {
            openConnections.subtract(1, ordering: .relaxed)
            stream.close()
            configuration.limiter.release(socket.peer)
            return
        }
        lastToken += 1
        let connection = Connection(stream, socket.peer, socket.memory, token: lastToken, loop: self)
        connections[lastToken] = connection
        if !poller.watch(socket.descriptor, token: lastToken) { connection.close() }
    }

    /// Stops watching a connection that is about to close its descriptor, and removes it.
    func remove(_ token: UInt64, descriptor: Int32) {
        poller.unwatch(descriptor)
        connections[token] = nil
        openConnections.subtract(1, ordering: .relaxed)
    }

    /// Replaces a connection by one of another protocol, which takes over its descriptor and token.
    func replace(_ connection: Connection, by next: HTTP2Connection, continuingWith bytes: [UInt8]) {
        connections[connection.token] = next
        // First, so that a server that stops still serves a request that has already arrived.
        next.adopt(bytes)
        if draining != nil { next.beginDraining() }
    }

    /// Pauses accepting when the process has no descriptor or memory left.
    ///
    /// A waiting connection would otherwise wake the loop continuously. The next tick tries again.
    private func pauseWithoutDescriptor() {
        guard ListeningSocket.isOutOfResources else { return }
        unwatchListeners()
        isAcceptingPaused = true
        if configuration.limiter.noteExhaustion(at: now) { configuration.onExhaustion?() }
    }

    /// Resumes accepting, or stays paused while the listeners cannot be watched.
    private func resumeAccepting() {
        guard isAcceptingPaused, draining == nil else { return }
        isAcceptingPaused = !watchListeners()
    }

    /// Ends connections and phases whose deadlines have passed.
    private func checkDeadlines() {
        resumeAccepting()
        configuration.memory.reclaim()
        configuration.tls?.rotateTicketKeys(now: now)
        connections.values.forEach { $0.checkDeadlines() }
        if let draining, draining.deadline <= now { connections.values.forEach { $0.close() } }
    }

    /// Begins to drain the loop.
    ///
    /// It accepts a last time and calls `accepted`; after that it touches no listener. It closes idle connections, and
    /// calls `completion` when none is left.
    func drain(
        until deadline: UInt64, accepted: @escaping @Sendable () -> Void, completion: @escaping @Sendable () -> Void
    ) {
        submit { [self] in
            // The system has completed the handshake of connections in the queue, so their clients expect a response.
            // At an inherited socket, the process that takes over responds to them.
            for listener in configuration.listeners where !listener.isInherited && !isAcceptingPaused {
                acceptConnections(from: listener, atMost: 4096)
            }
            unwatchListeners()
            configuration.loops.remove(self)
            // From here on a loop that accepts keeps the connections that it wanted to pass on.
            let sockets = inbox.withLock { inbox in
                defer { (inbox.sockets, inbox.takesSockets) = ([], false) }
                return inbox.sockets
            }
            sockets.forEach(adopt)
            draining = Draining(deadline: deadline, completion: completion)
            accepted()
            connections.values.forEach { $0.beginDraining() }
            checkDeadlines()
        }
    }

    /// Completes the drain at the end of a turn, together with the last connection and not with the next tick.
    ///
    /// The completion is recorded first, since `completion` may call back.
    private func completeDrainIfEmpty() {
        guard let draining, !draining.isComplete, connections.isEmpty else { return }
        self.draining?.isComplete = true
        draining.completion()
    }
}
