// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLatchCurl
import CLatchCurlShim
import Glibc
import LatchCore
import Synchronization

/// The event loop of one libcurl multi handle: one connection pool, with one driver at a time.
///
/// The driver is the loop's thread or, briefly, the thread of a caller that submits a request while the loop is idle
/// (`lead`). Handing a request to another thread costs more than a whole request to a nearby server. The driver is
/// chosen under the lock of `inbox`, which also passes the driver's state from one thread to the next.
final class CurlLoop: @unchecked Sendable {
    let transfers: CurlTransferPool
    let inbox: Mutex<CurlInbox>
    /// The libcurl multi handle; only the driver may use it.
    private let multi: UnsafeMutableRawPointer
    let wakeUps: WakeUpEvents

    // State that only the driver accesses.
    var sockets: SocketTable
    /// The time at which libcurl wants to be called, in nanoseconds of the monotonic clock; 0 is now, the maximum is
    /// never.
    private var deadline = UInt64.max
    /// Whether the last wait ended without an event, so that the clock has to be read.
    private var isTimeUp = true
    /// Whether a task was resumed since the last check, and may submit a request soon.
    private var hasResumed = false
    /// The number of transfers in the multi handle.
    private var active = 0
    private var arrivals: [CurlTransfer] = []
    private var cancellations: [CurlTransfer] = []
    private var resumptions: [CurlTransfer] = []
    /// The number of polls of the sockets.
    private(set) var polls: UInt64 = 0
    /// The transfers in progress that have an idle timeout.
    var idleTimed: [CurlTransfer] = []
    /// The transfers in progress that end at a set time.
    var limits = TransferLimits()
    /// The origins with a connection that was silent for the whole time of a request.
    var silence = SilentOrigins()
    /// The time of the last poll of the sockets, in nanoseconds of the monotonic clock.
    private var lastPoll: UInt64 = 0
    /// The transfers in progress for which libcurl may buffer data and lose it.
    private var bufferingTransfers: [CurlTransfer] = []
    /// The sockets that libcurl 7.88 stopped watching during this turn.
    private var unwatchedSockets: [CInt] = []
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 64)

    /// Whether libcurl knows after the handshake that a connection can be shared, as version 7 does.
    ///
    /// Version 8 learns it from the first response. A transfer that waits for it would wait for the first one's server.
    /// If the first one was canceled, it would wait forever, since the connection stays open without a response.
    static let sharesUnansweredConnections = curl_version_info(latch_curl_version).pointee.version_num < 0x080000

    /// Whether this is libcurl 7.88, which loses two facts about HTTP/2 without TLS.
    ///
    /// They are the greeting of a connection, and buffered bytes that the socket does not announce.
    static let losesBufferedData = (0x075800..<0x080000).contains(
        curl_version_info(latch_curl_version).pointee.version_num)

    /// Creates a loop and starts its thread; `stop` ends both.
    ///
    /// - Throws: `HTTPError.offline` if the process may have no more file descriptors or threads.
    static func start(configuration: CurlTransport.Configuration) throws(HTTPError) -> CurlLoop {
        let loop = try CurlLoop(configuration: configuration)
        let context = Unmanaged.passRetained(loop)
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            guard let context else { return nil }
            // Signals are for the program's threads.
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }
        var thread = pthread_t()
        guard pthread_create(&thread, nil, body, context.toOpaque()) == 0 else {
            context.release()
            loop.close()
            throw .offline("This process cannot start more threads.")
        }
        pthread_detach(thread)
        return loop
    }

    private init(configuration: CurlTransport.Configuration) throws(HTTPError) {
        guard Self.isCurlInitialized, let multi = curl_multi_init() else {
            throw DescriptorLimit.isReached
                ? .tooManyOpenFiles : CurlFailure.error(CURLE_FAILED_INIT, authority: "libcurl")
        }
        self.multi = multi
        do {
            wakeUps = try WakeUpEvents()
        } catch {
            curl_multi_cleanup(multi)
            throw error
        }
        transfers = CurlTransferPool(configuration: configuration)
        inbox = Mutex(CurlInbox())
        sockets = SocketTable(epoll: wakeUps.epoll)
        let hostConnections = configuration.maximumConnectionsPerHost
        latch_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, hostConnections)
        latch_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(256, hostConnections))
        let context = Unmanaged.passUnretained(self).toOpaque()
        latch_curl_multi_set_pointer(
            multi, CURLMOPT_SOCKETFUNCTION, unsafeBitCast(Self.onSocket, to: UnsafeRawPointer.self))
        latch_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        latch_curl_multi_set_pointer(
            multi, CURLMOPT_TIMERFUNCTION, unsafeBitCast(Self.onTimer, to: UnsafeRawPointer.self))
        latch_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
    }

    /// The event descriptors close with their last owner, since their numbers may then be reused.
    deinit {
        events.deallocate()
        wakeUps.close()
    }

    /// The result of the one global initialization: `curl_global_init` is not thread-safe, but a static constant is.
    private static let isCurlInitialized: Bool = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return false }
        // See `StreamReport`.
        latch_curl_trace("http/2")
        return true
    }()

    /// Ends the loop when no transfer is in progress; nothing may be submitted after this.
    func stop() {
        if inbox.withLock({ $0.stop() }) { wakeUps.wakeThread() }
    }

    /// Closes libcurl's connections; called last on the loop's thread.
    private func close() { curl_multi_cleanup(multi) }
}

