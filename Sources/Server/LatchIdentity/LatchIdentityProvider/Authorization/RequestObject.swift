// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchIdentityAccounts
import LatchIdentityStorage
import LatchJOSE
import LatchServer

/// The reader of authorization requests that clients sign (RFC 9101).
package struct RequestObjects: Sendable {
    private let keys: ClientKeySource
    private let accessTokens: AccessTokenIssuer
    private let clock: WallClock

    package init(keys: ClientKeySource, accessTokens: AccessTokenIssuer, clock: WallClock) {
        self.keys = keys
        self.accessTokens = accessTokens
        self.clock = clock
    }

    /// The tolerated difference of the clocks in seconds, as FAPI 2.0 §5.3.2.1 requires it.
    private static let leeway = 10.0
    /// The longest life of an object of a client that must sign its requests (FAPI 2.0 Message Signing §5.3.1).
    private static let longestLife = 3600.0
    /// The claims about the object itself, which count as no parameter (RFC 9101 §4).
    private static let ownClaims: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub"]

    /// Returns the parameters of a client's request: those of its request object only, or those that it has sent.
    ///
    /// Parameters beside an object are ignored (RFC 9101 §6.3), so that no program between client and server can add
    /// one. `client_id` and `response_type`, which OpenID Connect Core §6.1 requires there, must not contradict it.
    ///
    /// - Throws: `IdentityError.invalidRequestObject`, `.invalidInput` if the client must send an object, `.notReady`.
    func parameters(
        of registered: VerifiableClient, in fields: FormFields
    ) async throws(IdentityError) -> FormFields {
        let client = registered.client
        guard let text = fields["request"], !text.isEmpty, let claims = try await verified(text, of: registered) else {
            guard !client.requiresRequestObjects else { throw .missing("request") }
            // The object of a client without keys is refused as unsupported.
            return fields
        }
        // RFC 9101 §10.8: it would also be an assertion that authenticates the client.
        guard claims.subject != client.id else { throw .invalidRequestObject("its 'sub' is the client_id") }
        guard claims["request"] == nil, claims["request_uri"] == nil else {
            throw .invalidRequestObject("it contains another request")
        }
        var pairs: [(name: String, value: String)] = []
        for (name, value) in claims.members where !Self.ownClaims.contains(name) {
            pairs += try Self.texts(of: value, in: name).map { (name, $0) }
        }
        let parameters = FormFields(pairs)
        guard parameters["client_id"] ?? client.id == client.id else {
            throw .invalidRequestObject("its client_id is that of another client")
        }
        if let outer = fields["response_type"], outer != parameters["response_type"] {
            throw .invalidRequestObject("its response_type is not that of the request")
        }
        return parameters
    }

    /// Returns the claims of an object that one of the client's keys has signed; nil for a client without keys.
    private func verified(_ text: String, of registered: VerifiableClient) async throws(IdentityError) -> Claims? {
        let client = registered.client
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let (header, claims): (JOSEHeader, Claims)
        do {
            let object = try await keys.verified(by: client, among: registered.keys) { keys throws(JOSEError) in
                try JWS(verifying: text, keys: keys, algorithms: client.requestObjectAlgorithms)
            }
            guard let object = try object?.get() else { return nil }
            header = object.header
            claims = Claims(try JSONValue(parsing: object.payload).objectValue ?? [:])
        } catch let error as IdentityError {
            guard error == .unreadableKeys else { throw error }
            throw .invalidRequestObject("the keys at the 'jwks_uri' of its client cannot be read")
        } catch {
            throw .invalidRequestObject("no key of the client has signed it with an algorithm that is permitted")
        }
        // A client's keys also sign assertions and proofs, which have other types (RFC 8725 §3.11).
        guard header.type == nil || ["JWT", "oauth-authz-req+jwt"].contains(where: header.isOfType) else {
            throw .invalidRequestObject("its 'typ' is that of another kind of token")
        }
        let isBounded = client.requiresRequestObjects
        guard claims["iss"] == nil && !isBounded || claims.issuer == client.id else {
            throw .invalidRequestObject("its 'iss' is not the client_id")
        }
        guard claims["aud"] == nil && !isBounded || claims.audience.contains(issuer) else {
            throw .invalidRequestObject("its 'aud' is not \(issuer)")
        }
        try checkTimes(of: claims, isBounded: isBounded)
        return claims
    }

    private func checkTimes(of claims: Claims, isBounded: Bool) throws(IdentityError) {
        let now = clock.now.timeIntervalSince1970
        for name in ["exp", "nbf", "iat"] where claims[name] != nil && claims[name]?.doubleValue == nil {
            throw .invalidRequestObject("its '\(name)' is not a number")
        }
        let (end, start) = (claims["exp"]?.doubleValue, claims["nbf"]?.doubleValue)
        guard end.map({ now < $0 + Self.leeway }) ?? true else { throw .invalidRequestObject("it has expired") }
        for time in [start, claims["iat"]?.doubleValue] {
            guard time.map({ $0 <= now + Self.leeway }) ?? true else {
                throw .invalidRequestObject("it is from the future: compare the clocks")
            }
        }
        guard isBounded else { return }
        guard let end, let start, end <= now + Self.longestLife + Self.leeway,
            start >= now - Self.longestLife - Self.leeway
        else { throw .invalidRequestObject("it needs 'nbf' and 'exp' within an hour") }
    }

    /// Returns the texts of a parameter: JSON has numbers, objects, and lists for a parameter that occurs several times.
    private static func texts(of value: JSONValue, in name: String) throws(IdentityError) -> [String] {
        if let text = value.stringValue { return [text] }
        if name == "resource", let list = value.arrayValue {
            let texts = list.compactMap(\.stringValue)
            guard texts.count == list.count else { throw .invalidRequestObject("its 'resource' is not a list of URLs") }
            return texts
        }
        return value.isNull ? [] : [String(decoding: value.serialized(), as: UTF8.self)]
    }
}
