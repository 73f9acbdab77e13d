// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension URLSessionTaskDelegate {
    /// Reports the upload progress of a request that a different transport sends.
    func report(_ bytes: Int64, sent: Int64, of total: Int64, by task: URLSessionTask) {
        urlSession(
            .shared, task: task, didSendBodyData: bytes, totalBytesSent: sent, totalBytesExpectedToSend: total)
    }
}
#endif
