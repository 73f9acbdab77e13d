// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation
import LatchHTTP
import LatchJOSE

/// The response to an authorization request: the parameters of the URL that the server redirects to (RFC 6749 §4.1.2).
///
/// Every program that can make a browser open a URL can send one. Only the state binds it to an attempt, and only once.
public struct AuthorizationResponse: Sendable {
    /// The parameters, each of which occurs once.
    private(set) var parameters: [String: String]
    /// The URL that the server redirected to.
    let target: URL
    /// The signed response (JARM), while its signature is not verified; nil for other responses.
    private(set) var token: String?
    /// Whether the server has signed the parameters.
    private(set) var isSigned = false
    /// The state, which shows a program with several attempts the one that this response belongs to.
    ///
    /// In a signed response it is not verified yet; ``AuthorizationClient`` verifies it.
    public private(set) var state: String?

    /// The maximum size of a response.
    private static let greatestSize = 32 << 10

    /// Decodes the query of a callback URL.
    ///
    /// - Throws: `OAuthError.invalidAuthorizationResponse` if a parameter occurs twice (RFC 6749 §3.1), or if the URL
    ///   contains tokens. Browsing histories would already contain these tokens (RFC 9700 §2.1.2).
    public init(_ url: URL) throws(OAuthError) {
        let parts = url.absoluteString.utf8.split(
            separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
        // RFC 9700 §2.1.2: response types with tokens in the fragment are refused. Other fragments are harmless.
        if parts.count > 1, try Self.decode(parts[1]).keys.contains(where: Self.tokens.contains) {
            throw .invalidAuthorizationResponse("it contains tokens, which were not requested")
        }
        let head = parts[0].split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        try self.init(query: head.count > 1 ? Substring(head[1]) : "", sentTo: url)
    }

    /// Decodes the content of a POST to the redirect URI (`response_mode=form_post`).
    ///
    /// - Throws: As ``init(_:)``.
    public init(form: some Collection<UInt8>, sentTo url: URL) throws(OAuthError) {
        try self.init(query: String(decoding: form, as: UTF8.self)[...], sentTo: url)
    }

    /// Decodes the query of a request to a redirect URI, exactly as received.
    ///
    /// - Throws: As ``init(_:)``.
    package init(query: Substring, sentTo target: URL) throws(OAuthError) {
        guard query.utf8.count <= Self.greatestSize else { throw .invalidAuthorizationResponse("it is too long") }
        parameters = try Self.decode(query.utf8)
        guard !parameters.keys.contains(where: Self.tokens.contains) else {
            throw .invalidAuthorizationResponse("it contains tokens, which were not requested")
        }
        self.target = target
        state = Self.nonempty(parameters["state"])
        guard let token = parameters["response"] else { return }
        // JARM §2.3: a signed response contains all parameters. Others are not from the server.
        guard !Self.names.contains(where: { parameters[$0] != nil }) else {
            throw .invalidAuthorizationResponse("it has parameters beside the signed ones")
        }
        self.token = token
        state = Self.state(in: token)
    }

    /// The parameters that are only for this library.
    private static let names: Set<String> = ["code", "state", "iss", "error"]

    private static func nonempty(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the state in a signed response, only to find its attempt.
    private static func state(in token: String) -> String? {
        do { return nonempty(try JWT(unverified: token).claims.string("state")) } catch { return nil }
    }

    /// Returns the response with the verified claims of its token as parameters.
    func opened(with claims: Claims) throws(OAuthError) -> AuthorizationResponse {
        var copy = self
        copy.parameters = claims.members.reduce(into: [:]) { $0[$1.key] = $1.value.stringValue }
        guard !copy.parameters.keys.contains(where: Self.tokens.contains) else {
            throw .invalidAuthorizationResponse("it contains tokens, which were not requested")
        }
        (copy.token, copy.isSigned, copy.state) = (nil, true, Self.nonempty(copy.parameters["state"]))
        return copy
    }

    /// The parameters of response types that expose tokens.
    private static let tokens: Set<String> = ["access_token", "id_token"]

    /// Decodes parameters (application/x-www-form-urlencoded).
    private static func decode(_ text: some Collection<UInt8>) throws(OAuthError) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = sides.map { String(decoding: PercentEncoding.decode($0, plusIsSpace: true), as: UTF8.self) }
            guard let name = texts.first, !name.isEmpty else { continue }
            // RFC 6749 §3.1: parameters must not be included more than once.
            guard parameters.updateValue(texts.count > 1 ? texts[1] : "", forKey: name) == nil else {
                throw .invalidAuthorizationResponse("a parameter is there twice")
            }
        }
        return parameters
    }

