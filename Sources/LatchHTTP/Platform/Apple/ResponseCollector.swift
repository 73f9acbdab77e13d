// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation
import LatchCore

/// The delegate of one task: refuses redirects and credentials, bounds the content, and answers once.
final class ResponseCollector: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var waiter: CheckedContinuation<HTTPResponse, any Error>?
        var head: HTTPURLResponse?
        var content: [UInt8] = []
        var failure: HTTPError?
        var outcome: Result<HTTPResponse, any Error>?
    }

    private let limit: Int
    private let state = Lock(State())

    init(limit: Int) { self.limit = limit }

    func begin(_ waiter: CheckedContinuation<HTTPResponse, any Error>) {
        // A task that was cancelled before it began may have ended already.
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waiter = waiter }
            return state.outcome
        }
        if let outcome { waiter.resume(with: outcome) }
    }

    /// Says why the task is about to be cancelled; the first reason counts.
    func fail(_ failure: HTTPError) {
        state.withLock { state in
            if state.failure == nil { state.failure = failure }
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // The certificate is judged by the system; a 401 is an answer like any other.
        let isTrust = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        completionHandler(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isTooLarge = response.expectedContentLength > Int64(limit) && dataTask.originalRequest?.httpMethod != "HEAD"
        if isTooLarge { fail(.tooLarge) }
        state.withLock { $0.head = response as? HTTPURLResponse }
        completionHandler(isTooLarge ? .cancel : .allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let fits = state.withLock { state in
            guard state.content.count + data.count <= limit else { return false }
            state.content.append(contentsOf: data)
            return true
        }
        guard !fits else { return }
        fail(.tooLarge)
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (waiter, outcome) = state.withLock { state in
            let outcome = Self.outcome(of: state, error)
            defer { state.waiter = nil }
            state.outcome = outcome
            return (state.waiter, outcome)
        }
        waiter?.resume(with: outcome)
    }

    private static func outcome(of state: State, _ error: (any Error)?) -> Result<HTTPResponse, any Error> {
        if let failure = state.failure { return .failure(failure) }
        if let error { return .failure(httpError(for: error)) }
        guard let head = state.head else { return .failure(HTTPError.malformedMessage) }
        var fields = HTTPFields()
        for (name, value) in head.allHeaderFields {
            fields.append(folded: String(describing: value), for: HTTPFieldName(String(describing: name)))
        }
        let status = HTTPStatus(rawValue: head.statusCode)
        return .success(HTTPResponse(status: status, fields: fields, body: HTTPBody(state.content)))
    }

    private static func httpError(for error: any Error) -> HTTPError {
        guard let error = error as? URLError else { return .offline }
        return switch error.code {
        case .timedOut: .timeout
        case .cancelled: .cancelled
        case .badURL, .unsupportedURL: .invalidURL
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData: .malformedMessage
        case .dataLengthExceedsMaximum: .tooLarge
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            .tls
        default: .offline
        }
    }
}
#endif
