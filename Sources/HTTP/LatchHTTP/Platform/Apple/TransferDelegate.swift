// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation
import LatchCore
import Synchronization

/// The delegate of one task, which rejects redirects and credentials, verifies the server, and buffers the response.
///
/// URLSession decodes the content, so the limit applies to decoded content.
final class TransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
    /// The buffer of the response.
    let feed = ResponseBuffer<HTTPResponse>()
    private let challengeHandler: TLSChallengeHandler
    /// The user and password for the proxy; nil without credentials.
    private let proxy: HTTPProxy.Credentials?
    private let stream: HTTPBodyStream?
    /// The condition of the task that begins the transfer; a new connection checks it again.
    private let mayBeSent = SendCondition.current
    private let limit: Int
    private let state = Mutex(State())
    private let pause = TransferPause()

    private struct State {
        /// The reason of the cancellation; the first one counts.
        var failure: (any Error)?
        var count = 0
        var upload: (pipe: UploadPipe, pump: Task<Void, Never>)?
    }

    /// Creates the delegate of a task whose content is read from `stream`, if there is one.
    init(
        challengeHandler: TLSChallengeHandler, proxy: HTTPProxy.Credentials?, stream: HTTPBodyStream?, limit: Int
    ) {
        self.challengeHandler = challengeHandler
        self.proxy = proxy
        self.stream = stream
        self.limit = limit
    }

    /// Sets the reason of the coming cancellation; the first one counts.
    func fail(_ failure: any Error) {
        state.withLock { state in
            if state.failure == nil { state.failure = failure }
        }
    }

    /// Returns URLSession's end of a new pipe for the request content; called each time the content is sent from its
    /// beginning.
    private func openPipe(for task: URLSessionTask) -> InputStream? {
        guard let stream else { return nil }
        do {
            let pipe = try UploadPipe()
            let pump = Task { [self] in
                do { try await pipe.pump(stream) } catch {
                    fail(error)
                    task.cancel()
                }
            }
            state.withLock { state in
                state.upload?.pump.cancel()
                state.upload = (pipe, pump)
            }
            return pipe.input
        } catch {
            fail(error)
            return nil
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(openPipe(for: task))
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
        let space = challenge.protectionSpace
        if let proxy, space.isProxy() {
            // The same password would be rejected again.
            guard challenge.previousFailureCount == 0 else { return completionHandler(.rejectProtectionSpace, nil) }
            let credential = URLCredential(user: proxy.user, password: proxy.password, persistence: .none)
            return completionHandler(.useCredential, credential)
        }
        // A 401 is an ordinary response. So is a request for a certificate that the server must not see.
        let isTrust = space.authenticationMethod == NSURLAuthenticationMethodServerTrust
        challengeHandler.resolve(space) { [self] disposition in
            guard mayBeSent?() ?? true else {
                fail(HTTPError.withdrawn)
                return completionHandler(.cancelAuthenticationChallenge, nil)
            }
            switch disposition {
            case .accept(let credential):
                completionHandler(.useCredential, credential)
            case .refuse(let reason):
                fail(reason)
                completionHandler(.cancelAuthenticationChallenge, nil)
            case .system:
                completionHandler(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
            }
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isHead = dataTask.originalRequest?.httpMethod == "HEAD"
        guard let response = response as? HTTPURLResponse else {
            fail(HTTPError.malformedMessage)
            return completionHandler(.cancel)
        }
        guard isHead || response.expectedContentLength <= Int64(limit) else {
            fail(HTTPError.tooLarge)
            return completionHandler(.cancel)
        }
        feed.begin(HTTPResponse(response, isHead: isHead))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let count = state.withLock { state in
            state.count += data.count
            return state.count
        }
        guard count <= limit else {
            fail(HTTPError.tooLarge)
            return dataTask.cancel()
        }
        guard !feed.keep(data) else { return }
        // A suspended task does not read from its connection, which makes the server wait.
        pause.suspend(if: { feed.isHeld }) { dataTask.suspend() }
    }

    /// Resumes a suspended task.
    func resume(_ task: URLSessionTask) { pause.end { task.resume() } }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (failure, upload) = state.withLock { ($0.failure, $0.upload.take()) }
        upload?.pump.cancel()
        // A task that ends before it opens its stream would leave the pump's thread in a write.
        upload?.pipe.input.close()
        if let reason = failure ?? error.map(Self.httpError) {
            feed.end(.failure(reason))
        } else {
            feed.end(.success(()))
        }
    }

    private static func httpError(for error: any Error) -> any Error {
        guard let error = error as? URLError else { return HTTPError.offline }
        return switch error.code {
        case .timedOut: HTTPError.timeout
        case .cancelled: HTTPError.cancelled
        case .badURL, .unsupportedURL: HTTPError.invalidURL
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            HTTPError.malformedMessage
        case .dataLengthExceedsMaximum: HTTPError.tooLarge
        case .clientCertificateRejected, .clientCertificateRequired: HTTPError.clientCertificateRefused
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            HTTPError.tls
        case .appTransportSecurityRequiresSecureConnection: HTTPError.transportSecurity
        default: offline(error.code)
        }
    }

    /// Returns the error of a connection, with the part of the request if the system reports it.
    private static func offline(_ code: URLError.Code) -> HTTPError {
        let phase: RequestPhase? =
            switch code {
            case .cannotFindHost, .dnsLookupFailed: .resolving
            case .cannotConnectToHost: .connecting
            default: nil
            }
        guard let phase else { return .offline }
        var error = HTTPError.offline("The server could not be reached \(phase.words).")
        error.phase = phase
        return error
    }
}

extension HTTPError {
    /// The system refused plain http, before anything was sent.
    fileprivate static let transportSecurity = HTTPError(
        code: insecureURL.code, message: "App Transport Security refused plain http to this address.",
        hint: "Use https. For a server on this machine or this network, add NSAppTransportSecurity with "
            + "NSAllowsLocalNetworking to the app's Info.plist.")
}
#endif
