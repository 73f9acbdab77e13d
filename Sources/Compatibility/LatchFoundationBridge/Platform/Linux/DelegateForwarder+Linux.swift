// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import FoundationNetworking

/// A delegate that forwards all calls to an application's delegate, except redirects and the end of the session.
///
/// LatchHTTP follows redirects, and drops credentials for another origin. The methods of the open-source Foundation
/// have default implementations, so each call can be forwarded.
final class DelegateForwarder: NSObject, URLSessionTaskDelegate {
    private let target: (any URLSessionDelegate)?
    private var taskTarget: (any URLSessionTaskDelegate)? { target as? any URLSessionTaskDelegate }

    /// Creates a delegate in front of the application's delegate, if there is one.
    init(to target: (any URLSessionDelegate)?) { self.target = target }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let target else { return completionHandler(.performDefaultHandling, nil) }
        target.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let taskTarget else { return completionHandler(.performDefaultHandling, nil) }
        taskTarget.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        taskTarget?.urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        taskTarget?.urlSession(session, task: task, didCompleteWithError: error)
    }
}
#endif
