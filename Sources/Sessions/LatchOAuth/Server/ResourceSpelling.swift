// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation

/// The parameter that tells a server the resource of an access token.
enum ResourceSpelling: Sendable, Hashable {
    /// The parameter `resource`, once for each resource (RFC 8707 §2).
    case resource
    /// One parameter `audience`, as at Auth0.
    case audience
    /// The prefix of one resource's scopes, as at Microsoft Entra, which refuses the parameter (AADSTS901002).
    case scopePrefix
}

extension AuthorizationServer {
    /// The spelling from the configuration, or else that of the product that the server is known to be.
    var resourceSpelling: ResourceSpelling {
        statedSpelling ?? (isEntra ? .scopePrefix : isAuth0 ? .audience : .resource)
    }

    /// Whether the server is the second version of Microsoft Entra, in one of its clouds.
    private var isEntra: Bool {
        let hosts = [
            "login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn",
            ".ciamlogin.com",
            ".b2clogin.com",
        ]
        let host = (issuer.host() ?? "").utf8
        return issuer.path().utf8.contains("/v2.0".utf8)
            && hosts.contains {
                $0.utf8.first == UInt8(ascii: ".") ? host.ends(with: $0.utf8) : host.elementsEqual($0.utf8)
            }
    }

    /// Whether the server is Auth0, whose metadata names an endpoint that is in no specification.
    var isAuth0: Bool {
        (issuer.host() ?? "").utf8.ends(with: ".auth0.com".utf8)
            || metadata["mfa_challenge_endpoint"]?.stringValue?.utf8.ends(with: "/mfa/challenge".utf8) == true
    }

    /// Returns the parameters of a request in the server's spelling.
    ///
    /// - Throws: `OAuthError.invalidTarget` for several resources if the server accepts one, and for a resource that
    ///   has no spelling at the server.
    func spelled(_ parameters: [(String, String)]) throws(OAuthError) -> [(String, String)] {
        let resources = parameters.filter { $0.0 == "resource" && !$0.1.isEmpty }.map(\.1)
        guard resourceSpelling != .resource, let resource = resources.first else { return parameters }
        guard resources.allSatisfy({ $0.utf8.elementsEqual(resource.utf8) }) else {
            throw .unspeakableTarget("The server takes one resource, and the request names \(resources.count).")
        }
        var spelled = parameters.filter { $0.0 != "resource" }
        // The request for the code has already named the resource, and a code is for no other one.
        let type = parameters.first { $0.0 == "grant_type" }?.1
        guard type != "authorization_code", type != DeviceCodeGrant.type else { return spelled }
        if resourceSpelling == .audience {
            if !spelled.contains(where: { $0.0 == "audience" && !$0.1.isEmpty }) {
                spelled.append(("audience", resource))
            }
            return spelled
        }
        let scopes = Scopes(parsing: parameters.first { $0.0 == "scope" }?.1 ?? "")
        spelled.removeAll { $0.0 == "scope" }
        return spelled + [("scope", try Self.prefixed(scopes, with: resource).text)]
    }

    /// Returns scopes of a resource: all granted ones (`.default`) if none is named.
    ///
    /// For the resource `https://x/` the scope is `https://x//.default`, because the slash is part of the resource's
    /// name.
    private static func prefixed(_ scopes: Scopes, with resource: String) throws(OAuthError) -> Scopes {
        let own: Scopes = ["openid", "profile", "email", "address", "phone", "offline_access"]
        let asked = scopes.elements.filter { !own.contains($0) }
        let prefixed = (asked.isEmpty ? [".default"] : asked.map(\.rawValue)).map { name in
            name.utf8.contains("://".utf8) || name.utf8.starts(with: "\(resource)/".utf8) ? name : "\(resource)/\(name)"
        }
        let named = prefixed.compactMap(Scope.init)
        guard named.count == prefixed.count else {
            throw .unspeakableTarget("The server is told a resource by its scopes, and this one cannot be in a scope.")
        }
        return Scopes(scopes.elements.filter(own.contains) + named)
    }
}

extension OAuthError {
    /// Returns the error for a target that has no spelling at the server, so that no request is sent.
    fileprivate static func unspeakableTarget(_ message: String) -> OAuthError {
        OAuthError(
            code: OAuthError.invalidTarget.code, message: message,
            hint: "Request the token of one resource, written as the server knows it.")
    }
}
