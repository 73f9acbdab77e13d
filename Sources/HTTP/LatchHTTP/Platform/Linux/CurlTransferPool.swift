// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim
import LatchCore
import Synchronization

/// A pool of idle transfers, whose handles keep their TLS sessions and some twenty settings.
final class CurlTransferPool: Sendable {
    /// The maximum number of idle handles, of some 10 kB each; more are seldom busy at once.
    private static let maximumIdle = 128

    private let idle = Mutex<[CurlTransfer]>([])
    private let configuration: CurlTransport.Configuration
    /// A pointer to the loop for libcurl's callbacks; the loop owns this pool and outlives its transfers.
    private let loop: Mutex<UnsafeSendable<UnsafeMutableRawPointer?>>

    /// Creates a pool with a configuration; a loop must be attached before it is used.
    init(configuration: CurlTransport.Configuration) {
        self.configuration = configuration
        loop = Mutex(UnsafeSendable(value: nil))
    }

    /// Sets the loop, which does not exist yet when the pool is created.
    func attach(to loop: CurlLoop) {
        let pointer = UnsafeSendable<UnsafeMutableRawPointer?>(value: Unmanaged.passUnretained(loop).toOpaque())
        self.loop.withLock { $0 = pointer }
    }

    /// Returns a transfer for one request: the one used last, whose memory is still cached, or a new one.
    ///
    /// - Throws: `HTTPError.offline` if libcurl has no memory, `HTTPError.tls` for unreadable certificate authorities.
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

    /// Returns a transfer to the pool, unless it was cancelled: the cancellation may still be on its way to the loop,
    /// and must not reach the next request.
    func giveBack(_ transfer: CurlTransfer) {
        guard !transfer.isCancelled else { return }
        // Streams may hold the caller's files and tasks.
        (transfer.upload, transfer.responseBuffer) = (nil, nil)
        idle.withLock { transfers in
            guard transfers.count < Self.maximumIdle else { return }
            transfers.append(transfer)
        }
    }

    /// Applies the settings that never change from one request to the next.
    private func configure(_ transfer: CurlTransfer) -> CURLcode {
        var options = latch_curl_options()
        options.transfer = transfer.pointer
        options.on_head = CurlTransfer.onHead
        options.on_body = CurlTransfer.onContent
        options.on_upload = CurlTransfer.onUpload
        options.on_rewind = CurlTransfer.onRewind
        options.error_buffer = transfer.errorBuffer
        options.codings = latch_curl_codings()
        options.loop = loop.withLock { $0 }.value
        transfer.loop = options.loop
        options.on_open = CurlLoop.onOpen
        options.on_close = CurlLoop.onClose
        options.connect_timeout_ms = configuration.connectTimeout.wholeMilliseconds
        options.continue_timeout_ms = configuration.continueTimeout.wholeMilliseconds
        options.requires_tls13 = configuration.tls.minimumVersion == .tls13 ? 1 : 0
        guard let authorities = configuration.certificateAuthorityFile else {
            return latch_curl_configure(transfer.easy, &options)
        }
        return authorities.withCString { path in
            options.authorities = path
            return latch_curl_configure(transfer.easy, &options)
        }
    }
}

/// A value whose safe transfer between threads the compiler cannot verify.
struct UnsafeSendable<Value>: @unchecked Sendable {
    let value: Value
}
#endif
