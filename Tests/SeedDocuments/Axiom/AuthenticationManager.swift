// SPDX-License-Identifier: Apache-2.0

// Steps 2 and 3 of seed 000's tutorial and its social login, against Combine; Tests/AxiomSeedTests run the same steps. The
// views of the tutorial take the manager of Examples/user-service, so this one has a namespace. Its timer is a task: a `Timer`
// cannot be invalidated from `deinit` in Swift 6.

#if canImport(SwiftUI)
import AuthenticationServices
import AxiomArchitecture
import AxiomCore
import Combine
import Foundation
import LatchAuth
import LatchOAuth
import UserService

/// The tutorial's own code.
enum Tutorial {}

extension Tutorial {
    @MainActor
    class AuthenticationManager: ObservableObject {
        private let client = UserManagerClient()

        // Published properties for SwiftUI
        @Published var currentUser: User?
        @Published var isAuthenticated = false
        @Published var isLoading = false
        @Published var error: String?

        // Session management
        @Published var currentSession: UserSession?
        @Published var sessionExpiry: Date?

        private var stateObserver: Task<Void, Never>?
        private var tokenRefreshTimer: Task<Void, Never>?

        init() {
            observeAuthState()
        }

        private func observeAuthState() {
            stateObserver = Task { [weak self, client] in
                for await state in client.stateStream {
                    guard let self else { return }
                    // Update published properties
                    self.currentUser = state.users.first
                    self.currentSession = state.sessions.first
                    self.isLoading = state.isLoading
                    self.error = state.error?.localizedDescription

                    // Update authentication status
                    self.isAuthenticated = self.currentUser != nil && self.currentSession != nil

                    // Schedule token refresh if needed
                    if let session = self.currentSession {
                        self.scheduleTokenRefresh(for: session)
                    }
                }
            }
        }

        private func scheduleTokenRefresh(for session: UserSession) {
            tokenRefreshTimer?.cancel()

            let refreshTime = session.expiresAt.addingTimeInterval(-300)  // 5 minutes before expiry
            let timeInterval = refreshTime.timeIntervalSinceNow

            guard timeInterval > 0 else { return }

            tokenRefreshTimer = Task { [weak self] in
                do {
                    try await Task.sleep(for: .seconds(timeInterval))
                    try await self?.refreshTokenIfNeeded()
                } catch {
                    self?.error = error.localizedDescription
                }
            }
        }

        deinit {
            stateObserver?.cancel()
            tokenRefreshTimer?.cancel()
        }
    }
}

extension Tutorial.AuthenticationManager {
    func login(email: String, password: String, rememberMe: Bool = false) async throws {
        let request = LoginRequest(
            email: email,
            password: password,
            rememberMe: rememberMe,
            deviceInfo: "this device"
        )

        try await client.process(.login(request))
    }

    func logout(logoutAllDevices: Bool = false) async throws {
        guard let session = currentSession else { return }

        let request = LogoutRequest(
            sessionToken: session.accessToken,
            logoutAllDevices: logoutAllDevices
        )

        try await client.process(.logout(request))
    }

    func refreshTokenIfNeeded() async throws {
        guard let session = currentSession,
            session.expiresAt.timeIntervalSinceNow < 300
        else {  // 5 minutes
            return
        }

        let request = RefreshTokenRequest(
            refreshToken: session.refreshToken,
            deviceInfo: "this device"
        )

        try await client.process(.refreshToken(request))
    }
}

#if !os(watchOS)
/// "Social Login".
extension Tutorial.AuthenticationManager {
    /// The tutorial's own lines, which end where the authorization begins.
    func appleRequest() -> ASAuthorizationAppleIDRequest {
        // Apple Sign In implementation
        let appleIDProvider = ASAuthorizationAppleIDProvider()
        let request = appleIDProvider.createRequest()
        request.requestedScopes = [.fullName, .email]
        return request
    }

    /// The rest of them: nonce, state, the dialog, and the verified identity token.
    func loginWithApple(from window: ASPresentationAnchor) async throws -> AppleUser {
        let apple = AppleSignIn(clientID: "com.example.users", provider: SystemAppleIDProvider(from: window))
        return try await apple.signIn()
    }

    func loginWithGoogle(
        from window: ASPresentationAnchor, store: any TokenStore<Tokens>
    ) async throws -> Session<Tokens> {
        let browser = WebAuthenticationBrowser(
            from: window, redirectURI: URL(string: "com.googleusercontent.apps.1234:/oauth2redirect"))
        return try await Session.signIn(
            with: .google(clientID: "1234.apps.googleusercontent.com"), using: browser, store: store)
    }
}
#endif

// MARK: - Left out by the tutorial

extension UserManagerClient {
    init() { self.init(service: UserServiceFake(), reducer: EmptyReducer()) }
}

/// A reducer that changes nothing, for code that is only type-checked.
private struct EmptyReducer: UserManagerReducer {
    func register(_ request: RegisterRequest, response: AuthResponse, state: inout UserManagerState) {}
    func login(_ request: LoginRequest, response: AuthResponse, state: inout UserManagerState) {}
    func logout(_ request: LogoutRequest, state: inout UserManagerState) {}
    func refreshToken(_ request: RefreshTokenRequest, response: AuthResponse, state: inout UserManagerState) {}
    func getProfile(_ request: GetProfileRequest, response: User, state: inout UserManagerState) {}
    func verifyTwoFactor(_ request: VerifyTwoFactorRequest, response: AuthResponse, state: inout UserManagerState) {}
}
#endif
