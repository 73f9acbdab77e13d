// SPDX-License-Identifier: Apache-2.0

/// A step that runs for each message that really goes out: the first one, every repeat, and every redirect.
///
/// An interceptor decides that a request is to be authorised; how it is authorised depends on the very bytes that are
/// sent, so a credential that signs has to do so last, and again each time. An interceptor therefore leaves a step on the
/// request, and the innermost handler of a chain takes it.
package protocol WireStep: Sendable {
    /// Whether it also runs where a redirect leads to another origin; a credential does not.
    var crossesOrigins: Bool { get }

    /// Changes the message that is about to be sent; nothing changes it after the last step.
    func prepare(_ request: inout HTTPRequest) async throws

    /// Looks at what came back for it.
    func observe(_ response: HTTPResponse, to request: HTTPRequest) async
}

extension WireStep {
    package var crossesOrigins: Bool { false }

    package func observe(_ response: HTTPResponse, to request: HTTPRequest) async {}
}

extension HTTPRequest {
    /// Sends this request with what its steps make of it; the request itself stays as it is, for the next time.
    ///
    /// - Parameter isElsewhere: Whether a redirect has led to another origin than the one that was asked for.
    func sent(by transport: any Handler, isElsewhere: Bool = false) async throws -> HTTPResponse {
        guard !steps.isEmpty else { return try await transport.respond(to: self) }
        let steps = isElsewhere ? steps.filter(\.crossesOrigins) : steps
        var message = self
        message.steps = []
        for step in steps { try await step.prepare(&message) }
        let response = try await transport.respond(to: message)
        for step in steps.reversed() { await step.observe(response, to: message) }
        return response
    }
}

/// The innermost handler of a chain that has no client around it.
struct WireSender: Handler {
    let transport: any Handler

    func respond(to request: HTTPRequest) async throws -> HTTPResponse { try await request.sent(by: transport) }
}
