// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

/// Answers the calls of services: Connect and gRPC-Web on any connection, gRPC where trailers reach the caller.
///
/// ```swift
/// let service = RPCService(users.rpcMethods)
/// for route in service.routes { router.on(route.method, route.pattern, handledBy: service) }
/// ```
///
/// It is a handler, so it may stand in a router, behind interceptors, or be a client's transport without a socket. The
/// method is found by the last two segments of the path. gRPC needs HTTP/2, which our server does not speak: its calls
/// are answered with trailers after a chunked content, which a proxy that speaks HTTP/2 in front of it passes on.
public struct RPCService: Handler {
    private let methods: [String: RPCMethodHandler]
    let terms: ServingTerms

    /// A service of methods.
    ///
    /// - Parameters:
    ///   - methods: Of one service or several; of two with one path the later counts.
    ///   - limits: How much a caller may send in one message.
    ///   - compressions: The compressions that requests and answers may have.
    ///   - types: What may stand in an Any, which JSON writes out; the binary form needs none.
    ///   - clock: By which deadlines are kept.
    public init(
        _ methods: [RPCMethodHandler], limits: RPCLimits = .standard, compressions: [RPCCompression] = [.gzip],
        types: TypeRegistry = [], clock: WallClock = .system
    ) {
        self.methods = Dictionary(methods.map { ($0.path, $0) }) { $1 }
        terms = ServingTerms(limits: limits, compressions: compressions, types: types, clock: clock)
    }

    /// The routes under which a router is to ask it: two for each service, so that unknown methods are answered too.
    public var routes: [(method: HTTPMethod, pattern: String)] {
        Set(methods.values.map(\.service)).sorted().flatMap { service in
            [(method: .post, pattern: "/\(service)/{method}"), (method: .get, pattern: "/\(service)/{method}")]
        }
    }

    /// How much content requests to each service may have, for the configuration of the server below it.
    ///
    /// ```swift
    /// configuration.contentLimits = service.contentLimits
    /// ```
    ///
    /// The server's own limit is that of forms and JSON, and is refused in no words of a call. A service that is mounted
    /// below a path has that path in front of the keys.
    public var contentLimits: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: Set(methods.values.map(\.service)).map { ("/\($0)/", terms.limits.requestBytes) })
    }

    /// Answers one call; a call that fails is an answer too.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard let form = CallForm(request) else { return Self.refusal(of: request) }
        // Mostly the path is the method's, whole.
        guard let method = methods[request.path] ?? methods[Self.methodPath(of: request)] else {
            return form.failure(RPCError(.unimplemented, "There is no method \(Self.methodPath(of: request))."))
        }
        switch form {
        case .connectGet:
            guard method.kind == .unary, method.idempotency == .noSideEffects else { return Self.onlyPost }
            return await ConnectUnaryServing(method: method, form: form, terms: terms).answer(request)
        case .connectUnary:
            guard method.kind == .unary else { return Self.unsupported }
            return await ConnectUnaryServing(method: method, form: form, terms: terms).answer(request)
        case .enveloped(let style, let codec):
            guard style != .connect || method.kind != .unary else { return Self.unsupported }
            return await EnvelopedServing(method: method, style: style, codec: codec, terms: terms).answer(request)
        }
    }

    /// The last two segments of the path: what stands before them is where the service was mounted.
    private static func methodPath(of request: HTTPRequest) -> String {
        let path = request.pathWithoutQuery
        guard let last = path.lastIndex(of: "/"), let first = path[..<last].lastIndex(of: "/") else {
            return String(path)
        }
        return String(path[first...])
    }

    private static func refusal(of request: HTTPRequest) -> HTTPResponse {
        request.method == .post ? unsupported : onlyPost
    }

    /// Connect protocol, "Unary-Request": 415 names what is understood.
    private static var unsupported: HTTPResponse {
        HTTPResponse(status: .unsupportedMediaType, fields: ["Accept-Post": CallForm.mediaTypes])
    }

    private static var onlyPost: HTTPResponse {
        HTTPResponse(status: .methodNotAllowed, fields: ["Allow": "POST"])
    }
}

/// What a service has agreed on for all its methods.
struct ServingTerms: Sendable {
    let limits: RPCLimits
    let compressions: [RPCCompression]
    let types: TypeRegistry
    let clock: WallClock

    /// How the messages of a call are written and read.
    func coding(_ codec: RPCCodec) -> MessageCoding { MessageCoding(codec: codec, types: types) }

    /// The compression of a name.
    ///
    /// - Throws: `RPCError.unimplemented` for one that is not known, with those that are.
    func compression(named name: String?) throws(RPCError) -> RPCCompression? {
        guard let name, !name.isEmpty else { return nil }
        // RFC 9110 §8.4.1: names of codings have no case.
        let lower = String(decoding: name.utf8.map(asciiLowercased), as: UTF8.self)
        guard lower != "identity" else { return nil }
        guard let compression = compressions.first(where: { $0.name == lower }) else {
            let known = compressions.map(\.name).joined(separator: ", ")
            throw RPCError(.unimplemented, "This compression is not known here; known are: \(known).")
        }
        return compression
    }

    /// The first compression of a list that is known.
    func compression(acceptedBy list: String?) -> RPCCompression? {
        guard let list, !compressions.isEmpty else { return nil }
        for item in list.utf8.split(separator: 0x2C) {
            let parts = item.split(separator: 0x3B, omittingEmptySubsequences: false).map { part in
                String(decoding: part.filter { $0 != 0x20 && $0 != 0x09 }.map(asciiLowercased), as: UTF8.self)
            }
            // RFC 9110 §12.4.2: what has a weight of zero is not wanted.
            let isRefused = parts.dropFirst().contains {
                $0.hasPrefix("q=0") && !$0.utf8.contains(where: Self.isAboveZero)
            }
            if !isRefused, let compression = compressions.first(where: { $0.name == parts[0] }) { return compression }
        }
        return nil
    }

    private static func isAboveZero(_ digit: UInt8) -> Bool { (0x31...0x39).contains(digit) }
}
