// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim

// The state that the driver reads.
extension CurlTransfer {
    /// Whether the transfer has an idle timeout.
    var hasIdleTimeout: Bool { idleTimeout != 0 }

    /// The time at which the idle timeout expires; nil while the transfer waits for the local side.
    var expiry: UInt64? {
        guard upload?.isStarved != true, responseBuffer?.isHeld != true else { return nil }
        return lastMove + (limitsSilence && bytesBeforeRequest == nil ? waitLimit : idleTimeout)
    }

    /// The directions that remain paused.
    var pauses: CInt {
        (upload?.isStarved == true ? CURLPAUSE_SEND : 0) | (responseBuffer?.isHeld == true ? CURLPAUSE_RECV : 0)
    }

    /// Whether libcurl waits only for the source of the request content and would not notice that the peer closed
    /// `socket`.
    func waitsForSource(reading isWatched: Bool, _ socket: CInt) -> Bool {
        unreadSocket = !isWatched && upload?.isStarved == true ? socket : nil
        return unreadSocket != nil
    }

    /// Notifies the streams that the transfer is over.
    func conclude() {
        upload?.close()
        if !trailers.isEmpty { responseBuffer?.follow(with: trailers) }
        responseBuffer?.end(Result { try check() })
    }
}
#endif
