// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import Glibc
import LatchCore
import Synchronization

/// Drives one libcurl multi handle: one connection pool, one driver at a time.
///
/// The driver is either the loop's own thread or, for a moment, a thread that brings a request while nothing is under
/// way (`lead`): a hand-off between threads costs more than a whole request to a near server. Who drives is decided
/// under the lock of `inbox`, which also carries what the driver touches from one thread to the next.
final class CurlLoop: @unchecked Sendable {
    let transfers: CurlTransferPool
    let inbox: Mutex<CurlInbox>
    /// libcurl's multi handle; whoever drives may use it, and nobody else.
    private let multi: UnsafeMutableRawPointer
    private let bells: LoopBells

    // Only the driver touches these.
    private var sockets: SocketTable
    /// When libcurl wants to be called next, in nanoseconds of the monotonic clock; 0 is at once, the maximum is never.
    private var deadline = UInt64.max
    /// Whether the last wait ended without an event, so that it is worth asking the clock.
    private var isTimeUp = true
    /// Whether a task was resumed since it was last asked, and may bring a request any moment.
    private var hasResumed = false
    /// How many transfers the multi handle holds.
    private var active = 0
    private var arrivals: [CurlTransfer] = []
    private var cancellations: [CurlTransfer] = []
    private var wakings: [CurlTransfer] = []
    /// Those under way whose pace has a limit.
    private(set) var paced: [CurlTransfer] = []
    /// Those under way of which libcurl may hold bytes and forget them.
    var forgotten: [CurlTransfer] = []
    private let isForgetful = latch_curl_forgets() != 0
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 64)

    /// A loop with its thread; `stop` ends both.
    ///
    /// - Throws: `HTTPError.offline` when the process may have no more file descriptors or threads.
    static func start(configuration: CurlTransport.Configuration) throws(HTTPError) -> CurlLoop {
        let loop = try CurlLoop(configuration: configuration)
        let context = Unmanaged.passRetained(loop)
        let isStarted = startThread(context.toOpaque()) { pointer in
            Unmanaged<CurlLoop>.fromOpaque(pointer).takeRetainedValue().run()
        }
        guard !isStarted else { return loop }
        context.release()
        loop.close()
        throw .offline("This process cannot start more threads.")
    }

    private init(configuration: CurlTransport.Configuration) throws(HTTPError) {
        guard Self.isCurlReady, let multi = curl_multi_init() else {
            throw CurlFailure.error(CURLE_FAILED_INIT, authority: "libcurl")
        }
        self.multi = multi
        do {
            bells = try LoopBells()
        } catch {
            curl_multi_cleanup(multi)
            throw error
        }
        transfers = CurlTransferPool(configuration: configuration)
        inbox = Mutex(CurlInbox())
        sockets = SocketTable(epoll: bells.epoll)
        transfers.attach(to: self)
        let hostConnections = configuration.maximumConnectionsPerHost
        latch_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, hostConnections)
        latch_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(256, hostConnections))
        latch_curl_multi_observe(multi, Self.onSocket, Self.onTimer, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The bells go with the last who could ring them: their numbers may be other files' from then on.
    deinit {
        events.deallocate()
        bells.close()
    }

    /// Set up once for the process: `curl_global_init` is not safe to call twice at a time, a static constant is.
    private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Ends the loop once nothing is under way; nothing may be submitted any more.
    func stop() {
        if inbox.withLock({ $0.stop() }) { bells.ringThread() }
    }

    /// Closes libcurl's connections; the last thing that the loop's thread does.
    private func close() { curl_multi_cleanup(multi) }
}

// MARK: The calling thread as driver

extension CurlLoop {
    /// How long a calling thread may be kept; at most one is at a time.
    private static let leadWindow: UInt64 = 300_000

    /// Drives `transfer` on this thread if nobody else drives, and returns whether it is finished.
    ///
    /// When it is not, `submit` has to follow: it hands the transfer, and the driving, to the loop's thread.
    func lead(_ transfer: CurlTransfer) -> Bool {
        guard !isOnForeignExecutor, inbox.withLock({ $0.beginLeading() }) else { return false }
        add(transfer)
        let limit = monotonicNow() + Self.leadWindow
        repeat { advance() } while transfer.isUnderWay && wait(until: limit)
        guard !transfer.isUnderWay else {
            inbox.withLock { $0.misses += 1 }
            return false
        }
        let idle = active == 0
        if !inbox.withLock({ $0.endLeading(isIdle: idle) }) { bells.ringThread() }
        return true
    }

