// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
import LatchFoundation
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchServer

/// A valid authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1), as the pages pass it on.
package struct PendingAuthorization: Codable, Sendable {
    /// An interaction that the client requests (OpenID Connect Core §3.1.2.1).
    package enum Prompt: String, Codable, Sendable, CaseIterable {
        case none, login, consent
        case selectAccount = "select_account"
        /// A new account (Initiating User Registration via OpenID Connect 1.0 §4).
        case create
    }

    package let clientID: String
    /// The URL to return to, as requested.
    ///
    /// Its port may differ from the registered one.
    package let redirect: String
    package let state: String?
    package let nonce: String?
    /// The requested scopes, as text; nil if the request names none.
    package let scope: String?
    /// The challenge of the method S256 (RFC 7636 §4.2); nil if the client need not send one and has not.
    package let codeChallenge: String?
    let prompts: Set<Prompt>
    /// The greatest age of the user's authentication in seconds.
    package let maximumAge: Int?
    /// The account's identifier in the ID token that the client has sent.
    package let expectedAccount: String?
    /// The user name to fill in.
    package let loginHint: String?
    /// The languages that the client prefers for the pages, best first; nil if it names none.
    package let languages: [String]?
    /// The way of the response; nil for the query.
    let responseMode: AuthorizationReturn.Mode?
    /// The conditions of the grant; nil in the form of an earlier version.
    var details: GrantDetails?

    /// The authentication context classes that the client asks for; nil for none.
    var requestedClasses: RequestedClasses?

    /// The `request_uri` that the client got for the request; nil if it was not pushed.
    var requestURI: String?

    /// The ways in which the client has its users sign in, for the page; nil for all.
    package var signInWays: Set<SignInWay>?

    /// The conditions of the grant.
    package var grantDetails: GrantDetails { details ?? GrantDetails() }
}

/// The part of an authorization request that determines where its errors are sent.
package struct AuthorizationTarget: Sendable {
    package let client: OAuthClient
    /// The parameters of the request.
    let parameters: FormFields
    package let redirect: String
    package let state: String?
    /// The way of the response, also of an error of the rest of the request.
    let responseMode: AuthorizationReturn.Mode?

    /// Returns the client of a request.
    ///
    /// - Throws: `IdentityError.invalidAuthorization`, which is shown to the user.
    static func client(
        of fields: FormFields, _ clients: OAuthClients
    ) async throws(IdentityError) -> VerifiableClient {
        guard let id = fields["client_id"], !id.isEmpty else {
            throw .invalidAuthorization("its client_id is missing").at("client_id")
        }
        let found: VerifiableClient?
        do throws(IdentityError) { found = try await clients.registration(of: id) } catch {
            guard error == .unusableDocument("") else { throw error }
            throw .invalidAuthorization("the document at its client_id cannot be used").at("client_id")
        }
        guard let registered = found,
            registered.client.grants.contains(.authorizationCode), !registered.client.redirectURIs.isEmpty
        else {
            throw .invalidAuthorization("its client_id does not belong to an app that uses this sign-in page")
                .at("client_id")
        }
        return registered
    }

    /// Reads the redirect and the state of a client's request.
    ///
    /// - Throws: `IdentityError.invalidAuthorization`, which is shown to the user. Nothing is sent to a URL that does
    ///   not belong to the client (RFC 6749 §4.1.2.1, attack B3).
    init(_ fields: FormFields, of client: OAuthClient) throws(IdentityError) {
        // RFC 6749 §3.1: parameters must not be included more than once. RFC 8707 §2 excepts `resource`.
        let names = fields.map(\.name).filter { $0 != "resource" }
        guard Set(names).count == names.count else { throw .invalidAuthorization("a parameter occurs more than once") }
        guard let redirect = fields["redirect_uri"], client.allows(redirect: redirect) else {
            throw .invalidAuthorization("its redirect_uri is not registered for this app").at("redirect_uri")
        }
        self.client = client
        parameters = fields
        self.redirect = redirect
        // RFC 6749 §4.1.2.1: an error has the request's state, even if that state is refused for its length.
        state = fields["state"].flatMap { $0.isEmpty || $0.utf8.count > 8192 ? nil : $0 }
        // A browser posts no form to an app's custom scheme.
        let mode = fields["response_mode"].flatMap(AuthorizationReturn.Mode.init)
        responseMode = mode?.isForm == true && !AppRedirect.takesForms(redirect) ? nil : mode
    }
}