// MARK: The calling thread as driver

extension CurlLoop {
    /// The time in nanoseconds for which a calling thread may be the driver; there is at most one at a time.
    private static let leadWindow: UInt64 = 300_000

    /// The result of a transfer on the calling thread.
    enum LeadResult { case finished, finishedAndYieldIsDue, unfinished }

    /// Drives `transfer` on this thread if the driver's role is free.
    ///
    /// If it is unfinished, the caller must call `submit`, which moves it to the loop's thread.
    func lead(_ transfer: CurlTransfer) -> LeadResult {
        guard !isOnForeignExecutor, inbox.withLock({ $0.beginLeading() }) else { return .unfinished }
        let now = monotonicNow()
        checkIdleConnections(now)
        add(transfer)
        let limit = now + Self.leadWindow
        repeat { advance() } while transfer.isUnderWay && wait(until: limit)
        guard !transfer.isUnderWay else {
            inbox.withLock { $0.misses += 1 }
            return .unfinished
        }
        let (isDone, isYieldDue) = inbox.withLock { ($0.endLeading(isIdle: active == 0), $0.countLed()) }
        if !isDone { wakeUps.wakeThread() }
        return isYieldDue ? .finishedAndYieldIsDue : .finished
    }

    /// Whether the task has its own executor, such as a server's loop, whose thread must not be blocked.
    private var isOnForeignExecutor: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
    }

    /// Submits `transfer` to the driver, which resumes `waiter` when the transfer has ended.
    func submit(_ transfer: CurlTransfer, resuming waiter: UnsafeContinuation<Void, Never>?) {
        if transfer.isUnderWay {
            transfer.waiter = waiter
            inbox.withLock { $0.handOver() }
            return wakeUps.wakeThread()
        }
        switch inbox.withLock({ $0.accept(transfer, waiter: waiter) }) {
        case .cancelled:
            transfer.conclude()
            waiter?.resume()
        case .wakeDriver: wakeUps.wakeDriver()
        case .wakeThread: wakeUps.wakeThread()
        case .none: break
        }
    }

    /// Resumes a paused `transfer` after its stream has made progress.
    func wake(_ transfer: CurlTransfer) {
        guard inbox.withLock({ $0.wake(transfer) }) else { return }
        wakeUps.wakeDriver()
    }

    /// Aborts `transfer`, whether it has been submitted already or is about to be.
    func cancel(_ transfer: CurlTransfer) {
        guard inbox.withLock({ $0.cancel(transfer) }) else { return }
        wakeUps.wakeDriver()
    }
}

