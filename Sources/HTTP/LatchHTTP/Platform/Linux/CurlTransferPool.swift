// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim
import LatchCore
import Synchronization

/// A pool of idle transfers, whose handles keep their TLS sessions and some twenty settings.
final class CurlTransferPool: Sendable {
    /// The maximum number of idle handles, each with some 10 kB; more are seldom busy at the same time.
    private static let maximumIdle = 128

    /// Whether a handle may be used for a second response.
    ///
    /// From 7.83 to 8.1 libcurl keeps a pointer to the last field of the previous response, which it has freed. It
    /// writes there if the first field line of the next response is folded, so any server could corrupt the program's
    /// memory.
    static let reusesHandles = !(0x075300..<0x080200).contains(
        curl_version_info(latch_curl_version).pointee.version_num)

    private let idle = Mutex<[CurlTransfer]>([])
    private let configuration: CurlTransport.Configuration

    /// Creates a pool with a configuration.
    init(configuration: CurlTransport.Configuration) { self.configuration = configuration }

    /// Returns a transfer for one request: the last one used, whose memory is still cached, or a new one.
    ///
    /// - Parameter loop: The loop that owns this pool and outlives its transfers; nil if no loop runs the transfer.
    /// - Throws: `HTTPError.offline` if libcurl has no memory, `HTTPError.tls` for unreadable certificate authorities.
    func take(for loop: CurlLoop?) throws(HTTPError) -> CurlTransfer {
        if let transfer = idle.withLock({ $0.popLast() }) { return transfer }
        guard let easy = curl_easy_init() else {
            throw CurlFailure.error(CURLE_OUT_OF_MEMORY, authority: "libcurl")
        }
        let transfer = CurlTransfer(easy: easy, configuration: configuration)
        transfer.loop = loop.map { Unmanaged.passUnretained($0).toOpaque() }
        let code = configure(transfer)
        guard code == CURLE_OK else { throw CurlFailure.error(code, authority: "libcurl") }
        return transfer
    }

    /// Returns a transfer to the pool, unless it was canceled.
    ///
    /// The cancellation may not have reached the loop yet, and must not reach the next request. After a 417 response,
    /// libcurl 8 never expects 100 responses with this handle again, even from other servers.
    func giveBack(_ transfer: CurlTransfer) {
        guard !transfer.isCancelled, !transfer.isExpectationRefused, Self.reusesHandles else { return }
        // They may hold the caller's files and tasks.
        (transfer.upload, transfer.responseBuffer, transfer.mayBeSent) = (nil, nil, nil)
        idle.withLock { transfers in
            guard transfers.count < Self.maximumIdle else { return }
            transfers.append(transfer)
        }
    }

    /// Applies the settings that never change from one request to the next.
    private func configure(_ transfer: CurlTransfer) -> CURLcode {
        let pointer = transfer.pointer
        var options = CurlOptions(of: transfer.easy)
        options.set(CURLOPT_NOSIGNAL, true)
        options.set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        options.set(CURLOPT_FOLLOWLOCATION, false)
        options.set(CURLOPT_NETRC, latch_curl_no_netrc)
        options.set(CURLOPT_HTTP09_ALLOWED, false)
        options.set(CURLOPT_HTTP_VERSION, latch_curl_http2_over_tls)
        options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        options.set(CURLOPT_PATH_AS_IS, true)
        options.set(CURLOPT_SSL_VERIFYPEER, true)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        // RFC 8996: TLS 1.0 and 1.1 must not be used.
        options.set(
            CURLOPT_SSLVERSION, configuration.tls.minimumVersion == .tls13 ? latch_curl_tls13 : latch_curl_tls12)
        options.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
        // Nine probes after half a minute of silence: a dead peer also ends a transfer without a time limit.
        options.set(CURLOPT_TCP_KEEPALIVE, true)
        options.set(CURLOPT_TCP_KEEPIDLE, 30)
        options.set(CURLOPT_TCP_KEEPINTVL, 10)
        // Otherwise the end of a transfer waits until its name is resolved, and blocks all other transfers of the loop.
        options.set(CURLOPT_QUICK_EXIT, true)
        options.set(CURLOPT_EXPECT_100_TIMEOUT_MS, configuration.continueTimeout.wholeMilliseconds)
        if let folder = configuration.systemAuthorityFolder { options.set(CURLOPT_CAPATH, text: folder) }
        options.setAuthorities(configuration.certificateAuthorityFile)
        options.setProxy(configuration)
        options.set(CURLOPT_PRIVATE, pointer: pointer)
        options.set(CURLOPT_HEADERFUNCTION, CurlTransfer.onHead, CURLOPT_HEADERDATA, pointer)
        options.set(CURLOPT_WRITEFUNCTION, CurlTransfer.onContent, CURLOPT_WRITEDATA, pointer)
        options.set(CURLOPT_READFUNCTION, CurlTransfer.onUpload, CURLOPT_READDATA, pointer)
        options.set(CURLOPT_SEEKFUNCTION, CurlTransfer.onRewind, CURLOPT_SEEKDATA, pointer)
        options.set(CURLOPT_PREREQFUNCTION, CurlTransfer.onRequest, CURLOPT_PREREQDATA, pointer)
        options.set(CURLOPT_DEBUGFUNCTION, CurlTransfer.onReport, CURLOPT_DEBUGDATA, pointer)
        options.set(CURLOPT_ERRORBUFFER, pointer: transfer.errorBuffer)
        // See `ContentDecoder`.
        options.set(CURLOPT_HTTP_CONTENT_DECODING, false)
        options.set(CURLOPT_OPENSOCKETFUNCTION, CurlLoop.onOpen, CURLOPT_OPENSOCKETDATA, pointer)
        options.set(CURLOPT_CLOSESOCKETFUNCTION, CurlLoop.onClose, CURLOPT_CLOSESOCKETDATA, transfer.loop)
        return options.code
    }
}
#endif
