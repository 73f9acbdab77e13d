// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

/// Sends requests with URLSession: the system's TLS, proxies, HTTP/2 and HTTP/3.
///
/// Redirects are not followed here and nothing is kept between requests but connections: no cookies, no cache, no
/// credentials.
public final class URLSessionTransport: Handler {
    /// Limits of a transport.
    public struct Configuration: Sendable {
        /// How long one transfer may take in all, unless the request says otherwise.
        ///
        /// With a stream in it, either way, it is how long nothing may move, as the system measures it, and for a
        /// streamed answer to a request without a stream also how long the head may take.
        public var timeout: Duration = .seconds(60)
        /// How large the content of a response may be, after the system has taken its coding off.
        public var maximumResponseBytes = 64 << 20
        /// The same for an answer that is read as a stream.
        public var maximumStreamedBytes = Int.max
        /// How many connections to one host may be open at once.
        public var maximumConnectionsPerHost = 64
        /// Pins, client certificates (as PKCS#12 alone) and the oldest version of TLS.
        public var tls = TLSPolicy()

        /// The usual limits.
        public init() {}
    }

    private let configuration: Configuration
    private let session: URLSession

    /// A transport with a session of its own.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.httpCookieAcceptPolicy = .never
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpMaximumConnectionsPerHost = configuration.maximumConnectionsPerHost
        settings.tlsMinimumSupportedProtocolVersion =
            configuration.tls.minimumVersion == .tls13 ? .TLSv13 : .TLSv12
        session = URLSession(configuration: settings)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends `request` and collects its response, or begins to: with `wantsStream` the answer is there with its head.
    ///
    /// Cancelling the task aborts the transfer, and so does letting go of the stream of an answer. The system asks for
    /// codings and takes them off, and `Content-Encoding` and `Content-Length` go with them. A stream of the request's
    /// content is opened as soon as the system asks for it, without waiting for the server's leave.
    ///
    /// - Throws: `HTTPError`: `offline`, `timeout`, `tls`, `pinMismatch`, `clientCertificateRefused`, `cancelled`,
    ///   `tooLarge`, `malformedMessage`, or `invalidURL` and `invalidField` before anything is sent; and what the stream
    ///   of the request's content throws.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try request.validateForSending()
        let time = request.timeout ?? configuration.timeout
        let stream = request.body.isEmpty ? nil : request.body.stream
        let limit = request.wantsStream ? configuration.maximumStreamedBytes : configuration.maximumResponseBytes
        let delegate = TransferDelegate(judge: TLSJudge(policy: configuration.tls), stream: stream, limit: limit)
        let message = try URLRequest(request, timeout: time)
        let task = stream == nil ? session.dataTask(with: message) : session.uploadTask(withStreamedRequest: message)
        let exchange = URLSessionExchange(task, delegate)
        // URLRequest's own time starts anew with every packet; this one does not.
        let clock = stream == nil ? exchange.fail(after: time) : nil
        defer { clock?.cancel() }
        var response = try await exchange.head()
        let length = request.method == .head ? nil : response.fields[.contentLength].flatMap { Int($0) }
        let body = HTTPBodyStream(length: length, once: { try await exchange.next() })
        response.body = request.wantsStream ? HTTPBody(body) : HTTPBody(try await HTTPBody(body).collected(upTo: limit))
        return response
    }
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest, timeout: Duration) throws(HTTPError) {
        guard let url = URL(string: request.absoluteURL) else { throw .invalidURL("the system does not understand it") }
        self.init(url: url, timeoutInterval: TimeInterval(timeout.components.seconds) + 1)
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        for line in request.fields where !line.name.isSetByTransport {
            addValue(line.value, forHTTPHeaderField: line.name.rawName)
        }
        // Without it, the system sends a stream in chunks.
        if request.body.stream != nil, let length = request.body.length {
            setValue(String(length), forHTTPHeaderField: "Content-Length")
        }
        // RFC 9110 §8.6: these methods anticipate content, so its absence is said with a length of 0.
        let anticipatesContent = [.post, .put, .patch].contains(request.method)
        let isInMemory = request.body.stream == nil || request.body.isEmpty
        if isInMemory, !request.body.isEmpty || anticipatesContent { httpBody = Data(request.body.bytes) }
    }
}

extension HTTPResponse {
    /// What URLSession tells of a head; it has taken the codings that it knows off the content.
    init(_ head: HTTPURLResponse, isHead: Bool) {
        var fields = HTTPFields()
        for (name, value) in head.allHeaderFields {
            fields.append(folded: String(describing: value), for: HTTPFieldName(String(describing: name)))
        }
        if !isHead, let coding = fields[.contentEncoding], ["gzip", "deflate", "br"].contains(coding.lowercased()) {
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        self.init(status: HTTPStatus(rawValue: head.statusCode), fields: fields)
    }
}
#endif