// MARK: The loop's own thread

extension CurlLoop {
    /// The body of the thread, which sleeps while a caller is the driver or the loop is idle.
    private func run() {
        repeat {
            rest()
            drive()
        } while !inbox.withLock({ $0.isFinished })
        close()
    }

    /// Drives until no transfer is in progress, then releases the handle for the next caller that leads.
    private func drive() {
        guard inbox.withLock({ $0.driver == .loop }) else { return }
        checkIdleConnections(monotonicNow())
        while true {
            advance()
            // The resumed tasks usually submit the next request: running them first saves a sleep and a wake-up per
            // batch (64 tasks, four pairs of runs: 0.79 to 1.18 of bare libcurl's rate instead of 0.68 to 1.00).
            if hasResumed {
                hasResumed = false
                sched_yield()
                advance()
            }
            if active == 0, inbox.withLock({ $0.becomeIdle() }) { return }
            _ = wait(until: .max)
        }
    }
}

// MARK: Driving

extension CurlLoop {
    /// Processes the inbox, the timers that are due, and the finished transfers.
    private func advance() {
        processInbox()
        while deadline == 0 || (isTimeUp && deadline != .max && deadline <= monotonicNow()) {
            deadline = .max
            act(on: CURL_SOCKET_TIMEOUT, 0)
        }
        if !bufferingTransfers.isEmpty { readBufferedData() }
        if Self.losesBufferedData, !idleTimed.isEmpty { finishLostResponses() }
        finishCompletedTransfers()
        if !unwatchedSockets.isEmpty { finishUnwatchedTransfers() }
        if !idleTimed.isEmpty || limits.isDue(lastPoll) { finishStalledTransfers() }
    }