    /// A task with an executor of its own, such as a server's loop, is not kept waiting on that executor's thread.
    private var isOnForeignExecutor: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
    }

    /// Gives `transfer` to the driver, who resumes `waiter` when it has ended.
    func submit(_ transfer: CurlTransfer, resuming waiter: UnsafeContinuation<Void, Never>?) {
        if transfer.isUnderWay {
            transfer.waiter = waiter
            inbox.withLock { $0.handOver() }
            return bells.ringThread()
        }
        switch inbox.withLock({ $0.accept(transfer, waiter: waiter) }) {
        case .refused:
            transfer.conclude()
            waiter?.resume()
        case .ringDriver: bells.ringDriver()
        case .ringThread: bells.ringThread()
        case .nothing: break
        }
    }

    /// Lets libcurl go on with `transfer`, whose stream has.
    func wake(_ transfer: CurlTransfer) {
        guard inbox.withLock({ $0.wake(transfer) }) else { return }
        bells.ringDriver()
    }

    /// Aborts `transfer`, whether it has been submitted already or is about to be.
    func cancel(_ transfer: CurlTransfer) {
        guard inbox.withLock({ $0.cancel(transfer) }) else { return }
        bells.ringDriver()
    }
}

// MARK: The loop's own thread

extension CurlLoop {
    /// The life of the thread: it sleeps in `read` while callers drive or nothing is under way.
    private func run() {
        repeat {
            bells.waitForThreadBell()
            drive()
        } while !inbox.withLock({ $0.isOver })
        close()
    }

    /// Drives until nothing is under way, then gives the handle free for the next caller to lead.
    private func drive() {
        guard inbox.withLock({ $0.driver == .loop }) else { return }
        while true {
            advance()
            // The tasks that were just resumed usually bring the next request: letting them run first spares a sleep and
            // a wake-up for each batch (64 tasks, four pairs of runs: 0.79 to 1.18 of bare libcurl's rate, not 0.68 to 1.00).
            if hasResumed {
                hasResumed = false
                sched_yield()
                advance()
            }
            if active == 0, inbox.withLock({ $0.rest() }) { return }
            _ = wait(until: .max)
        }
    }
}

// MARK: What a driver does

extension CurlLoop {
    /// Takes in what has come, runs the timers that are due, and hands out what has ended.
    private func advance() {
        takeIn()
        if !paced.isEmpty { endWhatStands() }
        while deadline == 0 || (isTimeUp && deadline != .max && deadline <= monotonicNow()) {
            deadline = .max
            act(on: CURL_SOCKET_TIMEOUT, 0)
        }
        if !forgotten.isEmpty { readOn() }
        if isForgetful, !paced.isEmpty { endWhatIsLost() }
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let pointer = latch_curl_private(easy)
            else { continue }
            finish(CurlTransfer.of(pointer), message.pointee.data.result)
        }
    }

    /// Swaps the inbox for empty arrays that keep their memory, so that the lock is held for moments.
    private func takeIn() {
        inbox.withLock { inbox in
            inbox.isDriverAsleep = false
            swap(&arrivals, &inbox.arrivals)
            swap(&cancellations, &inbox.cancellations)
            swap(&wakings, &inbox.wakings)
        }
        for transfer in arrivals { add(transfer) }
        for transfer in cancellations where transfer.isUnderWay { finish(transfer, CURLE_ABORTED_BY_CALLBACK) }
        arrivals.removeAll(keepingCapacity: true)
        cancellations.removeAll(keepingCapacity: true)
        guard !wakings.isEmpty else { return }
        for transfer in wakings where transfer.isUnderWay { goOn(transfer) }
        wakings.removeAll(keepingCapacity: true)
    }

    /// Lets libcurl ask its stream again; where that has failed, there is nothing to ask for.
    private func goOn(_ transfer: CurlTransfer) {
        guard transfer.upload?.failure == nil else { return finish(transfer, CURLE_ABORTED_BY_CALLBACK) }
        transfer.lastMove = monotonicNow()
        let code = curl_easy_pause(transfer.easy, transfer.pauses)
        // Without a connection any more it has come to its end, of which libcurl's queue is about to tell.
        if code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT { finish(transfer, code) }
    }

    /// Ends the streams on which the peer has let nothing move for too long.
    private func endWhatStands() {
        let now = monotonicNow()
        for transfer in paced {
            if let expiry = transfer.expiry, expiry <= now { finish(transfer, CURLE_OPERATION_TIMEDOUT) }
        }
    }

    /// Ends the streams whose peer has gone while libcurl waits for the source of the request's content.
    ///
    /// libcurl would find out with the next piece that nobody takes it, however long that is in coming.
    private func endWhatIsLeft(on socket: CInt) {
        for transfer in paced where transfer.unreadSocket == socket { finish(transfer, CURLE_SEND_ERROR) }
    }

    /// Waits for sockets, for a bell, or for the next timer, and lets libcurl act; returns false once `limit` is past.
    private func wait(until limit: UInt64) -> Bool {
        let now = monotonicNow()
        guard now < limit else { return false }
        var end = min(limit, deadline)
        for transfer in paced { end = min(end, transfer.expiry ?? .max) }
        sockets.push()
        guard inbox.withLock({ $0.fallAsleep() }) else { return true }
        let patience = end == .max ? -1 : end > now ? Int64(end - now) : 0
        let count = latch_epoll_wait(bells.epoll, events.baseAddress, CInt(events.count), patience)
        isTimeUp = count == 0 || patience == 0
        guard count > 0 else { return true }
        for event in events[..<Int(count)] {
            if event.data.fd == bells.driverBell {
                bells.silence()
            } else if let meaning = sockets.meaning(of: event.events, on: event.data.fd) {
                act(on: event.data.fd, meaning)
            } else if !paced.isEmpty {
                endWhatIsLeft(on: event.data.fd)
            }
        }
        return true
    }

    /// Lets libcurl work on a socket, or on its timers; what has ended waits in its queue of messages.
    func act(on socket: curl_socket_t, _ what: CInt) {
        var running: CInt = 0
        curl_multi_socket_action(multi, socket, what, &running)
    }

    /// Gives a transfer to libcurl, and keeps it alive for the pointers that libcurl holds to it.
    private func add(_ transfer: CurlTransfer) {
        transfer.isUnderWay = true
        active += 1
        if transfer.isPaced {
            transfer.lastMove = monotonicNow()
            paced.append(transfer)
        }
        if isForgetful, transfer.assumesHTTP2 { forgotten.append(transfer) }
        _ = Unmanaged.passRetained(transfer)
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            return finish(transfer, CURLE_FAILED_INIT)
        }
    }

    /// Takes a transfer back from libcurl and resumes its waiter; a leader has none, it looks for itself.
    ///
    /// After the resumption the transfer belongs to its task again and is not touched here.
    func finish(_ transfer: CurlTransfer, _ outcome: CURLcode) {
        curl_multi_remove_handle(multi, transfer.easy)
        transfer.isUnderWay = false
        transfer.outcome = outcome
        if isForgetful { transfer.mendHead() }
        active -= 1
        let waiter = transfer.waiter
        transfer.waiter = nil
        Unmanaged.passUnretained(transfer).release()
        if !forgotten.isEmpty { forgotten.removeAll { $0 === transfer } }
        if transfer.isPaced {
            paced.removeAll { $0 === transfer }
            // Last of all: the reader of a stream may give the transfer back at once, and whoever takes it then puts a
            // waiter of its own there.
            transfer.conclude()
        }
        guard let waiter else { return }
        hasResumed = true
        waiter.resume()
    }
}

