// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// Shows the interceptors around a call a refusal as what it is in HTTP: 401.
///
/// But for unary calls of Connect, all calls are answered with 200, and a session would never hear that its token is no
/// longer accepted. What says so is seen where no message stands before it: in the head (gRPC over HTTP/2,
/// "Trailers-Only"), in the trailers, or in the piece that ends the content. The content stays, so that the call ends
/// with it where nobody repeats it.
///
/// Of an answer that is a stream the first bytes are awaited for that, where a credential was sent with a request that
/// can be sent again; other streams go on as soon as their head is there. After a message nothing can be repeated.
struct RefusalInterceptor: Interceptor {
    let style: RPCProtocol
    let terms: RPCTerms

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var response = try await next.respond(to: request)
        guard response.status == .ok, style.answers(response) else { return response }
        if try await isRefusal(&response, of: request) { response.status = .unauthorized }
        return response
    }

    private func isRefusal(_ response: inout HTTPResponse, of request: HTTPRequest) async throws -> Bool {
        if style != .connect, GRPCStatus.isIn(response.fields) { return Self.isRefusal(response.fields) }
        let start: [UInt8]
        if let stream = response.body.stream {
            guard !request.steps.isEmpty, request.body.isReplayable, style != .grpcWebText else { return false }
            let content = OpenedContent(stream)
            start = try await content.start(limit: terms.limits.messageBytes) { style.isEnd($0) }
            response.body = HTTPBody(content.whole)
        } else {
            let bytes = response.body.bytes
            start = style == .grpcWebText ? WebText.decode(bytes[...]) ?? [] : bytes
        }
        guard !start.isEmpty else { return style == .grpc && Self.isRefusal(response.body.trailers) }
        return isRefusal(start, compression: response.fields[style.encodingField])
    }

    /// Whether content begins with its end, and that is a refusal.
    private func isRefusal(_ content: [UInt8], compression name: String?) -> Bool {
        guard style.isEnd(content[0]), let length = Envelope.length(content),
            content.count >= Envelope.prefixBytes + length
        else { return false }
        let flags = Envelope.Flags(rawValue: content[0])
        let piece = Array(content[Envelope.prefixBytes..<(Envelope.prefixBytes + length)])
        do {
            let end = try Envelope(piece, flags: flags).message(
                by: try terms.compression(named: name), limit: terms.limits.messageBytes)
            guard style == .connect else { return Self.isRefusal(WebTrailers.fields(end)) }
            return try ConnectEnd(end, after: [:]).error?.status == .unauthenticated
        } catch {
            // Whoever reads the content finds out what is wrong with it.
            return false
        }
    }

    private static func isRefusal(_ fields: HTTPFields) -> Bool {
        fields[GRPCStatus.status] == String(RPCCode.unauthenticated.rawValue)
    }
}

extension RPCProtocol {
    /// Whether a piece with these flags ends the content.
    fileprivate func isEnd(_ flags: UInt8) -> Bool {
        switch self {
        case .connect: Envelope.Flags(rawValue: flags).contains(.endOfStream)
        case .grpcWeb, .grpcWebText: Envelope.Flags(rawValue: flags).contains(.trailers)
        case .grpc: false
        }
    }

    /// Whether a response is of this protocol; what is left of one whose head was lost on the way has no type.
    func answers(_ response: HTTPResponse) -> Bool {
        guard let type = response.fields.mediaType else { return self != .connect && GRPCStatus.isIn(response.fields) }
        return isFamily(type)
    }

    /// Whether content is of this protocol, in whichever codec.
    func isFamily(_ type: String) -> Bool {
        let family = mediaType(.binary).prefix { $0 != "+" }
        return type == family || type.hasPrefix(family + "+")
    }
}