    /// Ends the transfers that libcurl has completed.
    private func finishCompletedTransfers() {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let pointer = latch_curl_private(easy)
            else { continue }
            finish(CurlTransfer.of(pointer), message.pointee.data.result)
        }
    }

    /// Swaps the inbox with empty arrays that keep their capacity, so that the lock is held briefly.
    private func processInbox() {
        inbox.withLock { inbox in
            inbox.isDriverAsleep = false
            swap(&arrivals, &inbox.arrivals)
            swap(&cancellations, &inbox.cancellations)
            swap(&resumptions, &inbox.resumptions)
        }
        if !arrivals.isEmpty { checkIdleConnections(monotonicNow()) }
        for transfer in arrivals { add(transfer) }
        for transfer in cancellations where transfer.isUnderWay {
            // libcurl would end the message, so that a part is sent as if complete, and wait two minutes for the reply.
            // It does neither on a connection that is only to be opened.
            if transfer.mail != nil { _ = latch_curl_set_long(transfer.easy, CURLOPT_CONNECT_ONLY, 1) }
            finish(transfer, CURLE_ABORTED_BY_CALLBACK)
        }
        arrivals.removeAll(keepingCapacity: true)
        cancellations.removeAll(keepingCapacity: true)
        guard !resumptions.isEmpty else { return }
        for transfer in resumptions where transfer.isUnderWay { resume(transfer) }
        resumptions.removeAll(keepingCapacity: true)
    }

    /// Resumes a paused transfer; if its stream has failed, the transfer ends.
    private func resume(_ transfer: CurlTransfer) {
        guard transfer.upload?.failure == nil else { return finish(transfer, CURLE_ABORTED_BY_CALLBACK) }
        transfer.lastMove = monotonicNow()
        let code = curl_easy_pause(transfer.easy, transfer.pauses)
        // If the connection is gone, the transfer has ended, and libcurl's message queue will report it.
        if code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT { finish(transfer, code) }
    }

    /// Waits for sockets, a wake-up or the next timer, and lets libcurl act; returns false once `limit` is past.
    private func wait(until limit: UInt64) -> Bool {
        let now = monotonicNow()
        guard now < limit else { return false }
        var end = min(limit, deadline, limits.next)
        for transfer in idleTimed { end = min(end, transfer.expiry ?? .max) }
        sockets.push()
        guard inbox.withLock({ $0.fallAsleep() }) else { return true }
        poll(for: end == .max ? -1 : end > now ? Int64(end - now) : 0, since: now)
        return true
    }

    /// Polls the sockets for some nanoseconds, or until an event if the number is negative, and lets libcurl act.
    private func poll(for timeout: Int64, since now: UInt64) {
        let count = latch_epoll_wait(wakeUps.epoll, events.baseAddress, CInt(events.count), timeout)
        isTimeUp = count == 0 || timeout == 0
        if count >= 0 { polls += 1 }
        lastPoll = timeout == 0 ? now : monotonicNow()
        guard count > 0 else { return }
        for event in events[..<Int(count)] {
            let descriptor = event.data.fd
            if descriptor == wakeUps.driverEvent {
                wakeUps.clearDriverEvent()
            } else if let meaning = sockets.meaning(of: event.events, on: descriptor) {
                act(on: descriptor, meaning)
            } else if idleTimed.contains(where: { $0.mayUse(descriptor) }) {
                finishDisconnectedTransfers(on: descriptor)
            } else {
                sockets.endIdle(descriptor)
            }
        }
    }

    /// Ends idle connections that the server has closed or sent data on, before a request may use them.
    ///
    /// Decision: libcurl 7.88 takes such data for the response to its next request. A connection that was just checked
    /// is not checked again, which saves a system call for requests in quick succession.
    private func checkIdleConnections(_ now: UInt64) {
        guard now > lastPoll + Self.pollLifetime else { return }
        poll(for: 0, since: now)
    }

    /// The time in nanoseconds for which a poll of the idle connections counts.
    private static let pollLifetime: UInt64 = 1_000_000

    /// Lets libcurl process a socket or its timers; finished transfers are in its message queue.
    private func act(on socket: curl_socket_t, _ what: CInt) {
        var running: CInt = 0
        curl_multi_socket_action(multi, socket, what, &running)
    }

    /// Adds a transfer to libcurl, and retains it for libcurl's pointers.
    private func add(_ transfer: CurlTransfer) {
        transfer.isUnderWay = true
        active += 1
        let now = monotonicNow()
        if !silence.isEmpty { avoidSilentConnections(transfer, now) }
        transfer.began = now
        if transfer.hasIdleTimeout {
            transfer.lastMove = now
            idleTimed.append(transfer)
        }
        if transfer.timeLimit > 0 { limits.add(transfer, now: now) }
        if Self.losesBufferedData, transfer.assumesHTTP2 { bufferingTransfers.append(transfer) }
        _ = Unmanaged.passRetained(transfer)
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            return finish(transfer, CURLE_FAILED_INIT)
        }
    }

    /// Removes a transfer from libcurl and resumes its waiter; a leading caller has none.
    ///
    /// After the resumption the transfer belongs to its task again and is not accessed here.
    func finish(_ transfer: CurlTransfer, _ outcome: CURLcode) {
        if outcome == CURLE_OK, transfer.isEncrypted, transfer.head.starts(with: ResponseHead.firstProtocolName) {
            sockets.speaksHTTP1(latch_curl_new_socket(transfer.easy))
        }
        if outcome == CURLE_OPERATION_TIMEDOUT, transfer.wasUnanswered {
            silence.add(transfer.authority, now: monotonicNow())
        }
        if transfer.timeLimit > 0 { limits.remove(transfer) }
        curl_multi_remove_handle(multi, transfer.easy)
        transfer.isUnderWay = false
        transfer.outcome = outcome
        if Self.losesBufferedData { transfer.restoreHead() }
        active -= 1
        let waiter = transfer.waiter
        transfer.waiter = nil
        Unmanaged.passUnretained(transfer).release()
        if !bufferingTransfers.isEmpty { bufferingTransfers.removeAll { $0 === transfer } }
        if transfer.hasIdleTimeout {
            idleTimed.removeAll { $0 === transfer }
            // Called last: the reader of a stream may return the transfer to the pool immediately, and its next user
            // then sets another waiter.
            transfer.conclude()
        }
        guard let waiter else { return }
        hasResumed = true
        waiter.resume()
    }
}