// MARK: What libcurl calls

extension CurlLoop {
    private static func of(_ pointer: UnsafeMutableRawPointer) -> CurlLoop {
        Unmanaged<CurlLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// libcurl says which events it waits for.
    ///
    /// All four callbacks run on the driver's thread, inside a call of `act`.
    private static let onSocket: curl_socket_callback = { easy, socket, what, context, _ in
        guard let context else { return 0 }
        let loop = CurlLoop.of(context)
        loop.sockets.want(what, of: socket)
        if !loop.paced.isEmpty, let easy, let transfer = latch_curl_private(easy),
            CurlTransfer.of(transfer).waitsForSource(
                reading: what != CURL_POLL_REMOVE && what != CURL_POLL_NONE, socket)
        {
            loop.sockets.awaitEnd(of: socket)
        }
        return 0
    }

    /// libcurl has one timer: each call replaces the last, and −1 takes it away.
    private static let onTimer: curl_multi_timer_callback = { _, milliseconds, context in
        guard let context else { return 0 }
        let due: UInt64 = milliseconds > 0 ? monotonicNow() + UInt64(milliseconds) * 1_000_000 : 0
        CurlLoop.of(context).deadline = milliseconds < 0 ? .max : due
        return 0
    }

    /// Opens sockets for libcurl, so that `sockets` knows each from its beginning to its end.
    static let onOpen: curl_opensocket_callback = { context, _, address in
        let socket = latch_curl_open_socket(address)
        guard let context, let pointer = CurlTransfer.of(context).loop else { return socket }
        let loop = CurlLoop.of(pointer)
        loop.sockets.opened(socket)
        if loop.isForgetful, CurlTransfer.of(context).wantsHTTP2 { loop.sockets.cork(socket) }
        return socket
    }

    /// Closes a socket and forgets it: the kernel gives its number to the next one.
    static let onClose: curl_closesocket_callback = { context, socket in
        if let context { CurlLoop.of(context).sockets.closed(socket) }
        return Glibc.close(socket)
    }
}
#endif