extension PendingAuthorization {
    /// Reads the rest of a request.
    ///
    /// - Parameters:
    ///   - userClaims: The claims that the server has.
    ///   - accountID: Returns the account of an ID token that was issued to the client; nil for any other text.
    /// - Throws: `IdentityError`. Its `oauth` code is sent to the redirect URI.
    package init(
        _ target: AuthorizationTarget, offersSignUp: Bool, userClaims: UserClaims, accountID: (String) -> String?
    ) throws(IdentityError) {
        let fields = target.parameters
        func value(_ name: String, maximum: Int = 1024) throws(IdentityError) -> String? {
            guard let text = fields[name], !text.isEmpty else { return nil }
            guard text.utf8.count <= maximum else { throw .invalid(name, "is too long") }
            guard text.isPlain else { throw .invalid(name, "has a control character") }
            return text
        }
        // OpenID Connect Core §6: an unsupported parameter must not be ignored.
        if try value("request", maximum: .max) != nil { throw .requestNotSupported("request_not_supported") }
        if try value("request_uri", maximum: .max) != nil { throw .requestNotSupported("request_uri_not_supported") }
        guard let type = try value("response_type") else { throw .missing("response_type") }
        guard type == "code" else { throw .unsupportedResponseType }
        // Attack B4: a mode that puts the code elsewhere is not replaced by another mode.
        guard try value("response_mode") == nil || target.responseMode != nil else {
            throw .invalid(
                "response_mode",
                "must be query, jwt or query.jwt, or form_post or form_post.jwt for a redirect_uri of https")
        }
        responseMode = target.responseMode
        // A form changes line breaks.
        guard responseMode != .formPost || target.state?.isPlain ?? true else {
            throw .invalid("state", "has a control character")
        }
        if let state = fields["state"], state.utf8.count > 2048 { throw .invalid("state", "is too long") }
        codeChallenge = try Self.challenge(
            try value("code_challenge"), method: try value("code_challenge_method"), of: target.client)
        prompts = try Self.prompts(try value("prompt"), offersSignUp: offersSignUp)
        maximumAge = try Self.maximumAge(try value("max_age")) ?? target.client.defaultMaximumAge
        scope = try Scopes(requested: try value("scope", maximum: 4096))?.text
        nonce = try value("nonce")
        if target.client.requiresNonce {
            guard nonce != nil else { throw .missing("nonce") }
            // The nonce comes back in an ID token.
            guard scope.map(Scopes.init(parsing:))?.contains("openid") == true else {
                throw .invalid("scope", "must have openid")
            }
        }
        // A hint that is too long for an address is ignored (OpenID Connect Core §3.1.2.1).
        loginHint = fields["login_hint"].flatMap { $0.isEmpty || $0.utf8.count > 1024 || !$0.isPlain ? nil : $0 }
        // A value that is not a list of languages is ignored (OpenID Connect Core §15.1).
        languages = fields["ui_locales"].flatMap { text in
            guard (1...256).contains(text.utf8.count), text.isPlain else { return nil }
            return text.lowercasedASCII().unicodeScalars.split(separator: " ").prefix(8).map { String($0) }
        }
        let claims = try ClaimsRequest(fields["claims"], of: target.client, among: userClaims)
        details = GrantDetails(claims: claims.names)
        let wished = RequestedClasses(try value("acr_values"))
        requestedClasses = claims.classes ?? wished
        if let hint = try value("id_token_hint", maximum: 8192) {
            guard let id = accountID(hint) else { throw .invalid("id_token_hint", "is not an ID token of this app") }
            guard claims.subject ?? id == id else { throw .invalid("claims", "names another user than id_token_hint") }
            expectedAccount = id
        } else {
            expectedAccount = claims.subject
        }
        (clientID, redirect, state) = (target.client.id, target.redirect, target.state)
    }

    /// Returns the code challenge; nil if there is none, and the client need not send one.
    ///
    /// Only S256 is accepted (RFC 9700 §2.1.1, attack A3).
    private static func challenge(
        _ challenge: String?, method: String?, of client: OAuthClient
    ) throws(IdentityError) -> String? {
        guard let challenge else {
            guard client.requiresPKCE || method != nil else { return nil }
            throw .missing("code_challenge")
        }
        guard method == "S256", challenge.utf8.count == 43, challenge.isWord(maximum: 43, also: "-_") else {
            throw .invalid("code_challenge", "must be an S256 code challenge")
        }
        return challenge
    }

    private static func prompts(_ text: String?, offersSignUp: Bool) throws(IdentityError) -> Set<Prompt> {
        let words = (text ?? "").unicodeScalars.split(separator: " ").map { String($0) }
        // OpenID Connect Prompt Create §4.1 and others: an unknown prompt is an error. It is not ignored.
        let prompts = Set(words.compactMap(Prompt.init)).subtracting(offersSignUp ? [] : [.create])
        guard prompts.count == words.count else { throw .invalid("prompt", "is unknown") }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw .invalid("prompt", "combines none with other values")
        }
        return prompts
    }

    private static func maximumAge(_ text: String?) throws(IdentityError) -> Int? {
        guard let text else { return nil }
        guard let age = Int(text), age >= 0, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalid("max_age", "must be a number of seconds")
        }
        return age
    }

    /// Whether the server must show no page.
    var isSilent: Bool { prompts.contains(.none) }

    /// Whether the client asks for a new authentication, or for a recent one.
    package var requiresNewLogin: Bool { prompts.contains(.login) || maximumAge != nil }

    /// Whether the user chooses the account.
    package var choosesAccount: Bool { prompts.contains(.selectAccount) }

    /// The requested scopes.
    package var scopes: Scopes? { scope.map(Scopes.init(parsing:)) }
}

extension PendingAuthorization: Redacting {
    /// Only the client: state, nonce and hints are other parties' data.
    package var description: String { "PendingAuthorization(\(clientID))" }
}
