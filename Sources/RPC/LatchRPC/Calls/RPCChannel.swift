// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

/// Calls the methods of a server, through interceptors, over a transport.
///
/// ```swift
/// let channel = try RPCChannel("https://api.example.com", interceptors: [SessionInterceptor(session)])
/// let users = UserServiceStub(channel)
/// ```
///
/// The transport may be any handler: with an `RPCService` in its place the same code runs without a socket. Interceptors
/// are LatchHTTP's, so a session, retries, logs and metrics work as they do for any request. Most calls are answered with
/// status 200 whatever happens; that a token is refused is shown to interceptors as 401 nevertheless, where a call fails
/// before its first message. A stream whose request carries a session's credential is therefore there with its first
/// message, and not with its head.
public struct RPCChannel: Sendable {
    let origin: HTTPOrigin
    /// What stands before the methods' paths, without a slash at its end.
    let prefix: String
    let pipeline: any Handler
    let style: RPCProtocol
    let codec: RPCCodec
    let coding: MessageCoding
    let terms: RPCTerms

    /// A channel to the methods below a URL.
    ///
    /// - Parameters:
    ///   - url: Where the methods' paths begin, such as `https://api.example.com`.
    ///   - handler: What sends the requests; redirects are not followed unless it does.
    ///   - interceptors: Steps around it, the first of them outermost.
    ///   - style: How calls are written on HTTP.
    ///   - codec: How messages are written.
    ///   - compression: How large messages are made smaller; nil leaves them as they are. Answers may be compressed
    ///     in any case, in a way of `accepting`.
    ///   - limits: How much a server may send.
    ///   - accepting: The compressions that answers may have.
    ///   - getsSafeMethods: Whether unary calls without side effects go by GET, so that caches can answer them
    ///     (Connect only).
    ///   - assumingHTTP2: Whether plain http is HTTP/2 from its first byte, without which gRPC and streams both ways at
    ///     a time do not work there; nil is: for gRPC. Over https the two sides agree on it.
    ///   - types: What may stand in an Any, which JSON writes out (protobuf.dev, ProtoJSON); the binary form needs none.
    ///   - allowingInsecureHTTP: Where plain http may be spoken.
    ///   - clock: By which the times of calls are kept.
    /// - Throws: `HTTPError.invalidURL` and `HTTPError.insecureURL`.
    public init(
        _ url: String, through handler: any Handler = Transport.live, interceptors: [any Interceptor] = [],
        using style: RPCProtocol = .connect, codec: RPCCodec = .binary, compression: RPCCompression? = nil,
        limits: RPCLimits = .standard, accepting: [RPCCompression] = [.gzip], getsSafeMethods: Bool = false,
        assumingHTTP2: Bool? = nil, types: TypeRegistry = [], allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        clock: WallClock = .system
    ) throws(HTTPError) {
        let target = try HTTPOrigin.split(url)
        guard allowingInsecureHTTP.allows(target.origin) else { throw .insecureURL }
        guard !target.path.contains("?") else { throw .invalidURL("methods cannot be reached below a query") }
        origin = target.origin
        prefix = String(target.path.reversed().drop { $0 == "/" }.reversed())
        self.style = style
        self.codec = codec
        coding = MessageCoding(codec: codec, types: types)
        terms = RPCTerms(
            compression: compression, accepted: accepting, limits: limits, getsSafeMethods: getsSafeMethods,
            assumesHTTP2: assumingHTTP2 ?? (style == .grpc), clock: clock)
        // Without interceptors nobody is there who could act on a refusal.
        let closest = interceptors.isEmpty ? [] : [RefusalInterceptor(style: style, terms: terms)]
        pipeline = handler.intercepted(by: interceptors + closest)
    }
}

/// What a channel has agreed on beside protocol and codec.
struct RPCTerms: Sendable {
    let compression: RPCCompression?
    let accepted: [RPCCompression]
    let limits: RPCLimits
    let getsSafeMethods: Bool
    let assumesHTTP2: Bool
    let clock: WallClock

    /// The names of what is accepted, as a list in a field; nil for none.
    var acceptedNames: String? { accepted.isEmpty ? nil : accepted.map(\.name).joined(separator: ",") }

    /// The accepted compression of a name.
    ///
    /// - Throws: `RPCError.internal` for one that was not offered.
    func compression(named name: String?) throws(RPCError) -> RPCCompression? {
        guard let name, !name.isEmpty, name != "identity" else { return nil }
        guard let compression = accepted.first(where: { $0.name == name }) else {
            throw RPCError(.internal, "The answer is compressed in a way that was not offered.")
        }
        return compression
    }
}
