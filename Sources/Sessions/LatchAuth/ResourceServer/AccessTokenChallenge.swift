// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchJOSE

/// The refusal of a request because of its access token, and the challenges that state a remedy (RFC 6750 §3).
struct AccessTokenChallenge: Sendable {
    /// The status: 400, 401 or 403.
    var status = HTTPStatus.unauthorized
    /// The error code; nil if the request carries no token (RFC 6750 §3.1).
    var error: String?
    /// The description for developers.
    var detail: String?
    /// The scheme whose challenge carries the error; nil for all schemes.
    var scheme: PresentedToken.Scheme?
    /// The scopes that the request needs.
    var scopes: Scopes = []
    /// The authentication that the request needs (RFC 9470 §3).
    var authentication: StepUpRequirement?
    /// The nonce for the next proof (RFC 9449 §8.1).
    var nonce: String?

    /// Returns the response, with a challenge for each scheme that the resource accepts.
    func response(of resource: ProtectedResource?) -> HTTPResponse {
        let problem = ProblemDetails(
            status: status, detail: detail, extensions: error.map { ["error": .string($0)] } ?? [:])
        var response = HTTPResponse(status: status, body: HTTPBody(problem.json.serialized()))
        response.fields[.contentType] = ProblemDetails.mediaType
        response.fields[.cacheControl] = "no-store"
        response.fields[.dpopNonce] = nonce
        for value in values(of: resource) { response.fields.append(value, for: .wwwAuthenticate) }
        return response
    }

    /// The challenges, each for a separate line, because several clients read only the first challenge of a list.
    private func values(of resource: ProtectedResource?) -> [String] {
        let proofs = resource?.proofs ?? .unsupported
        var schemes: [PresentedToken.Scheme] = proofs.isRequired ? [] : [.bearer]
        if proofs.verifier != nil { schemes.append(.dpop) }
        // A scheme that is not accepted here has no challenge, so the others carry the error.
        let carrier = scheme.flatMap { schemes.contains($0) ? $0 : nil }
        return schemes.map { scheme in
            let hasError = carrier == nil || carrier == scheme
            var parameters: [(name: String, value: String?)] = [("realm", resource?.realm)]
            if hasError {
                parameters += [("error", error), ("error_description", error == nil ? nil : detail)]
                parameters += [("acr_values", authentication?.contextClasses.joined(separator: " "))]
                parameters += [("max_age", authentication?.maximumAge.map { String(max(0, $0.components.seconds)) })]
            }
            parameters.append(("scope", scopes.text))
            if scheme == .dpop {
                parameters.append(("algs", proofs.verifier?.algorithms.map(\.rawValue).joined(separator: " ")))
            }
            parameters.append(("resource_metadata", resource?.metadataURL))
            let text = parameters.compactMap { name, value in
                value.flatMap { Self.quoted($0) }.map { "\(name)=\($0)" }
            }
            return ([scheme.rawValue] + [text.joined(separator: ", ")]).filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    /// Returns a quoted-string of the characters that a parameter may have (RFC 6750 §3); nil if none are left.
    ///
    /// No text can end the string or begin another field.
    private static func quoted(_ text: String) -> String? {
        let bytes = text.unicodeScalars.map { scalar -> UInt8 in
            switch scalar.value {
            case 0x22, 0x5C: UInt8(ascii: "'")
            case 0x20...0x7E: UInt8(scalar.value)
            default: UInt8(ascii: "?")
            }
        }
        return bytes.isEmpty ? nil : "\"\(String(decoding: bytes, as: UTF8.self))\""
    }
}
