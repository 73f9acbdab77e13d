// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
import LatchJOSE
package import LatchServer
import Synchronization

/// The routes of the authorization server metadata (RFC 8414 §3, OpenID Connect Discovery §4), and of the apps of this
/// site.
///
/// Both metadata routes return the same document, which is written once for each issuer and set of algorithms.
package final class MetadataRoutes: Sendable {
    package let configuration: IdentityConfiguration
    package let accessTokens: AccessTokenIssuer
    package let limits: RateLimits
    package let clients: OAuthClients
    package let proofs: SenderProofs
    package let scopePolicy: ScopePolicy
    /// The last written document, and what it depends on besides the configuration.
    private let written = Mutex<(issuer: AccessTokenIssuer.Published, json: [UInt8])?>(nil)

    package init(
        configuration: IdentityConfiguration, accessTokens: AccessTokenIssuer, limits: RateLimits,
        clients: OAuthClients, proofs: SenderProofs, scopePolicy: ScopePolicy
    ) {
        self.configuration = configuration
        self.accessTokens = accessTokens
        self.limits = limits
        self.clients = clients
        self.proofs = proofs
        self.scopePolicy = scopePolicy
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.other)) { others in
            // RFC 8414 §3: the path of the issuer follows the well-known path. A proxy that strips the path requests it
            // without.
            let path = configuration.issuer.map(PublicURL.path) ?? ""
            if !path.isEmpty {
                others.getImmediately("/.well-known/oauth-authorization-server\(path)", metadata)
                others.getImmediately("/.well-known/openid-configuration\(path)", metadata)
            }
            others.getImmediately(
                "/.well-known/oauth-authorization-server", .getAuthorizationServerMetadata, metadata)
            others.getImmediately("/.well-known/openid-configuration", .getOpenIDConfiguration, metadata)
            if !configuration.appleAppIDs.isEmpty {
                others.getImmediately("/.well-known/apple-app-site-association", appleApps)
            }
            if !configuration.androidApps.isEmpty {
                others.getImmediately("/.well-known/assetlinks.json", androidApps)
            }
            if !relatedOrigins.isEmpty { others.getImmediately("/.well-known/webauthn", passkeyOrigins) }
        }
    }

    /// Returns the apps that may open the links of emails, and fill in the passwords of this site
    /// (<https://developer.apple.com/documentation/xcode/supporting-associated-domains>).
    @Sendable private func appleApps(_ request: HTTPRequest) -> HTTPResponse {
        let apps = JSONValue.array(configuration.appleAppIDs.map { .string($0) })
        // An app confirms an address with only the link, while the page also asks for the password (attacks E8 and E9).
        let paths = configuration.requireOwnerProof ? ["/verify", "/reset"] : ["/reset"]
        let links = JSONValue.array(paths.map { ["/": .string($0), "?": ["token": "?*"]] })
        var response = HTTPResponse.json([
            "applinks": ["details": [["appIDs": apps, "components": links]]], "webcredentials": ["apps": apps],
        ])
        response.fields[.cacheControl] = "public, max-age=300"
        return response
    }

    /// Returns the apps on Android that share the links, passwords and passkeys of this host
    /// (<https://developers.google.com/digital-asset-links/v1/statements>).
    @Sendable private func androidApps(_ request: HTTPRequest) -> HTTPResponse {
        let statements = configuration.androidApps.compactMap(AndroidApp.init).map { app -> JSONValue in
            [
                "relation": [
                    "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds",
                ],
                "target": [
                    "namespace": "android_app", "package_name": .string(app.package),
                    "sha256_cert_fingerprints": [.string(app.fingerprint)],
                ],
            ]
        }
        var response = HTTPResponse.json(.array(statements))
        response.fields[.cacheControl] = "public, max-age=300"
        return response
    }

    /// The origins of other sites whose pages may use the passkeys.
    ///
    /// The origins of apps are left out, since browsers do not compare them.
    private var relatedOrigins: [String] {
        configuration.passkeyOrigins.filter { $0.utf8.starts(with: "https://".utf8) }
    }

    /// Returns the sites where a browser permits pages to use the passkeys of this host's domain (WebAuthn Level 3
    /// §5.11).
    @Sendable private func passkeyOrigins(_ request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse.json(["origins": .array(relatedOrigins.map { .string($0) })])
        response.fields[.cacheControl] = "public, max-age=300"
        return response
    }

    /// Returns the metadata.
    ///
    /// - Throws: `IdentityError.notReady` until the issuer is known.
    @Sendable private func metadata(_ request: HTTPRequest) throws -> HTTPResponse {
        guard let published = accessTokens.published else { throw IdentityError.notReady }
        let json = written.withLock { written in
            if let written, written.issuer == published { return written.json }
            let json = JSONValue.object(document(of: published)).serialized()
            written = (published, json)
            return json
        }
        return HTTPResponse(status: .ok, fields: Self.metadataFields, body: HTTPBody(json))
    }

    /// An app in a browser reads the metadata, too: it is public.
    private static let metadataFields: HTTPFields = [
        .contentType: "application/json", .cacheControl: "public, max-age=300", "Access-Control-Allow-Origin": "*",
    ]

    /// Returns the metadata, with only the existing endpoints.
    private func document(of published: AccessTokenIssuer.Published) -> JSONObject {
        let base = published.issuer.withoutFinalSlash
        var document = fixedMembers(of: published)
        if configuration.registration != .off {
            document["registration_endpoint"] = .string("\(base)/oauth/register")
        }
        if configuration.clientCertificates != .none {
            document["tls_client_certificate_bound_access_tokens"] = true
            document["mtls_endpoint_aliases"] = configuration.certificateURL.map { .object(aliases(at: $0)) }
        }
        // RFC 9396 §10.
        let types = Set(
            configuration.clients.flatMap(\.authorizationDetailsTypes)
                + configuration.resources.flatMap(\.authorizationDetailsTypes))
        if !types.isEmpty {
            document["authorization_details_types_supported"] = .array(types.sorted().map { .string($0) })
        }
        if configuration.takesClientDocuments { document["client_id_metadata_document_supported"] = true }
        // The command signs in without manual registration if its registration here is the one it expects.
        if clients.hasOwnCommand {
            document["latch_client_id"] = .string(OAuthClient.command.id)
        }
        return document
    }

    /// Returns the endpoints of clients with certificates (RFC 8705 §5).
    private func aliases(at url: String) -> JSONObject {
        let base = url.withoutFinalSlash
        return [
            "token_endpoint": .string("\(base)/oauth/token"), "revocation_endpoint": .string("\(base)/oauth/revoke"),
            "introspection_endpoint": .string("\(base)/oauth/introspect"),
            "userinfo_endpoint": .string("\(base)/oauth/userinfo"),
            "device_authorization_endpoint": .string("\(base)/oauth/device_authorization"),
            "pushed_authorization_request_endpoint": .string("\(base)/oauth/par"),
        ]
    }

    /// The methods with which clients may authenticate.
    private var methods: [OAuthClient.AuthenticationMethod] {
        OAuthClient.AuthenticationMethod.allCases.filter { method in
            switch method {
            case .tlsClientAuth, .selfSignedTLSClientAuth: configuration.certificateMethods.contains(method)
            default: true
            }
        }
    }

    /// Returns the members that every configuration has.
    private func fixedMembers(of published: AccessTokenIssuer.Published) -> JSONObject {
        let issuer = published.issuer
        let base = issuer.withoutFinalSlash
        let signers = JSONValue.array(published.algorithms.map { .string($0.rawValue) })
        let methods = methods.map { JSONValue.string($0.rawValue) }
        let algorithms = JSONValue.array(SignatureAlgorithm.ofAssertions.map { .string($0.rawValue) })
        let scopes = scopePolicy.known.elements + scopePolicy.aboutUser.elements
        return [
            "issuer": .string(issuer), "authorization_endpoint": .string("\(base)/oauth/authorize"),
            "token_endpoint": .string("\(base)/oauth/token"),
            "userinfo_endpoint": .string(AccessTokenIssuer.userInfo(of: issuer)),
            "device_authorization_endpoint": .string("\(base)/oauth/device_authorization"),
            "end_session_endpoint": .string("\(base)/oauth/logout"),
            "backchannel_logout_supported": true, "backchannel_logout_session_supported": true,
            "frontchannel_logout_supported": true, "frontchannel_logout_session_supported": true,
            "revocation_endpoint": .string("\(base)/oauth/revoke"),
            "introspection_endpoint": .string("\(base)/oauth/introspect"),
            "pushed_authorization_request_endpoint": .string("\(base)/oauth/par"),
            "require_pushed_authorization_requests": false,
            "jwks_uri": .string("\(base)/.well-known/jwks.json"),
            "response_types_supported": ["code"],
            "response_modes_supported": .array(
                AuthorizationReturn.Mode.allCases.map { .string($0.rawValue) }),
            "grant_types_supported": .array(
                OAuthClient.GrantType.supported.filter { $0 != .password || configuration.permits(.password) }
                    .map { .string($0.rawValue) }),
            "scopes_supported": .array(scopes.map { .string($0.rawValue) }),
            "token_endpoint_auth_methods_supported": .array(methods),
            "revocation_endpoint_auth_methods_supported": .array(methods),
            "introspection_endpoint_auth_methods_supported": .array(methods.filter { $0 != "none" }),
            "token_endpoint_auth_signing_alg_values_supported": algorithms,
            "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
            "code_challenge_methods_supported": ["S256"],
            "dpop_signing_alg_values_supported": .array(proofs.algorithms.map { .string($0) }),
            "authorization_response_iss_parameter_supported": true,
            "prompt_values_supported": .array(
                PendingAuthorization.Prompt.allCases
                    .filter { $0 != .create || SignUpRule(configuration).isOffered }.map { .string($0.rawValue) }),
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": signers, "userinfo_signing_alg_values_supported": signers,
            "authorization_signing_alg_values_supported": signers,
            "introspection_signing_alg_values_supported": signers,
            "claims_supported": .array(
                (AccessTokenIssuer.claimsOfIDTokens + accessTokens.userClaims.names).map { .string($0) }),
            "acr_values_supported": .array(AuthenticationClass.allCases.map { .string($0.rawValue) }),
            // By default, an omitted parameter can count as supported (OpenID Connect Discovery §3).
            "claims_parameter_supported": true, "request_parameter_supported": true,
            "request_object_signing_alg_values_supported": algorithms,
            "request_uri_parameter_supported": false,
            "ui_locales_supported": .array(IdentityConfiguration.supportedLanguages.map { .string($0) }),
        ]
    }
}
