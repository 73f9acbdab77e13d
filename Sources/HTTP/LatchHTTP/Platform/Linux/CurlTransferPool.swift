// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import LatchCore
import Synchronization

/// Transfers that wait to be used again: a handle keeps its TLS sessions and spares some twenty settings.
final class CurlTransferPool: Sendable {
    /// How many handles are kept, each with some 10 kB of its own; more than that are seldom busy at once.
    private static let maximumIdle = 128

    private let idle = Mutex<[CurlTransfer]>([])
    private let configuration: CurlTransport.Configuration
    /// The loop's address for libcurl's callbacks; the loop owns this pool and outlives its transfers.
    private let loop: Mutex<UnsafeSendable<UnsafeMutableRawPointer?>>

    /// A pool whose handles all follow `configuration`; it is used once a loop is attached.
    init(configuration: CurlTransport.Configuration) {
        self.configuration = configuration
        loop = Mutex(UnsafeSendable(value: nil))
    }

    /// Tells the pool its loop, which cannot be known when the loop is still being made.
    func attach(to loop: CurlLoop) {
        let pointer = UnsafeSendable<UnsafeMutableRawPointer?>(value: Unmanaged.passUnretained(loop).toOpaque())
        self.loop.withLock { $0 = pointer }
    }

    /// A transfer for one request: the one used last, whose memory is still warm, or a new one.
    ///
    /// - Throws: `HTTPError.offline` when libcurl has no memory, `HTTPError.tls` for authorities that it cannot read.
    func take() throws(HTTPError) -> CurlTransfer {
        if let transfer = idle.withLock({ $0.popLast() }) { return transfer }
        guard let easy = curl_easy_init() else {
            throw CurlFailure.error(CURLE_OUT_OF_MEMORY, authority: "libcurl")
        }
        let limits = CurlLimits(
            collected: configuration.maximumResponseBytes, streamed: configuration.maximumStreamedBytes)
        let transfer = CurlTransfer(
            easy: easy, limits: limits, tls: configuration.tls.isPerHost ? configuration.tls : nil)
        let code = configure(transfer)
        guard code == CURLE_OK else { throw CurlFailure.error(code, authority: "libcurl") }
        return transfer
    }

    /// Keeps a transfer for later, unless it was cancelled: word of that may still be on its way to the loop, and must
    /// not hit the next request.
    func giveBack(_ transfer: CurlTransfer) {
        guard !transfer.isCancelled else { return }
        // What streamed holds files and tasks of somebody.
        (transfer.upload, transfer.answer) = (nil, nil)
        idle.withLock { transfers in
            guard transfers.count < Self.maximumIdle else { return }
            transfers.append(transfer)
        }
    }

    /// The settings that never change from one request to the next.
    private func configure(_ transfer: CurlTransfer) -> CURLcode {
        var habits = latch_curl_habits()
        habits.transfer = transfer.pointer
        habits.on_head = CurlTransfer.onHead
        habits.on_body = CurlTransfer.onContent
        habits.on_upload = CurlTransfer.onUpload
        habits.on_rewind = CurlTransfer.onRewind
        habits.complaint = transfer.complaint
        habits.codings = latch_curl_codings()
        habits.loop = loop.withLock { $0 }.value
        transfer.loop = habits.loop
        habits.on_open = CurlLoop.onOpen
        habits.on_close = CurlLoop.onClose
        habits.connect_timeout_ms = configuration.connectTimeout.wholeMilliseconds
        habits.continue_timeout_ms = configuration.continueTimeout.wholeMilliseconds
        habits.requires_tls13 = configuration.tls.minimumVersion == .tls13 ? 1 : 0
        guard let authorities = configuration.certificateAuthorityFile else {
            return latch_curl_configure(transfer.easy, &habits)
        }
        return authorities.withCString { path in
            habits.authorities = path
            return latch_curl_configure(transfer.easy, &habits)
        }
    }
}

/// A value that is handed between threads with care that the compiler cannot see.
struct UnsafeSendable<Value>: @unchecked Sendable {
    let value: Value
}
#endif
