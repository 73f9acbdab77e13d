// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
public import LatchHTTP
public import LatchOAuth

/// A page in a window of the system, such as an `ASWebAuthenticationSession`.
public typealias WebAuthSession = LatchOAuth.WebAuthenticationSession

/// A function that creates such pages; a test replaces it.
public typealias WebAuthSessionFactory = LatchOAuth.WebAuthenticationSessionFactory

/// The window above which the page is shown: `ASPresentationAnchor` on Apple's platforms with windows.
public typealias PresentationAnchor = LatchOAuth.PresentationAnchor

/// The sign-ins at other providers, as `AuthClient` needs them; a fake returns tokens without a page.
@MainActor
public protocol OAuthAuthenticating: Sendable {
    /// Signs a user in with Microsoft, and returns the tokens, which are not stored.
    func signInMicrosoft(from anchor: PresentationAnchor) async throws -> Tokens
    /// Signs a user in with Google, and returns the tokens, which are not stored.
    func signInGoogle(from anchor: PresentationAnchor) async throws -> Tokens
    /// Signs a user in with Facebook, and returns the tokens, which are not stored.
    func signInFacebook(from anchor: PresentationAnchor) async throws -> Tokens
}

/// The sign-ins at other providers through the backend's pages; every error is an `APIError`.
///
/// A user who closes the page causes `cancelled`; a configuration without a scheme causes `invalidURL`. A refusal by
/// the provider or the backend causes `unauthorized`; a page that cannot be shown causes `unknown`.
@MainActor
public final class OAuthWebAuthenticator: OAuthAuthenticating {
    private let config: AuthConfiguration
    private let pages: ProviderSignIn
    private let sessions: (any WebAuthSessionFactory)?
    /// Whether a page is shown; without this check, the system would show a second one above it.
    private var isShowing = false
    /// The error behind the last `APIError`; nil if there is none.
    private(set) var lastFailure: (any Error)?

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - config: The configuration, with the base URL of the backend and the scheme of the program's URLs.
    ///   - transport: The transport for exchanging the code for tokens.
    ///   - sessions: Creates the pages; nil for the system's.
    public nonisolated init(
        config: AuthConfiguration, transport: any Handler = Transport.live, sessions: (any WebAuthSessionFactory)? = nil
    ) {
        self.config = config
        self.sessions = sessions
        pages = ProviderSignIn(
            baseURL: config.baseURL, transport: transport, allowingInsecureHTTP: config.allowingInsecureHTTP)
    }

    /// Signs a user in with Microsoft.
    public func signInMicrosoft(from anchor: PresentationAnchor) async throws -> Tokens {
        try await signIn(.microsoft, from: anchor)
    }

    /// Signs a user in with Google.
    public func signInGoogle(from anchor: PresentationAnchor) async throws -> Tokens {
        try await signIn(.google, from: anchor)
    }

    /// Signs a user in with Facebook.
    public func signInFacebook(from anchor: PresentationAnchor) async throws -> Tokens {
        try await signIn(.facebook, from: anchor)
    }

    /// The URL of the program to which the backend redirects; nil without a custom scheme.
    private var deepLink: URL? {
        guard let scheme = config.redirectScheme, !scheme.isEmpty, let url = URL(string: "\(scheme)://auth/callback"),
            url.scheme == scheme, case .customScheme? = try? WebAuthenticationCallback(url)
        else { return nil }
        return url
    }

    private func signIn(_ provider: IdentityProvider, from anchor: PresentationAnchor) async throws -> Tokens {
        lastFailure = nil
        guard let url = deepLink else { throw APIError.invalidURL }
        guard !isShowing else { throw APIError.unknown }
        isShowing = true
        defer { isShowing = false }
        let sessions =
            sessions ?? systemWebAuthenticationSessions(from: anchor, prefersEphemeral: config.ephemeralWebSession)
        do {
            let grant = try await pages.grant(
                of: provider, using: WebAuthenticationBrowser(sessions: sessions), redirectingTo: url,
                acceptingTokensInURL: config.acceptsTokensInURL)
            config.log(
                grant.isFromURL
                    ? "the backend sent the tokens of \(provider.rawValue) in the deep link, where histories and logs keep them"
                    : "the backend sent a one-time code of \(provider.rawValue)")
            return grant.tokens
        } catch {
            lastFailure = error
            throw APIError(error)
        }
    }
}

extension AuthConfiguration {
    /// Prints a line to the standard error, which Xcode's console shows.
    public static func printToStandardError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("AuthPackage: \(line)\n".utf8))
    }
}
