// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

/// A delegate that forwards all calls to an application's delegate, except redirects and the end of the session.
///
/// LatchHTTP follows redirects, and drops credentials for another origin. For a method that the application's delegate
/// does not implement, URLSession falls back as usual.
final class DelegateForwarder: NSObject, URLSessionTaskDelegate {
    private let target: (any URLSessionDelegate)?

    /// Creates a delegate in front of the application's delegate, if there is one.
    init(to target: (any URLSessionDelegate)?) { self.target = target }

    override func responds(to selector: Selector?) -> Bool {
        super.responds(to: selector) || target?.responds(to: selector) == true
    }

    override func forwardingTarget(for selector: Selector?) -> Any? { target }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    // The application's session continues.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
}
#endif
