// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchJOSE

@testable import LatchAuth

extension Passphrase {
    /// A source that calls `body`, as a prompt would.
    static func asking(_ body: @escaping @Sendable () throws -> [UInt8]) -> Passphrase { Passphrase(body: body) }
}

extension DPoPKey {
    /// A proof for a message that no client sends.
    func proof(
        _ method: HTTPMethod, _ target: URL, accessToken: String? = nil, nonce: String? = nil
    ) throws -> DPoPProof {
        let text = try proof(
            for: HTTPRequest(method: method, url: target), accessToken: accessToken,
            entry: DPoPNonceCache.Entry(nonce: nonce))
        return try DPoPProof(JWT(unverified: text).claims, thumbprint: thumbprint, text: text)
    }
}

extension SignatureBase {
    /// The bases of all signatures of a request, to compare them with another implementation's.
    static func texts(of request: HTTPRequest) throws(AuthError) -> [String] { try texts(of: .request(request)) }

    /// The bases of all signatures of a response.
    static func texts(of response: HTTPResponse, answering request: HTTPRequest?) throws(AuthError) -> [String] {
        try texts(of: .response(response, answering: request))
    }

    private static func texts(of message: SignedMessage) throws(AuthError) -> [String] {
        var texts: [String] = []
        for unparsed in try SignatureCandidate.all(of: message.fields) {
            texts.append(try text(for: SignatureCandidate(unparsed).input, of: message))
        }
        return texts
    }
}

extension SignatureComponent {
    /// The field in the canonical form of a structured field (RFC 9421 §2.1.1).
    var strict: SignatureComponent { adding("sf", true) }

    /// One member of a dictionary field (§2.1.2).
    func member(_ key: String) -> SignatureComponent { adding("key", .string(key)) }

    /// The lines of the field as bytes, for fields that commas cannot join (§2.1.3).
    var bytes: SignatureComponent { adding("bs", true) }

    /// The same component of the request that a response answers (§2.4).
    var ofRequest: SignatureComponent { adding("req", true) }

    private func adding(_ key: String, _ value: StructuredValue) -> SignatureComponent {
        var parameters = parameters
        parameters[key] = value
        return SignatureComponent(name: name, parameters: parameters)
    }
}
