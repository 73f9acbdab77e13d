// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import LatchCore
import Foundation
import Security
import Synchronization

/// A transport based on URLSession: the system's TLS, proxies, HTTP/2 and HTTP/3.
///
/// It does not follow redirects. Between requests it keeps only connections: no cookies, no cache, no credentials.
public final class URLSessionTransport: Handler, TrailerlessTransport {
    /// The limits, the proxy and the TLS settings of a transport.
    public struct Configuration: Sendable {
        /// The maximum duration of one transfer, unless the request overrides it.
        ///
        /// With a stream in either direction, it is the maximum time without progress, as the system measures it. For a
        /// streamed response to a request without a stream, it is also the maximum time until the head.
        ///
        /// A request's `deadline` also ends a stream that makes progress. The refresh of a session has no such limit
        /// and ends only with its connection.
        public var timeout: Duration = .seconds(60)
        /// The maximum size of response content after decoding.
        public var maximumResponseBytes = 64 << 20
        /// The maximum size of streamed response content.
        public var maximumStreamedBytes = Int.max
        /// The maximum number of connections to one host.
        public var maximumConnectionsPerHost = 64
        /// The proxy, by default that of the system's settings; nil for none.
        ///
        /// It is reached over `http` or SOCKS. With an `https` proxy, each request fails with `HTTPError.invalidURL`.
        public var proxy: HTTPProxy? = .system
        /// The pins, client certificates (in PKCS#12 only) and minimum version of TLS.
        public var tls = TLSPolicy()

        /// Creates the default configuration.
        public init() {}
    }

    private let configuration: Configuration
    private let challengeHandler: TLSChallengeHandler
    /// The sessions, one for the hosts with equal requirements, since hosts share the connections of a session.
    private let sessions = Mutex<[TLSRequirements: URLSession]>([:])

    /// Creates a transport with separate sessions.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        challengeHandler = TLSChallengeHandler(policy: configuration.tls)
    }

    deinit {
        for session in sessions.withLock({ Array($0.values) }) { session.finishTasksAndInvalidate() }
    }

    /// Returns the session that connects to a host.
    private func session(for host: String) -> URLSession {
        let requirements = configuration.tls.requirements(for: host)
        return sessions.withLock { sessions in
            if let session = sessions[requirements] { return session }
            let session = makeSession()
            sessions[requirements] = session
            return session
        }
    }

    private func makeSession() -> URLSession {
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
        settings.connectionProxyDictionary = configuration.proxyDictionary
        return URLSession(configuration: settings)
    }

    /// Sends `request` and returns its response; with `wantsStream` it returns as soon as the head has arrived.
    ///
    /// Canceling the task aborts the transfer, and so does releasing the stream of a response. The system requests and
    /// decodes content codings, and `Content-Encoding` and `Content-Length` are removed. A stream of request content is
    /// opened as soon as the system requests it, without waiting for a 100 response.
    ///
    /// - Throws: `HTTPError`: `offline`, `timeout`, `tls`, `pinMismatch`, `clientCertificateRefused`, `cancelled`,
    ///   `tooLarge`, or `malformedMessage`. Before anything is sent: `invalidURL`, `invalidField`, and `unencodable`
    ///   for a GET with content, which the system does not send. The errors of the stream of the request's content are
    ///   also thrown.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try request.validateForSending()
        try SendCondition.check()
        guard request.method != .get || request.body.isEmpty else { throw HTTPError.contentWithGET }
        let time =
            request.isUninterruptible
            ? request.timeLimit(usual: configuration.timeout) : request.timeout ?? configuration.timeout
        let stream = request.body.isEmpty ? nil : request.body.stream
        let limit =
            request.wantsStream
            ? configuration.maximumStreamedBytes
            : min(request.maximumResponseBytes ?? .max, configuration.maximumResponseBytes)
        let credentials = try configuration.proxyCredentials()
        let delegate = TransferDelegate(
            challengeHandler: challengeHandler, proxy: credentials, stream: stream, limit: limit)
        let session = self.session(for: request.origin.host)
        let message = try URLRequest(
            request, interval: request.silenceLimit?.inSeconds ?? TimeInterval(time.components.seconds) + 1)
        let task = stream == nil ? session.dataTask(with: message) : session.uploadTask(withStreamedRequest: message)
        let exchange = URLSessionExchange(task, delegate, limit: request.streamTimeLimit)
        // URLRequest's timeout restarts with every packet; this one does not.
        let clock = stream == nil && !request.isUninterruptible ? exchange.fail(after: time) : nil
        defer { clock?.cancel() }
        var response = try await exchange.head(isAbortable: !request.isUninterruptible)
        let length = request.method == .head ? nil : response.fields[.contentLength].flatMap { Int($0) }
        let body = HTTPBodyStream(length: length, once: { try await exchange.next() })
        response.body = request.wantsStream ? HTTPBody(body) : HTTPBody(try await HTTPBody(body).collected(upTo: limit))
        return response
    }
}

