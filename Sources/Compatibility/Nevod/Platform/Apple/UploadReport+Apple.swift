// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
extension URLSessionTaskDelegate {
    /// Passes on what was sent of a request that is not the session's.
    func report(_ bytes: Int64, sent: Int64, of total: Int64, by task: URLSessionTask) {
        // The requirement is optional: its name is a function, or nil.
        let method: ((URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)? =
            urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)
        method?(.shared, task, bytes, sent, total)
    }
}
#endif
