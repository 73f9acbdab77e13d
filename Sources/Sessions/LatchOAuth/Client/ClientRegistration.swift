// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchCrypto
import LatchFoundation
import LatchHTTP
public import LatchJOSE

/// The registration of a client at an authorization server (RFC 6749 §2).
///
/// ```swift
/// ClientRegistration(clientID: "notes")                                 // public: an app, a command
/// ClientRegistration(clientID: "notes-web", secret: secret)             // confidential: a server
/// ClientRegistration(clientID: "notes-web", key: key)                   // confidential, without a shared secret
/// ```
///
/// The transport holds the certificate of a client that authenticates with one (RFC 8705): `Transport.live(tls:)`.
public struct ClientRegistration: Sendable, Hashable {
    /// A method of client authentication.
    public enum Authentication: String, Sendable, Hashable {
        /// The client has no authentication: a program on a user's device cannot keep a secret (RFC 6749 §2.1).
        case none
        /// `client_secret_basic`: in the `Authorization` field (RFC 6749 §2.3.1).
        case basic
        /// `client_secret_post`: in the form, for servers that support nothing better (RFC 6749 §2.3.1).
        case post
        /// `client_secret_jwt`: an assertion that is authenticated with the secret, but does not contain it (RFC 7523
        /// §2.2).
        case secretJWT = "client_secret_jwt"
        /// `private_key_jwt`: an assertion that the client's key signs (RFC 7523 §2.2).
        case privateKeyJWT = "private_key_jwt"
        /// `tls_client_auth` and `self_signed_tls_client_auth`: the transport's certificate (RFC 8705 §2).
        case tls = "tls_client_auth"
    }

    /// The audience of the assertions that a client authenticates with (RFC 7523 §3).
    public enum AssertionAudience: Sendable, Hashable {
        /// The issuer identifier of the server, as a string (FAPI 2.0 §5.3.2.1).
        case issuer
        /// The URL of the token endpoint, which Microsoft Entra and Okta require.
        case tokenEndpoint
    }

    /// The client identifier; nil for a server without registrations.
    public let clientID: String?
    /// The method of client authentication.
    public let authentication: Authentication
    /// The audience of the client's assertions.
    public var assertionAudience = AssertionAudience.issuer
    /// The client secret, or the key that signs instead of it.
    private let proof: ClientProof
    /// Whether the server's metadata determines the method of authentication.
    private var followsServer = false

    /// Creates a registration.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier; nil for a server without registrations.
    ///   - secret: The client secret; nil for a public client, which cannot keep one.
    ///   - authentication: The method of client authentication. Nil chooses `none` without a secret. With a secret it
    ///     chooses the first method that the server's metadata supports (RFC 8414 §2): `basic`, then `post`, then
    ///     `secretJWT`.
    public init(clientID: String? = nil, secret: String? = nil, authentication: Authentication? = nil) {
        self.init(
            clientID, secret.map(ClientProof.secret) ?? .none, authentication ?? (secret == nil ? .none : .basic))
        followsServer = authentication == nil && secret != nil
    }

    /// Returns the registration with an authentication method that the server supports, unless a method was chosen.
    func fitting(_ server: AuthorizationServer) -> ClientRegistration {
        guard followsServer,
            let supported = server.supported("token_endpoint_auth_methods_supported"),
            let method = Self.methodsOfSecrets.first(where: { supported.contains($0.metadataValue) })
        else { return self }
        var fitting = ClientRegistration(clientID, proof, method)
        fitting.assertionAudience = assertionAudience
        return fitting
    }

    /// The methods of authentication with a secret, in order of preference.
    private static let methodsOfSecrets: [Authentication] = [.basic, .post, .secretJWT]

    /// Creates the registration of a client with a private key (`private_key_jwt`).
    public init(clientID: String, key: Key) { self.init(clientID, .key(key), .privateKeyJWT) }

    private init(_ clientID: String?, _ proof: ClientProof, _ authentication: Authentication) {
        (self.clientID, self.proof, self.authentication) = (clientID, proof, authentication)
    }

    /// Creates a registration whose client secret is a signed token, as Apple requires.
    package init(clientID: String, secretSignedBy key: Key, issuer: String, audience: String) {
        self.init(clientID, .signedSecret(key, issuer: issuer, audience: audience), .post)
    }

    /// A client without a registration.
    public static let none = ClientRegistration()

    /// The client secret; nil if there is none.
    package var secret: String? {
        if case .secret(let secret) = proof { secret } else { nil }
    }

    /// The key that signs the client's assertions and request objects; nil if there is none.
    var signingKey: Key? {
        if case .key(let key) = proof { key } else { nil }
    }

