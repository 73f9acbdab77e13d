// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

/// A handler that serves RPC methods: Connect and gRPC-Web over any connection, gRPC over HTTP/2.
///
/// ```swift
/// let service = RPCService(users.rpcMethods)
/// router.on(service.routes, handledBy: service)
/// ```
///
/// As a handler, it can be used in a router, behind interceptors, or as a client's transport without a socket. The last
/// two path segments select the method. On Linux, Latchwork's server supports HTTP/2. Over HTTP/1.1, gRPC responses
/// have trailers after chunked content, which a proxy that supports HTTP/2 forwards.
public struct RPCService: Handler, ContentPolicyHandler {
    /// A check of a call by its head, before its content is decompressed and decoded.
    ///
    /// ```swift
    /// let service = RPCService(
    ///     users.rpcMethods,
    ///     admission: { context in
    ///         let user = try await verifiedUser(of: context.metadata[.authorization])
    ///         context.http[UserKey.self] = user
    ///     })
    /// ```
    ///
    /// It authenticates the caller, counts the call against limits, and can lower the limits for its messages. An error
    /// that it throws becomes the response.
    public typealias Admission = @Sendable (_ context: inout CallContext) async throws -> Void

    /// A report of a call that ends with an error, even in the middle of its stream.
    ///
    /// Calls of unknown methods and calls with a malformed head are not reported. The caller receives the status, the
    /// message and the details. An unexpected error that a method has thrown is the ``RPCError/cause``, which is only
    /// for the log. The function runs on the server's threads and must not block.
    public typealias FailureReport = @Sendable (_ error: RPCError, _ context: CallContext) -> Void

    private let methods: [String: RPCMethodHandler]
    private let admission: Admission?
    let configuration: RPCServiceConfiguration
    /// The values of ``contentLimits`` and ``streamedContent``, which a server applies automatically.
    package var contentPolicy: ContentPolicy

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - methods: The methods of one or several services; if two have the same path, the later one counts.
    ///   - limits: The size limits for requests.
    ///   - compressions: The compressions that requests and responses may have.
    ///   - types: The message types that an Any may contain, for JSON; the binary codec needs none.
    ///   - clock: The clock for deadlines.
    ///   - admission: A check of each call by its head; nil admits all calls.
    ///   - onFailure: A report of each admitted or rejected call that ends with an error; nil for none.
    public init(
        _ methods: [RPCMethodHandler], limits: RPCLimits = .standard, compressions: [RPCCompression] = [.gzip],
        types: TypeRegistry = [], clock: WallClock = .system, admission: Admission? = nil,
        onFailure: FailureReport? = nil
    ) {
        self.admission = admission
        self.methods = Dictionary(methods.map { ($0.path, $0) }) { $1 }
        contentPolicy = ContentPolicy(
            limits: Dictionary(methods.map { ("/\($0.service)/", limits.requestBytes) }) { $1 },
            streamed: Set(self.methods.values.lazy.filter { !$0.kind.hasSingleRequest }.map(\.path)))
        configuration = RPCServiceConfiguration(
            limits: limits, compressions: compressions, types: types, clock: clock, onFailure: onFailure)
    }

    /// The routes for a router: two for each service, so that calls of unknown methods also receive an RPC error.
    public var routes: [(method: HTTPMethod, pattern: String)] {
        Set(methods.values.map(\.service)).sorted().flatMap { service in
            [(method: .post, pattern: "/\(service)/{method}"), (method: .get, pattern: "/\(service)/{method}")]
        }
    }

    /// The content limit for each service's requests, by path prefix.
    ///
    /// A server reads it from the service, or from the router that contains the service. Only with your own handler in
    /// between, add it to the server's configuration (`contentLimits`), with the service's mount path in front.
    public var contentLimits: [String: Int] { contentPolicy.limits }

    /// The paths of the methods that read a stream of messages.
    ///
    /// Over HTTP/2 such a method receives each message as it arrives, so that a bidirectional call can run in both
    /// directions at the same time. A server reads the paths in the same way as ``contentLimits``.
    public var streamedContent: Set<String> { contentPolicy.streamed }

