// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim
import Synchronization

/// The transfers that end at a set time, in no order.
///
/// Decision: libcurl 7.88 has no time limit for a transfer that waits for a connection. No version has one for a
/// stream.
struct TransferLimits {
    private var transfers: [CurlTransfer] = []
    /// The earliest of the times, in nanoseconds of the monotonic clock; it may belong to a transfer that has ended.
    private(set) var next = UInt64.max

    /// The time in nanoseconds in which libcurl has to notice itself that a limit has passed.
    private static let grace: UInt64 = 5_000_000

    /// Adds a transfer that begins now.
    mutating func add(_ transfer: CurlTransfer, now: UInt64) {
        transfer.end = now + transfer.timeLimit + Self.grace
        transfer.place = transfers.count
        transfers.append(transfer)
        next = min(next, transfer.end)
    }

    /// Removes a transfer; the last one takes its place.
    mutating func remove(_ transfer: CurlTransfer) {
        guard transfers.indices.contains(transfer.place), transfers[transfer.place] === transfer,
            let last = transfers.popLast(), last !== transfer
        else { return }
        (transfers[transfer.place], last.place) = (last, transfer.place)
    }

    /// Whether one of the transfers fulfills a condition.
    func contains(where condition: (CurlTransfer) -> Bool) -> Bool { transfers.contains(where: condition) }

    /// Whether one of the times has passed.
    func isDue(_ now: UInt64) -> Bool { next <= now }

    /// Returns the transfers whose time has passed; they remain until they are removed.
    mutating func due(_ now: UInt64) -> [CurlTransfer] {
        next = transfers.reduce(.max) { min($0, $1.end) }
        return next > now ? [] : transfers.filter { $0.end <= now }
    }
}

/// The origins with a silent pooled connection, and the time when the silence was found.
///
/// A connection is silent if nothing arrived on it during the whole time of a request.
///
/// Decision: a change of the network or a sleep ends a connection without notice. Then libcurl would use it for each
/// further request, which would wait until its limit. It would use an HTTP/2 connection forever.
struct SilentOrigins {
    private var times: [String: UInt64] = [:]

    /// The time in nanoseconds after which the kernel has ended such a connection.
    private static let lifetime: UInt64 = 600_000_000_000

    /// Whether the list is empty, as it usually is.
    var isEmpty: Bool { times.isEmpty }

    /// Adds an origin whose connection is now silent.
    mutating func add(_ authority: String, now: UInt64) { times[authority] = now }

    /// Returns the time when an origin's connection was found to be silent; nil if never, or too long ago.
    mutating func time(of authority: String, now: UInt64) -> UInt64? {
        guard let time = times[authority] else { return nil }
        guard now > time + Self.lifetime else { return time }
        times[authority] = nil
        return nil
    }
}

extension CurlTransfer {
    /// Whether the transfer may use a socket that libcurl does not watch, so that the connection is not idle.
    ///
    /// libcurl announces the socket of a reused connection only after the previous transfer has left it. A request that
    /// has begun without an announced socket may be on any socket.
    func mayUse(_ other: CInt) -> Bool {
        socket == other || unreadSocket == other || socket == nil && bytesBeforeRequest != nil
    }

    /// Whether the request was sent on a connection that was open before, and nothing came in response.
    var wasUnanswered: Bool { arrived == 0 && hasSent && latch_curl_reuses_connection(easy) != 0 }

    /// Limits the connections that libcurl may use: none older than some seconds, or only a new one; 0 and false for
    /// any.
    func avoidConnections(olderThan seconds: Int, isFresh: Bool) {
        avoidsConnections = seconds > 0
        _ = latch_curl_set_long(easy, CURLOPT_MAXLIFETIME_CONN, seconds)
        _ = latch_curl_set_long(easy, CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
    }
}

extension CurlLoop {
    /// Keeps a transfer away from connections that are older than the silence of one of them.
    ///
    /// libcurl closes such connections if no transfer uses them. While an older transfer may still use one, the new
    /// transfer opens a connection. It also does so in the first second, since libcurl measures age in whole seconds.
    func avoidSilentConnections(_ transfer: CurlTransfer, _ now: UInt64) {
        guard let time = silence.time(of: transfer.authority, now: now) else { return }
        let seconds = Int((now - time) / 1_000_000_000)
        func isOlder(_ other: CurlTransfer) -> Bool { other.began < time && other.authority == transfer.authority }
        let isFresh = seconds == 0 || limits.contains(where: isOlder) || idleTimed.contains(where: isOlder)
        transfer.avoidConnections(olderThan: max(1, seconds), isFresh: isFresh)
    }

    /// Ends the transfers whose idle timeout has expired, or whose time is over.
    ///
    /// When a stopped process continues, it finds an expired time and received bytes together. The bytes count: a
    /// transfer ends only after a poll of the sockets that followed the end of its time and brought no bytes.
    func finishStalledTransfers() {
        let now = monotonicNow()
        for transfer in idleTimed {
            transfer.noticeSending(now)
            guard let expiry = transfer.expiry, expiry <= now else {
                if transfer.end > now { transfer.overduePoll = nil }
                continue
            }
            finishIfPolled(transfer)
        }
        if limits.isDue(now) { for transfer in limits.due(now) where transfer.isUnderWay { finishIfPolled(transfer) } }
    }

    private func finishIfPolled(_ transfer: CurlTransfer) {
        let poll = transfer.overduePoll ?? polls
        transfer.overduePoll = poll
        if poll < polls { finish(transfer, CURLE_OPERATION_TIMEDOUT) }
    }

    /// Ends the transfers whose peer closed the connection while libcurl waits for the source of the request content.
    ///
    /// libcurl would notice the end only when it sends the next chunk, which may be much later.
    func finishDisconnectedTransfers(on socket: CInt) {
        for transfer in idleTimed where transfer.unreadSocket == socket { finish(transfer, CURLE_SEND_ERROR) }
    }
}

// The thread while it is not the driver.
extension CurlLoop {
    /// The time after which the thread begins to watch the idle connections.
    ///
    /// Before that, a caller may be the driver, and each of its responses would wake the thread.
    private static let quietMilliseconds: CInt = 1000

    /// Sleeps until there is work, or something happens on an idle connection.
    func rest() {
        while !wakeUps.waitForThreadEvent(milliseconds: Self.quietMilliseconds) {
            switch wakeUps.waitForThreadOrSocketEvent() {
            case .thread: return wakeUps.waitForThreadEvent()
            case .socket: if inbox.withLock({ $0.takeOver() }) { return }
            }
        }
    }
}
#endif