    /// The key with which the server verifies the client's assertions.
    package var verificationKey: Key? { signingKey?.publicKey ?? secretKey(for: .hs256) }

    /// The secret as the key of a message authentication code (RFC 7518 §3.2, OpenID Connect Core §16.19).
    ///
    /// Nil for a client without a secret, or with one that is too short.
    func secretKey(for algorithm: SignatureAlgorithm) -> Key? {
        guard let secret else { return nil }
        // A secret that is too short does not authenticate anything.
        do { return try Key(secret: .init(data: Array(secret.utf8)), algorithm: algorithm) } catch { return nil }
    }

    /// Adds the client identifier and the client authentication to a request.
    ///
    /// - Throws: `OAuthError.unsuitableClientKey` if the key or secret does not sign.
    func authenticate(
        _ form: inout [(String, String)], _ fields: inout HTTPFields, at server: AuthorizationServer, now: Date,
        random: RandomSource
    ) throws(OAuthError) {
        guard let clientID else { return }
        switch authentication {
        case .none, .tls:
            // RFC 6749 §3.2.1, RFC 8705 §2: a client without authentication in the request still identifies itself.
            form.append(("client_id", clientID))
        case .basic:
            // RFC 6749 §2.3.1: both are form-encoded before they are joined, so that a colon in either is harmless.
            let pair = "\(FormEncoding.encodeValue(clientID)):\(FormEncoding.encodeValue(secret ?? ""))"
            fields[.authorization] = "Basic \(Base64Alphabet.standard.encodePadded(Array(pair.utf8)))"
        case .post:
            form.append(("client_id", clientID))
            form.append(("client_secret", try proof.text(clientID, now: now)))
        case .secretJWT, .privateKeyJWT:
            form.append(("client_id", clientID))
            form.append(("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"))
            form.append(("client_assertion", try assertion(clientID, at: server, now: now, random: random)))
        }
    }

    /// Returns an assertion of the client (RFC 7523 §3).
    private func assertion(
        _ clientID: String, at server: AuthorizationServer, now: Date, random: RandomSource
    ) throws(OAuthError) -> String {
        guard let key = signingKey ?? secretKey(for: .hs256) else { throw .unsuitableClientKey }
        var claims = Claims()
        (claims.issuer, claims.subject, claims.id) = (clientID, clientID, random.identifier())
        // One audience, as a string: the URL of an endpoint could belong to another server (FAPI 2.0 §5.3.2.1).
        let audience = assertionAudience == .issuer ? server.issuer : server.tokenEndpoint
        claims.audience = [audience.absoluteString]
        claims.issuedAt = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        claims.expiry = claims.issuedAt?.addingTimeInterval(60)
        do { return try JWT.sign(claims, with: key) } catch { throw .unsuitableClientKey }
    }
}

extension ClientRegistration: Redacting {
    /// The client identifier, without the secret.
    public var description: String {
        "ClientRegistration(\(clientID ?? "anonymous"), \(authentication.rawValue))"
    }
}

/// The secret of a registration.
private enum ClientProof: Sendable, Hashable {
    case none
    case secret(String)
    case key(Key)
    /// A key that signs the client secret itself: a token that is valid for a few minutes.
    case signedSecret(Key, issuer: String, audience: String)

    /// Returns the client secret in the form that is sent.
    func text(_ clientID: String, now: Date) throws(OAuthError) -> String {
        switch self {
        case .none, .key: return ""
        case .secret(let secret): return secret
        case .signedSecret(let key, let issuer, let audience):
            var claims = Claims()
            (claims.issuer, claims.subject, claims.audience) = (issuer, clientID, [audience])
            claims.issuedAt = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
            claims.expiry = claims.issuedAt?.addingTimeInterval(300)
            do { return try JWT.sign(claims, with: key, type: nil) } catch { throw .unsuitableClientKey }
        }
    }

    /// A public key identifies its private key, and the thumbprint of a shared secret is a hash of the secret.
    static func == (one: ClientProof, other: ClientProof) -> Bool {
        switch (one, other) {
        case (.none, .none): true
        case (.secret(let one), .secret(let other)): one == other
        case (.key(let one), .key(let other)): one.thumbprint == other.thumbprint
        case (.signedSecret(let one, let issuer, let audience), .signedSecret(let other, let issuer2, let audience2)):
            one.thumbprint == other.thumbprint && issuer == issuer2 && audience == audience2
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .none: break
        case .secret(let secret): hasher.combine(secret)
        case .key(let key), .signedSecret(let key, _, _): hasher.combine(key.thumbprint)
        }
    }
}

extension FormEncoding {
    /// Encodes one value (application/x-www-form-urlencoded).
    static func encodeValue(_ text: String) -> String { String(encode([("", text)]).dropFirst()) }
}
