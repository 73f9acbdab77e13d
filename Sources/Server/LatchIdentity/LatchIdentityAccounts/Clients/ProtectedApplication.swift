// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchHTTP
import LatchIdentityStorage

extension OAuthClient {
    /// The applications behind a proxy that asks `/forward-auth` about each of their requests.
    public struct ForwardAuth: Sendable, Hashable {
        /// The origins of the applications, such as `https://app.example.com`; without any, the client has none.
        public var origins: [String]
        /// The scopes that a user, or an access token, must have.
        public var scopes: Scopes
        /// The roles of which a user must have one; none permits every user.
        public var roles: [String]

        /// Creates the applications of a client.
        public init(origins: [String] = [], scopes: Scopes = [], roles: [String] = []) {
            (self.origins, self.scopes, self.roles) = (origins, scopes, roles)
        }
    }

    /// The path at each protected origin that the browser returns to after a sign-in.
    package static let forwardAuthCallback = "/.latch/callback"

    /// The client with what its protected applications need: a way back to each of them, and no page of consent.
    ///
    /// The operator has put the proxy in front of them.
    var protecting: OAuthClient {
        guard !forwardAuth.origins.isEmpty else { return self }
        var client = self
        client.isTrusted = true
        client.grants.insert(.authorizationCode)
        client.redirectURIs += forwardAuth.origins.map { $0 + Self.forwardAuthCallback }
        return client
    }

    /// Returns the sentence about a member that does not fit to protected applications; nil if each one does.
    var forwardAuthProblem: String? {
        guard !forwardAuth.origins.isEmpty else {
            return forwardAuth.scopes.isEmpty && forwardAuth.roles.isEmpty
                ? nil : "has no 'forward_auth' for its forward_auth_scopes and forward_auth_roles"
        }
        guard forwardAuth.origins.allSatisfy(Self.isOrigin) else {
            return "has an origin in 'forward_auth' that is not like https://app.example.com"
        }
        guard !receivesUnverifiedEmail else {
            return "has 'forward_auth', whose fields do not tell which address is verified, so it cannot have "
                + "'unverified_email'"
        }
        // The server begins the sign-in itself, with a code challenge and nothing else.
        let isDemanding = requiresPushedRequests || requiresRequestObjects || requiresProofs || requiresNonce
        return isDemanding
            ? "has 'forward_auth', so it cannot require pushed or signed requests, proofs or a nonce" : nil
    }

    /// Returns whether a text is an origin of https, or of http on this machine, as browsers write it.
    static func isOrigin(_ text: String) -> Bool {
        AppRedirect.isValid(text + "/") && PublicURL.origin(of: text) == text && !text.utf8.contains(0x2A)
    }
}

extension OAuthClients {
    /// Returns the clients by the origins that they protect.
    ///
    /// - Throws: `IdentityError.unusableSetting` if two clients protect one origin, or a client cannot protect any.
    static func protecting(_ clients: [OAuthClient]) throws(IdentityError) -> [String: OAuthClient] {
        var found: [String: OAuthClient] = [:]
        for client in clients {
            if let problem = client.forwardAuthProblem {
                throw .unusableSetting("clients", "the client '\(client.id)' \(problem)")
            }
            for origin in client.forwardAuth.origins {
                guard found.updateValue(client, forKey: origin) == nil else {
                    throw .unusableSetting("clients", "the origin \(origin) occurs twice in 'forward_auth'")
                }
            }
        }
        return found
    }
}