    /// Responds to one call; failures are also responses.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard let form = RequestFormat(request) else { return Self.rejection(of: request) }
        // Usually the whole path is the path of the method.
        guard let method = methods[request.path] ?? methods[Self.methodPath(of: request)] else {
            return form.failure(RPCError(.unimplemented, "There is no method \(Self.methodPath(of: request))."))
        }
        switch form {
        case .connectGet where method.kind != .unary || method.idempotency != .noSideEffects: return Self.postOnly
        case .connectUnary where method.kind != .unary: return Self.unsupported
        case .enveloped(.connect, _) where method.kind == .unary: return Self.unsupported
        default: return await respond(to: request, with: method, as: form)
        }
    }

    private func respond(
        to request: HTTPRequest, with method: RPCMethodHandler, as form: RequestFormat
    ) async -> HTTPResponse {
        let deadline: RPCDeadline?
        do throws(RPCError) { deadline = try self.deadline(of: request, form) } catch { return form.failure(error) }
        var context = CallContext(
            path: method.path, metadata: request.fields, deadline: deadline?.deadline, http: request.context)
        context.limits = configuration.limits
        context.idempotency = method.idempotency
        do {
            if let admission { try await admission(&context) }
            guard case .enveloped(let style, let codec) = form else {
                return try await ConnectUnaryHandler(method: method, form: form, configuration: configuration)
                    .respond(to: request, deadline, context)
            }
            return try await EnvelopedHandler(method: method, style: style, codec: codec, configuration: configuration)
                .respond(to: request, deadline, context)
        } catch {
            return form.failure(
                configuration.failure(error, context), metadata: context.responseMetadata,
                trailers: context.responseTrailers)
        }
    }

    private func deadline(of request: HTTPRequest, _ form: RequestFormat) throws(RPCError) -> RPCDeadline? {
        if form.isConnect, let version = request.fields[ConnectUnaryCall.version], version != "1" {
            throw RPCError(.invalidArgument, "Only version 1 of Connect is supported.")
        }
        guard let text = request.fields[form.isConnect ? ConnectUnaryCall.timeout : "grpc-timeout"] else { return nil }
        let timeout = form.isConnect ? TimeoutHeader.duration(milliseconds: text) : TimeoutHeader.duration(grpc: text)
        guard let timeout else {
            let digits = form.isConnect ? "a number of at most ten digits" : "at most eight digits and a unit"
            throw RPCError(.invalidArgument, "The timeout must be \(digits).")
        }
        return RPCDeadline(in: timeout, clock: configuration.clock)
    }

    /// Returns the last two path segments, which do not depend on the service's mount path.
    private static func methodPath(of request: HTTPRequest) -> String {
        let path = request.pathWithoutQuery
        guard let last = path.utf8.lastIndex(of: 0x2F), let first = path.utf8[..<last].lastIndex(of: 0x2F) else {
            return String(path)
        }
        return String(path[first...])
    }

    private static func rejection(of request: HTTPRequest) -> HTTPResponse {
        request.method == .post ? unsupported : postOnly
    }

    /// Connect protocol, "Unary-Request": 415 with the supported types.
    static var unsupported: HTTPResponse {
        HTTPResponse(status: .unsupportedMediaType, fields: ["Accept-Post": RequestFormat.mediaTypes])
    }

    private static var postOnly: HTTPResponse {
        HTTPResponse(status: .methodNotAllowed, fields: ["Allow": "POST"])
    }
}

/// The configuration that all methods of a service share.
struct RPCServiceConfiguration: Sendable {
    let limits: RPCLimits
    let compressions: [RPCCompression]
    let types: TypeRegistry
    let clock: WallClock
    let onFailure: RPCService.FailureReport?

    /// Returns the error to send for an error that ends a call, and reports it.
    func failure(_ error: any Error, _ context: CallContext) -> RPCError {
        let failure = RPCError(sending: error)
        onFailure?(failure, context)
        return failure
    }

    /// Returns the encoding for a codec.
    func coding(_ codec: RPCCodec) -> MessageCoding { MessageCoding(codec: codec, types: types) }

    /// Returns the compression with a name; nil for `identity`.
    ///
    /// - Throws: `RPCError.unimplemented`, with the supported names, for an unknown name.
    func compression(named name: String?) throws(RPCError) -> RPCCompression? {
        guard let name, !name.isEmpty else { return nil }
        // RFC 9110 §8.4.1: coding names are case-insensitive.
        let lower = name.lowercasedASCII()
        guard lower != "identity" else { return nil }
        guard let compression = compressions.first(where: { $0.name == lower }) else {
            let known = compressions.map(\.name).joined(separator: ", ")
            throw RPCError(.unimplemented, "The compression is not supported; supported are: \(known).")
        }
        return compression
    }

    /// Returns the first supported compression in an accept field.
    func compression(acceptedBy list: String?) -> RPCCompression? {
        guard let list, !compressions.isEmpty else { return nil }
        // The usual value needs no parsing.
        if let only = compressions.first(where: { $0.name == list }) { return only }
        for item in list.utf8.split(separator: 0x2C) {
            let parts = item.split(separator: 0x3B, omittingEmptySubsequences: false).map { part in
                String(decoding: part.filter { $0 != 0x20 && $0 != 0x09 }.map(asciiLowercased), as: UTF8.self)
            }
            // RFC 9110 §12.4.2: a weight of zero means "not acceptable".
            let isExcluded = parts.dropFirst().contains {
                $0.utf8.starts(with: "q=0".utf8) && !$0.utf8.contains { (0x31...0x39).contains($0) }
            }
            if !isExcluded, let compression = compressions.first(where: { $0.name == parts[0] }) { return compression }
        }
        return nil
    }
}
