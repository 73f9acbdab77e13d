// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension URLSessionTaskDelegate {
    /// Passes on what was sent of a request that is not the session's.
    func report(_ bytes: Int64, sent: Int64, of total: Int64, by task: URLSessionTask) {
        urlSession(
            .shared, task: task, didSendBodyData: bytes, totalBytesSent: sent, totalBytesExpectedToSend: total)
    }
}
#endif
