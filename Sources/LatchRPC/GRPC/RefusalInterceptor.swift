// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Shows the interceptors around a call a refusal of gRPC as what it is in HTTP: 401.
///
/// gRPC answers everything with 200, and a session would never hear that its token is no longer accepted. What says so is
/// seen where it stands in the head (gRPC over HTTP/2, "Trailers-Only") or, of gRPC-Web, in content that is in memory.
/// The fields stay, so that the call ends with them where nobody repeats it.
struct RefusalInterceptor: Interceptor {
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var response = try await next.respond(to: request)
        guard response.status == .ok else { return response }
        let end = GRPCStatus.isIn(response.fields) ? response.fields : webEnd(of: response)
        if end[GRPCStatus.status] == String(RPCCode.unauthenticated.rawValue) { response.status = .unauthorized }
        return response
    }

    /// The frame that ends a call of gRPC-Web, where nothing stands before it.
    private func webEnd(of response: HTTPResponse) -> HTTPFields {
        let isText = response.fields.mediaType?.hasPrefix("application/grpc-web-text") == true
        let bytes = isText ? WebText.decode(response.body.bytes[...]) ?? [] : response.body.bytes
        guard bytes.count > 5, bytes[0] == Envelope.Flags.trailers.rawValue else { return [:] }
        return WebTrailers.fields(Array(bytes[5...]))
    }
}
