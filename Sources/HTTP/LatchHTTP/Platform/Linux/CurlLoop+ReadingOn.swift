// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim

// What libcurl 7.88 needs over HTTP/2, and no other version does.
extension CurlLoop {
    /// Ends the transfers whose answer has come and is lost: they would wait for the source of their request.
    func endWhatIsLost() {
        for transfer in paced where transfer.hasLostHead {
            // Another transfer on the connection may have read the head, which is then about to be handed out.
            let socket = latch_curl_socket(transfer.easy)
            if socket != CURL_SOCKET_BAD { act(on: socket, CURL_CSELECT_IN) }
            if transfer.isUnderWay, transfer.hasLostHead { finish(transfer, CURLE_HTTP2_STREAM) }
        }
    }

    /// Lets libcurl read on where it read something, since it may hold more of which no event will tell.
    func readOn() {
        for transfer in forgotten {
            // Of an answer that comes while the request is still written it may hold all, and nothing is read then.
            var isDue = transfer.upload != nil
            while isDue || transfer.arrived > transfer.noticed {
                isDue = false
                transfer.noticed = transfer.arrived
                let socket = latch_curl_socket(transfer.easy)
                guard socket != CURL_SOCKET_BAD else { break }
                act(on: socket, CURL_CSELECT_IN)
            }
        }
    }
}
#endif