// MARK: Callbacks of libcurl

extension CurlLoop {
    static func of(_ pointer: UnsafeMutableRawPointer) -> CurlLoop {
        Unmanaged<CurlLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Called by libcurl to announce the events that it waits for.
    ///
    /// All four callbacks run on the driver's thread, inside a call of `act`.
    private static let onSocket: curl_socket_callback = { easy, socket, what, context, _ in
        guard let context else { return 0 }
        let loop = CurlLoop.of(context)
        loop.sockets.want(what, of: socket)
        // Before that, libcurl waits until the socket can be written to.
        if what == CURL_POLL_IN, let easy, let pointer = latch_curl_private(easy) {
            CurlTransfer.of(pointer).isConnected = true
        }
        guard !(loop.idleTimed.isEmpty && loop.bufferingTransfers.isEmpty), let easy,
            let pointer = latch_curl_private(easy)
        else { return 0 }
        let transfer = CurlTransfer.of(pointer)
        transfer.socket = socket
        let isWatched = what != CURL_POLL_REMOVE && what != CURL_POLL_NONE
        if transfer.waitsForSource(reading: isWatched, socket) { loop.sockets.awaitEnd(of: socket) }
        if losesBufferedData, !isWatched { loop.unwatchedSockets.append(socket) }
        return 0
    }

    /// Called by libcurl to set its single timer; each call replaces the last one, and −1 removes it.
    private static let onTimer: curl_multi_timer_callback = { _, milliseconds, context in
        guard let context else { return 0 }
        let due: UInt64 = milliseconds > 0 ? monotonicNow() + UInt64(milliseconds) * 1_000_000 : 0
        CurlLoop.of(context).deadline = milliseconds < 0 ? .max : due
        return 0
    }
}

// Workarounds for HTTP/2 in libcurl 7.88.
extension CurlLoop {
    /// Ends the transfers whose response libcurl has lost; they would wait for the source of their request content.
    private func finishLostResponses() {
        for transfer in idleTimed where transfer.hasLostHead {
            // Another transfer on the connection may have read the head, which libcurl is then about to deliver.
            if let socket = transfer.socket { act(on: socket, CURL_CSELECT_IN) }
            if transfer.isUnderWay, transfer.hasLostHead { finish(transfer, CURLE_HTTP2_STREAM) }
        }
    }

    /// Ends the transfers whose stream the server closed while libcurl waits for the source of the request content.
    ///
    /// Unless the reader has paused it, libcurl stops reading an HTTP/2 stream only at its end. If another transfer
    /// shares the connection, libcurl still watches the socket, so the end is noticed only after that transfer.
    private func finishUnwatchedTransfers() {
        for transfer in idleTimed where transfer.isUnderWay && transfer.waitsAfterHead {
            guard let socket = transfer.socket, unwatchedSockets.contains(socket), !sockets.isWanted(socket) else {
                continue
            }
            finish(transfer, CURLE_HTTP2_STREAM)
        }
        unwatchedSockets.removeAll(keepingCapacity: true)
    }

    /// Lets libcurl read again after it has read something, since it may buffer data that no event announces.
    private func readBufferedData() {
        for transfer in bufferingTransfers {
            // A response that arrives before the request is written may be buffered completely, but not read.
            var isDue = transfer.upload != nil
            while isDue || transfer.arrived > transfer.noticed {
                isDue = false
                transfer.noticed = transfer.arrived
                guard let socket = transfer.socket else { break }
                act(on: socket, CURL_CSELECT_IN)
            }
        }
    }
}
#endif
