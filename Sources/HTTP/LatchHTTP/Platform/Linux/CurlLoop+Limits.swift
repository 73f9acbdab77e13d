// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import Synchronization

/// The transfers that end at a set time, in no order.
///
/// Decision: libcurl 7.88 has no time limit for a transfer that waits for a connection, and no version has one for a stream.
struct TransferLimits {
    private var transfers: [CurlTransfer] = []
    /// The earliest of the times, in nanoseconds of the monotonic clock; that of a transfer that has ended may remain.
    private(set) var next = UInt64.max

    /// The time in nanoseconds that libcurl has to notice by itself that a limit has passed.
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

    /// Whether one of the times has come.
    func isDue(_ now: UInt64) -> Bool { next <= now }

    /// Returns the transfers whose time has come, which remain until they are removed.
    mutating func due(_ now: UInt64) -> [CurlTransfer] {
        next = transfers.reduce(.max) { min($0, $1.end) }
        return next > now ? [] : transfers.filter { $0.end <= now }
    }
}

extension CurlLoop {
    /// Ends the transfers whose idle timeout has expired, or whose time is over.
    ///
    /// A process that was stopped finds the end of the time and the bytes of the peer at once. The bytes count: a transfer
    /// ends only after a poll of the sockets that followed the end of its time, and brought it nothing.
    func finishStalledTransfers() {
        let now = monotonicNow()
        for transfer in idleTimed {
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

    /// Ends the transfers whose peer has closed the connection while libcurl waits for the source of the request
    /// content.
    ///
    /// libcurl would only notice when it sends the next chunk, however late that is.
    func finishDisconnectedTransfers(on socket: CInt) {
        for transfer in idleTimed where transfer.unreadSocket == socket { finish(transfer, CURLE_SEND_ERROR) }
    }
}

// The thread while it does not drive.
extension CurlLoop {
    /// The time after which the thread begins to watch the idle connections.
    ///
    /// Before that, a caller may drive, and each of its responses would wake the thread.
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
