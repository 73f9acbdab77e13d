// SPDX-License-Identifier: Apache-2.0

internal import LatchHTTP

/// A message whose parts are signed: a request, or a response with the request that it answers.
enum SignedMessage: Sendable {
    case request(HTTPRequest)
    case response(HTTPResponse, answering: HTTPRequest?)

    var fields: HTTPFields {
        switch self {
        case .request(let request): request.fields
        case .response(let response, _): response.fields
        }
    }

    var body: HTTPBody {
        switch self {
        case .request(let request): request.body
        case .response(let response, _): response.body
        }
    }

    /// The message that a component is taken from (RFC 9421 §2.4).
    func source(of component: SignatureComponent) throws(AuthError) -> SignedMessage {
        guard component.isOfRequest else { return self }
        guard case .response(_, let request?) = self else {
            throw .unsignableMessage("there is no request that it answers")
        }
        return .request(request)
    }
}
