// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
extension URLSessionTaskDelegate {
    /// Reports the upload progress of a request that a different transport sends.
    func report(_ bytes: Int64, sent: Int64, of total: Int64, by task: URLSessionTask) {
        // The requirement is optional, so its name is a function or nil.
        let method: ((URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)? =
            urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)
        method?(.shared, task, bytes, sent, total)
    }
}
#endif