    /// Returns a server-specific parameter, such as `user`; nil for the parameters of the specifications.
    public subscript(name: String) -> String? {
        ["code", "state", "iss", "response"].contains(name) ? nil : parameters[name]
    }

    /// Returns the code of the response to an attempt.
    ///
    /// - Throws: `OAuthError.stateMismatch`, `issuerMismatch`, the server's refusal, and
    ///   `invalidAuthorizationResponse`.
    func code(for attempt: AuthorizationAttempt, at server: AuthorizationServer) throws(OAuthError) -> String {
        // RFC 6749 §10.12: without the attempt's state, the response is for another request, even if it is an error.
        guard let state, state.utf8.elementsEqual(attempt.state.utf8) else { throw .stateMismatch }
        // Another redirect URI belongs to another client, or to an attempt at another server.
        guard target.isCallback(to: attempt.redirectURI) else {
            throw .invalidAuthorizationResponse("it was sent to another redirect URI")
        }
        try checkIssuer(attempt, at: server)
        if let code = parameters["error"] {
            throw OAuthError(authorizationError: code, message: parameters["error_description"])
        }
        // An attacker gains nothing by an error, which servers do not sign if they cannot read the request.
        guard isSigned || !attempt.expectsSignature else {
            throw .invalidAuthorizationResponse("it is not signed, although that was requested")
        }
        guard let code = parameters["code"], !code.isEmpty else {
            throw .invalidAuthorizationResponse("it has neither a code nor an error")
        }
        return code
    }

    /// Checks the issuer of the response (RFC 9207 §2.4): a code of another server must not be sent to this one.
    ///
    /// Django OAuth Toolkit omits the issuer in errors, which cannot be misused.
    private func checkIssuer(_ attempt: AuthorizationAttempt, at server: AuthorizationServer) throws(OAuthError) {
        guard let issuer = parameters["iss"] else {
            guard parameters["error"] != nil || !server.isTrue("authorization_response_iss_parameter_supported") else {
                throw .issuerMismatch(expected: attempt.issuer, actual: "")
            }
            return
        }
        guard issuer.utf8.elementsEqual(attempt.issuer.utf8) else {
            throw .issuerMismatch(expected: attempt.issuer, actual: issuer)
        }
    }
}

extension AuthorizationResponse: CustomStringConvertible, CustomReflectable {
    /// The names of the parameters; the code is a secret.
    public var description: String { "AuthorizationResponse(\(parameters.keys.sorted().joined(separator: ", ")))" }

    /// A mirror without children, so that `dump` shows no code.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AuthorizationResponse {
    /// Returns the one-time code in a deep link from an app's own backend, which may omit the state.
    ///
    /// The code is bound to the app's code challenge (RFC 7636), so a code of another app is worthless here.
    ///
    /// - Returns: The code; nil if the deep link has neither a code nor an error.
    /// - Throws: `OAuthError.stateMismatch` if the deep link has another state, and the backend's error.
    package func code(ofBackendFor state: String) throws(OAuthError) -> String? {
        if let repeated = self.state, !repeated.utf8.elementsEqual(state.utf8) { throw .stateMismatch }
        if let error = parameters["error"], !error.isEmpty {
            throw OAuthError(authorizationError: error, message: parameters["error_description"])
        }
        return parameters["code"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
