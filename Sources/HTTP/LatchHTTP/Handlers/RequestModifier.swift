// SPDX-License-Identifier: Apache-2.0

/// A modification of each message that is sent for a request: the first one, every retry, and every redirect.
///
/// An interceptor decides that a request is to be authorized, but a signature depends on the exact message. So it must
/// be computed last, and again for each message. An interceptor therefore attaches a modifier to the request, and the
/// innermost handler of a chain applies it.
package protocol RequestModifier: Sendable {
    /// Whether it still applies after a redirect to another origin; a credential does not, even back at the first
    /// origin.
    var crossesOrigins: Bool { get }

    /// Changes the message that is about to be sent; nothing changes it after the last modifier.
    func prepare(_ request: inout HTTPRequest) async throws

    /// Observes the response to the message.
    func observe(_ response: HTTPResponse, to request: HTTPRequest) async
}

extension RequestModifier {
    package var crossesOrigins: Bool { false }

    package func observe(_ response: HTTPResponse, to request: HTTPRequest) async {}
}

extension HTTPRequest {
    /// Sends a copy of this request as its modifiers change it, so that the request can be sent again.
    ///
    /// - Parameter hasLeftOrigin: Whether a redirect led to another origin, even if a later one led back.
    func sent(by transport: any Handler, hasLeftOrigin: Bool = false) async throws -> HTTPResponse {
        guard !modifiers.isEmpty else { return try await transport.respond(to: self) }
        let modifiers = hasLeftOrigin ? modifiers.filter(\.crossesOrigins) : modifiers
        var message = self
        message.modifiers = []
        for modifier in modifiers { try await modifier.prepare(&message) }
        let response = try await transport.respond(to: message)
        for modifier in modifiers.reversed() { await modifier.observe(response, to: message) }
        return response
    }
}

/// The innermost handler of a chain outside a client.
struct RequestModifierHandler: Handler {
    let transport: any Handler

    func respond(to request: HTTPRequest) async throws -> HTTPResponse { try await request.sent(by: transport) }
}
