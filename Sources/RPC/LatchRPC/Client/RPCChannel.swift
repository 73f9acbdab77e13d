// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

/// A client-side channel to the methods of a server, over any transport.
///
/// ```swift
/// let authorization = SessionInterceptor(session, for: .host("api.example.com"))
/// let channel = try RPCChannel("https://api.example.com", interceptors: [authorization])
/// let users = UserServiceStub(channel)
/// ```
///
/// The transport can be any handler: with an `RPCService` instead, the same code runs without a socket. Interceptors
/// are those of LatchHTTP, so a session, retries, logs and metrics work as for any request.
///
/// Most calls have status 200 even if they fail. For a rejected token, interceptors still see status 401 if the call
/// fails before its first message. For that reason, a stream whose request carries a session's credential is returned
/// with its first message, not with its head.
public struct RPCChannel: Sendable {
    let origin: HTTPOrigin
    /// The path before the paths of the methods, without a trailing slash.
    let prefix: String
    let pipeline: any Handler
    let style: RPCProtocol
    let codec: RPCCodec
    let coding: MessageCoding
    let configuration: RPCChannelConfiguration

    /// Creates a channel to the methods below a URL.
    ///
    /// - Parameters:
    ///   - url: The URL below which the methods are, such as `https://api.example.com`.
    ///   - handler: The transport that sends the requests; redirects are followed only if it follows them.
    ///   - interceptors: Interceptors around the transport, outermost first.
    ///   - style: The protocol of the calls.
    ///   - codec: The encoding of messages.
    ///   - compression: The compression of large messages; nil sends them uncompressed. Responses may be compressed in
    ///     either case, with one of `accepting`.
    ///   - limits: The size limits for responses.
    ///   - accepting: The compressions that responses may have.
    ///   - usesHTTPGet: Whether unary calls without side effects are sent as GET requests, so that caches can respond
    ///     (Connect only).
    ///   - assumingHTTP2: Whether plain http uses HTTP/2 with prior knowledge, which gRPC and full-duplex streams
    ///     require; nil means only for gRPC. Over https both sides negotiate it.
    ///   - types: The message types that an Any may contain, for JSON; the binary codec needs none.
    ///   - allowingInsecureHTTP: The hosts to which plain http is permitted.
    ///   - clock: The clock for timeouts.
    /// - Throws: `HTTPError.invalidURL` or `HTTPError.insecureURL`; an error with the code `trailersUnavailable` for
    ///   gRPC with the transport of Apple platforms.
    public init(
        _ url: String, through handler: any Handler = Transport.live, interceptors: [any Interceptor] = [],
        using style: RPCProtocol = .connect, codec: RPCCodec = .binary, compression: RPCCompression? = nil,
        limits: RPCLimits = .standard, accepting: [RPCCompression] = [.gzip], usesHTTPGet: Bool = false,
        assumingHTTP2: Bool? = nil, types: TypeRegistry = [], allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        clock: WallClock = .system
    ) throws(HTTPError) {
        let target = try HTTPOrigin.split(url)
        guard allowingInsecureHTTP.allows(target.origin) else { throw .insecureURL }
        guard style != .grpc || !(handler is any TrailerlessTransport) else { throw .trailersUnavailable }
        guard !target.path.utf8.contains(UInt8(ascii: "?")) else {
            throw .invalidURL("methods cannot be reached below a query")
        }
        origin = target.origin
        prefix = String(String.UnicodeScalarView(target.path.unicodeScalars.reversed().drop { $0 == "/" }.reversed()))
        self.style = style
        self.codec = codec
        coding = MessageCoding(codec: codec, types: types)
        configuration = RPCChannelConfiguration(
            compression: compression, accepted: accepting,
            acceptedNames: accepting.isEmpty ? nil : accepting.map(\.name).joined(separator: ","), limits: limits,
            usesHTTPGet: usesHTTPGet, assumesHTTP2: assumingHTTP2 ?? (style == .grpc), clock: clock)
        // Without interceptors, a 401 would have no effect.
        let closest =
            interceptors.isEmpty ? [] : [UnauthenticatedInterceptor(style: style, configuration: configuration)]
        pipeline = handler.intercepted(by: interceptors + closest)
    }
}