extension URLRequest {
    /// - Parameter interval: The maximum time without progress in seconds.
    fileprivate init(_ request: HTTPRequest, interval: TimeInterval) throws(HTTPError) {
        // The system would encode characters that a URL must not have, and the server would get another path.
        guard let url = URL(string: request.absoluteURL, encodingInvalidCharacters: false) else {
            throw .invalidURL("the system does not understand it")
        }
        self.init(url: url, timeoutInterval: interval)
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        for line in request.fields where !line.name.isSetByTransport {
            addValue(line.value, forHTTPHeaderField: line.name.rawName)
        }
        // Otherwise the system sends a stream in chunks.
        if request.body.stream != nil, let length = request.body.length {
            setValue(String(length), forHTTPHeaderField: "Content-Length")
        }
        // RFC 9110 §8.6: these methods anticipate content, so its absence is announced with a length of 0.
        let anticipatesContent = [.post, .put, .patch].contains(request.method)
        let isInMemory = request.body.stream == nil || request.body.isEmpty
        if isInMemory, !request.body.isEmpty || anticipatesContent { httpBody = Data(request.body.bytes) }
    }
}

extension HTTPResponse {
    /// Creates a response from a head of URLSession, which has decoded the content.
    init(_ head: HTTPURLResponse, isHead: Bool) {
        var fields = HTTPFields()
        for (name, value) in head.allHeaderFields {
            fields.append(folded: String(describing: value), for: HTTPFieldName(String(describing: name)))
        }
        if !isHead, let coding = fields[.contentEncoding], ["gzip", "deflate", "br"].contains(coding.lowercasedASCII())
        {
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        self.init(status: HTTPStatus(rawValue: head.statusCode), fields: fields)
    }
}

extension URLSessionTransport.Configuration {
    /// Returns the user and the password of the proxy; nil if there are none.
    ///
    /// - Throws: `HTTPError.invalidURL` for a proxy over https, which these settings cannot name.
    func proxyCredentials() throws(HTTPError) -> HTTPProxy.Credentials? {
        guard proxy?.address?.scheme != "https" else {
            throw .invalidProxy("this system connects to none over https")
        }
        return proxy?.address?.credentials
    }

    /// The settings of a session: nil for those of the system, and an empty dictionary for no proxy.
    ///
    /// The names are those of CFNetwork's `kCFNetworkProxies` constants; some platforms declare only a part of them.
    var proxyDictionary: [AnyHashable: Any]? {
        guard let proxy else { return [:] }
        guard let address = proxy.address else { return nil }
        var settings: [AnyHashable: Any] = [:]
        for kind in address.scheme == "http" ? ["HTTP", "HTTPS"] : ["SOCKS"] {
            settings["\(kind)Enable"] = 1
            settings["\(kind)Proxy"] = address.host
            settings["\(kind)Port"] = address.port
        }
        let loopback = ["localhost", "*.localhost", "127.*", "[::1]", "::1"]
        settings["ExceptionsList"] = loopback + address.exceptions.flatMap { Self.names(of: $0.description) }
        return settings
    }

    /// Returns the names of a pattern in the system's form, which has an asterisk for all subdomains.
    private static func names(of pattern: String) -> [String] {
        pattern.utf8.first == 0x2E ? ["*\(pattern)", String(pattern.dropFirst())] : [pattern]
    }
}
#endif
