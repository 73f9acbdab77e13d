// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim

extension CurlTransfer {
    /// Sets the time limits.
    ///
    /// - Parameter timeout: The maximum duration, or the maximum time without progress for a stream without another
    ///   limit.
    func setLimits(of request: HTTPRequest, timeout: Duration, _ options: inout CurlOptions) {
        let isStream = upload != nil || responseBuffer != nil
        options.set(CURLOPT_TIMEOUT_MS, isStream ? 0 : timeout.wholeMilliseconds)
        waitLimit = timeout.limitNanoseconds
        timeLimit = isStream ? request.streamTimeLimit?.limitNanoseconds ?? 0 : waitLimit
        let silence = request.silenceLimit?.limitNanoseconds
        limitsSilence = silence != nil
        idleTimeout = silence ?? (isStream ? waitLimit : 0)
        noticedSent = 0
        let connect = request.limits.connect
        // The pool has already set the transport's.
        guard connect != nil || limitsConnecting else { return }
        limitsConnecting = connect != nil
        options.set(CURLOPT_CONNECTTIMEOUT_MS, (connect ?? configuration.connectTimeout).wholeMilliseconds)
    }

    /// Counts sent bytes of content in memory as progress; libcurl reads such content without a callback.
    func noticeSending(_ now: UInt64) {
        guard size > 0, bytesBeforeRequest != nil else { return }
        let sent = latch_curl_get_size(easy, CURLINFO_SIZE_UPLOAD_T, 0)
        guard sent != noticedSent else { return }
        (noticedSent, lastMove) = (sent, now)
    }
}

extension CurlTransport.Configuration {
    /// Returns the proxy of a request in libcurl's form: nil for the environment's, and an empty text for none.
    ///
    /// Requests to this machine must not go through a proxy of the environment.
    func proxyText(for origin: HTTPOrigin) -> String? {
        guard let proxy else { return "" }
        guard let address = proxy.address else { return origin.isLoopback ? "" : nil }
        return address.serves(origin) ? address.url : ""
    }
}

extension Duration {
    /// The duration in nanoseconds, with the bounds of `wholeMilliseconds`.
    fileprivate var limitNanoseconds: UInt64 { UInt64(wholeMilliseconds) * 1_000_000 }
}
#endif