extension HTTPError {
    /// gRPC puts the status of a call into trailers, which the transport of Apple platforms does not provide.
    fileprivate static let trailersUnavailable = HTTPError(
        code: "trailersUnavailable",
        message: "gRPC needs trailers, which the transport of this platform does not deliver.",
        hint:
            "Use .connect or .grpcWeb, which the same methods of Connect's and Latchwork's servers, and Envoy, answer.")
}

/// The configuration of a channel's calls, except protocol and codec.
struct RPCChannelConfiguration: Sendable {
    let compression: RPCCompression?
    let accepted: [RPCCompression]
    /// The names of the accepted compressions as a field value; nil if there are none.
    let acceptedNames: String?
    let limits: RPCLimits
    let usesHTTPGet: Bool
    let assumesHTTP2: Bool
    let clock: WallClock

    /// Returns the accepted compression with a name; nil for `identity`.
    ///
    /// - Throws: `RPCError.internal` for a compression that was not offered.
    func compression(named name: String?) throws(RPCError) -> RPCCompression? {
        guard let name, !name.isEmpty, name != "identity" else { return nil }
        guard let compression = accepted.first(where: { $0.name == name }) else {
            throw RPCError(.internal, "The response uses a compression that was not offered.")
        }
        return compression
    }
}

extension RPCChannel {
    /// Sends one message and awaits one response message.
    ///
    /// - Throws: `RPCError` for failures of the server and the network. Errors that interceptors throw, such as the end
    ///   of a session, pass unchanged.
    public func unary<Request, Response>(
        _ method: RPCMethod<Request, Response>, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws -> RPCResponse<Response> {
        let content = RequestContent.one(try coding.encode(request))
        return try read(try await single(UntypedCall(method, options, configuration), content))
    }

    /// Sends one message and returns a stream of response messages.
    ///
    /// - Throws: The errors of `unary`, here or while the stream is read.
    public func serverStream<Request, Response>(
        _ method: RPCMethod<Request, Response>, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws -> RPCStream<Response> {
        let content = RequestContent.one(try coding.encode(request))
        return read(try await stream(UntypedCall(method, options, configuration), content))
    }

    /// Sends a stream of messages and awaits one response message.
    ///
    /// - Throws: The errors of `unary`, and those of the request stream.
    public func clientStream<Request, Response>(
        _ method: RPCMethod<Request, Response>, _ requests: RPCStream<Request>, _ options: CallOptions = CallOptions()
    ) async throws -> RPCResponse<Response> {
        try read(try await single(UntypedCall(method, options, configuration), try content(of: requests)))
    }

    /// Sends a stream of messages and returns a stream of response messages, without waiting for the response.
    ///
    /// Over HTTP/2 both streams run at the same time. Over HTTP/1.1, most servers including Latchwork's respond once
    /// the request has ended: write all messages before reading.
    ///
    /// - Throws: While the stream is read: the errors of `unary`, and those of the request stream.
    public func bidirectional<Request, Response>(
        _ method: RPCMethod<Request, Response>, _ requests: RPCStream<Request>, _ options: CallOptions = CallOptions()
    ) async throws -> RPCStream<Response> {
        read(started(UntypedCall(method, options, configuration), try content(of: requests)))
    }

    private func content<Request>(of requests: RPCStream<Request>) throws -> RequestContent {
        let coding = coding
        if let ready = try ready(requests) { return .few(ready) }
        return .many(isReplayable: requests.isReplayable) {
            let source = try await requests.begin()
            return { try await source().map { try coding.encode($0) } }
        }
    }

    /// Encodes the messages of a stream that are all available and small.
    ///
    /// Returns nil for other streams, whose messages are encoded while they are sent.
    private func ready<Request>(_ requests: RPCStream<Request>) throws -> [[UInt8]]? {
        guard let messages = requests.ready, messages.count <= 64 else { return nil }
        var (ready, count) = ([[UInt8]](), 0)
        for message in messages {
            let bytes = try coding.encode(message)
            count += bytes.count
            guard count <= 32 << 10 else { return nil }
            ready.append(bytes)
        }
        return ready
    }

    private func read<Response: Message>(_ response: UntypedResponse) throws -> RPCResponse<Response> {
        RPCResponse(
            try coding.decode(response.message, as: Response.self, orFail: .internal), metadata: response.metadata,
            trailers: response.trailers)
    }

    private func read<Response: Message>(_ response: UntypedResponseStream) -> RPCStream<Response> {
        let coding = coding
        return RPCStream(
            { try await response.next().map { try coding.decode($0, as: Response.self, orFail: .internal) } },
            fields: response.fields)
    }
}

extension RPCChannel {
    /// Makes a call with a single response message.
    func single(_ call: UntypedCall, _ content: RequestContent) async throws -> UntypedResponse {
        try await translatingErrors {
            try await within(call.deadline) {
                guard style == .connect, call.kind == .unary, case .one(let message) = content else {
                    var response = try await enveloped(call, content, isStreamed: content.isStreamed)
                    return try await response.single()
                }
                let unary = ConnectUnaryCall(call: call, codec: codec, configuration: configuration)
                let request = try unary.request(message, to: self)
                return try unary.response(from: try await pipeline.respond(to: request).collected())
            }
        }
    }

    /// Makes a call with a response stream, and returns once the response head has arrived.
    func stream(_ call: UntypedCall, _ content: RequestContent) async throws -> UntypedResponseStream {
        let fields = StreamFields()
        let response = try await translatingErrors {
            try await within(call.deadline) { try await enveloped(call, content, isStreamed: true, fields) }
        }
        return stream(from: ResponseMessageReader(response), call, fields)
    }

    /// Makes a call with a response stream, and returns immediately.
    ///
    /// A server may send the head only with its first message.
    func started(_ call: UntypedCall, _ content: RequestContent) -> UntypedResponseStream {
        let fields = StreamFields()
        let reader = ResponseMessageReader {
            try await enveloped(call, content, isStreamed: true, fields)
        }
        return stream(from: reader, call, fields)
    }

    private func stream(from reader: ResponseMessageReader, _ call: UntypedCall, _ fields: StreamFields)
        -> UntypedResponseStream
    {
        UntypedResponseStream(fields: fields) {
            try await translatingErrors {
                // A canceled task must receive no more messages, even if they have already arrived.
                try Task.checkCancellation()
                return try await within(call.deadline) { try await reader.next() }
            }
        }
    }

    private func enveloped(
        _ call: UntypedCall, _ content: RequestContent, isStreamed: Bool, _ fields: StreamFields = StreamFields()
    ) async throws -> EnvelopedResponse {
        let enveloped = EnvelopedCall(call: call, style: style, codec: codec, configuration: configuration)
        var request = try enveloped.request(content, to: self)
        request.wantsStream = isStreamed
        let response = try await pipeline.respond(to: request)
        return try EnvelopedResponse(response, to: enveloped, fields)
    }

    /// Creates the parts of the request that all protocols share.
    func request(for call: UntypedCall, body: HTTPBody) -> HTTPRequest {
        var request = HTTPRequest(
            method: .post, scheme: origin.scheme, authority: origin.authority, path: prefix + call.path,
            fields: call.options.metadata, body: body)
        request.fields.reserveCapacity(call.options.metadata.count + 8)
        request.context = call.options.context
        request.template = call.path
        // A context value uses memory, even if it equals the default.
        if call.idempotency != .unknown { request.isSafeToRetry = true }
        if configuration.assumesHTTP2 { request.assumesHTTP2 = true }
        if let deadline = call.deadline {
            request.tighten(to: deadline.deadline)
            request.timeout = call.options.timeout
        } else if !call.kind.hasSingleRequest || !call.kind.hasSingleResponse {
            // A stream may be silent for any time, which a transport would treat as a lost connection.
            request.timeout = .seconds(7 * 86400)
        }
        return request
    }
}

/// Translates transport errors and cancellation into RPC errors; errors of other modules pass unchanged.
func translatingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as HTTPError {
        throw RPCError(error)
    } catch is CancellationError {
        throw RPCError.canceled
    }
}

extension RPCError {
    /// Creates the RPC error for a transport error.
    init(_ error: HTTPError) {
        let status: RPCCode =
            switch error {
            case .offline, .tls, .pinMismatch, .clientCertificateRefused: .unavailable
            case .timeout: .deadlineExceeded
            case .cancelled: .canceled
            case .tooLarge: .resourceExhausted
            case .malformedMessage: .internal
            case .unacceptableStatus: error.response.map { RPCCode($0.status) } ?? .unknown
            default: .unknown
            }
        self.init(status, error.message, cause: error)
    }
}
